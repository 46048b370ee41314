/** Every setting: its meaning, validation and default. docs/reference/settings.md and `patchbay config` are generated from this table. */
import * as v from "valibot";
import { logLevels } from "../base/log.ts";
import { patternProblem } from "../base/net/host-pattern.ts";
import { secret } from "../base/secrets/secret.ts";
import { isMasterKeys, masterKeyRule } from "./master-key.ts";

interface Setting {
  readonly about: string;
  readonly schema: v.GenericSchema;
}

const text = (fallback: string) => v.optional(v.string(), fallback);
const secretText = v.optional(v.pipe(v.string(), v.nonEmpty(), v.transform(secret)));
/** The key must be valid in a header, a query parameter and a cookie. */
const apiKey = v.optional(
  v.pipe(
    v.string(),
    v.regex(/^[\x21-\x7e]+$/, "must be printable ASCII characters without blanks or line breaks"),
    v.transform(secret),
  ),
);
const masterKey = v.optional(v.pipe(v.string(), v.check(isMasterKeys, masterKeyRule), v.transform(secret)));
const integer = (fallback: number, min: number, max: number) =>
  v.pipe(
    v.optional(
      v.union([
        v.number(),
        v.pipe(v.string(), v.regex(/^\d+$/, "must be a whole number"), v.transform(Number)),
      ]),
      fallback,
    ),
    v.integer("must be a whole number"),
    v.minValue(min, `must be at least ${min}`),
    v.maxValue(max, `must be at most ${max}`),
  );
const flag = (fallback: boolean) =>
  v.optional(
    v.union([
      v.boolean(),
      v.pipe(
        v.picklist(["true", "false", "1", "0"], "must be true or false"),
        v.transform((value) => value === "true" || value === "1"),
      ),
    ]),
    fallback,
  );
/** `a:b` in the environment, an array in the file. */
const list = (separator: string | RegExp) =>
  v.optional(
    v.union([
      v.array(v.string()),
      v.pipe(
        v.string(),
        v.transform((value) =>
          value
            .split(separator)
            .map((part) => part.trim())
            .filter(Boolean),
        ),
      ),
    ]),
    [],
  );
const folders = list(":");
const patterns = v.pipe(
  list(/[\s,]+/),
  v.check(
    (texts) => texts.every((pattern) => patternProblem(pattern) === undefined),
    ({ input }) => input.map(patternProblem).find((problem) => problem !== undefined) ?? "is not valid",
  ),
);

const listen = v.pipe(
  v.optional(v.string(), "127.0.0.1:9000"),
  v.regex(/^(unix:\/.+|(\[[0-9a-fA-F:.]+\]|[^:\s]+):\d{1,5})$/, "must be <address>:<port> or unix:/path"),
  v.check(
    (text) => text.startsWith("unix:") || Number(text.slice(text.lastIndexOf(":") + 1)) <= 65_535,
    "the port must be at most 65535",
  ),
);

/** HTTPS, or HTTP on this machine: what is sent there decides who may sign in. */
const secureUrl = v.pipe(
  v.string(),
  v.check(
    isSecureUrl,
    "must be an address with https; http only on this machine (localhost, 127.0.0.1, ::1)",
  ),
);

function isSecureUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.username !== "" || url.password !== "" || /[?#]/.test(text)) return false;
  const own = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname);
  return url.protocol === "https:" || (url.protocol === "http:" && own);
}

const claim = (fallback: string) =>
  v.optional(
    v.pipe(v.string(), v.regex(/^[\x21-\x7e]{1,200}$/, "must be the name of a claim, such as groups")),
    fallback,
  );

/** Names of providers are steps of paths. */
export const providerName = v.pipe(
  v.string(),
  v.regex(/^[a-z0-9][a-z0-9-]{0,31}$/, "must be at most 32 lower-case letters, digits and hyphens"),
);

/** What an operator decides. */
const decisions = {
  listen: { about: "address and port, or unix:/path", schema: listen },
  socket_mode: {
    about: "mode of a Unix socket, in octal; 660 lets the account and the group connect",
    schema: v.optional(
      v.pipe(v.string(), v.regex(/^0?[0-7]{3}$/, "must be three octal digits, such as 660")),
      "600",
    ),
  },
  socket_group: {
    about: "group of a Unix socket, by name or number; default: the account's group",
    schema: v.optional(v.pipe(v.string(), v.regex(/^[a-z_0-9][a-z0-9_.-]{0,31}$/i, "must be a group"))),
  },
  data_dir: { about: "database, keys, plugins, templates and files of this node", schema: text("./data") },
  tls_cert: {
    about: "certificate file for HTTPS (PEM, with its chain); reloaded when it changes",
    schema: v.optional(v.string()),
  },
  tls_key: { about: "private key file of the certificate (PEM)", schema: v.optional(v.string()) },
  tls_self_signed: {
    about: "HTTPS with a self-signed certificate; its fingerprint is in the log",
    schema: flag(false),
  },
  tls_client_ca: {
    about:
      "CA file (PEM): callers must present a certificate of one of these CAs, which can replace their key",
    schema: v.optional(v.string()),
  },
  tls_client_optional: {
    about: "makes client certificates optional: callers may use a key alone",
    schema: flag(false),
  },
  api_key: { about: "the first admin key; if unset, one is generated and printed once", schema: apiKey },
  database_url: {
    about:
      "URL of a PostgreSQL or libSQL server shared by several nodes; default: a file in the data directory",
    schema: v.optional(v.string()),
  },
  database_token: {
    about: "auth token of the libSQL server, or password for PostgreSQL",
    schema: secretText,
  },
  master_key: {
    about: "key that seals secrets, 32 bytes as hex or base64; default: a file in the data directory",
    schema: masterKey,
  },
  plugins: { about: "plugin folders, colon-separated", schema: folders },
  template_roots: { about: "folders from which file:// templates may be read", schema: folders },
  transfer_roots: { about: "folders that file transfers may read and write", schema: folders },
  key_roots: { about: "folders in which key_filename may be and look_for_keys searches", schema: folders },
  agent_socket: {
    about: "socket of the SSH agent for allow_agent; if unset, no agent is used",
    schema: v.optional(v.string()),
  },
  known_hosts: {
    about: "OpenSSH known_hosts files, colon-separated; they take precedence for the hosts in them",
    schema: folders,
  },
  url_allow: {
    about:
      "hosts and CIDR ranges that templates and webhooks may reach in addition to public and private addresses",
    schema: patterns,
  },
  url_deny: { about: "hosts and CIDR ranges that templates and webhooks may never reach", schema: patterns },
  node: {
    about: "name of this node; default: the host name",
    schema: v.optional(
      v.pipe(v.string(), v.regex(/^[A-Za-z0-9][A-Za-z0-9.-]{0,62}$/, "must be a host-like name")),
    ),
  },
  device_threads: { about: "threads that hold device sessions", schema: integer(2, 1, 64) },
  template_processes: {
    about: "maximum number of template processes; one more is available to keys that have none",
    schema: integer(2, 1, 64),
  },
  slots: { about: "maximum number of concurrent jobs on this node", schema: integer(200, 1, 10_000) },
  result_hours: {
    about: "retention time of results without options.result_ttl",
    schema: integer(24, 1, 8_760),
  },
  retry_hours: {
    about: "how long the secrets of failed or cancelled jobs are kept, sealed, for a retry; 0: not at all",
    schema: integer(0, 0, 8_760),
  },
  audit_days: { about: "retention time of audit entries", schema: integer(90, 1, 3_650) },
  history_days: {
    about:
      "how long versions of configurations are kept after the device was last seen with them; the newest good one stays",
    schema: integer(1_095, 1, 36_500),
  },
  history_versions: {
    about: "most versions kept per device and part",
    schema: integer(10_000, 2, 10_000),
  },
  history_search_mb: {
    about:
      "memory for the newest configurations that searches keep, in MiB, in two processes that end eight hours after the last search; 0: each search reads all of them from the store",
    schema: integer(256, 0, 65_536),
  },
  drift_hours: {
    about:
      "how old the last good reading of a configuration may be: of older ones nothing is said but that it is unknown",
    schema: integer(48, 1, 8_760),
  },
  ledger_checkpoint_minutes: {
    about: "how often a checkpoint of the ledger is signed, if there are new entries",
    schema: integer(60, 1, 1_440),
  },
  ledger_checkpoint_folder: {
    about: "folder where each checkpoint of the ledger is appended to a file; best on another machine",
    schema: v.optional(v.string()),
  },
  ledger_checkpoint_syslog: {
    about:
      "syslog receiver (RFC 5424) of checkpoints of the ledger: udp://host:port, tcp://host:port or tls://host:port?ca=<file>",
    schema: v.optional(v.string()),
  },
  ledger_checkpoint_remote: {
    about:
      "Git remote of the history (`patchbay history remote`) to which each checkpoint of the ledger is committed, in a branch of its own that only grows",
    schema: v.optional(v.string()),
  },
  ledger_days: {
    about: "how long entries of the ledger are kept, up to a checkpoint that the rest follows; 0: for good",
    schema: integer(0, 0, 36_500),
  },
  history_after_push: {
    about: "read the configuration of an inventory device into the history after each push",
    schema: flag(true),
  },
  backup_cron: {
    about: "cron expression for scheduled backups, such as 0 2 * * *; if unset, there are none",
    schema: v.optional(v.string()),
  },
  backup_folder: { about: "folder for scheduled backups", schema: v.optional(v.string()) },
  backup_keep: { about: "number of scheduled backups to keep", schema: integer(7, 1, 10_000) },
  backup_passphrase_file: {
    about:
      "file with the passphrase that encrypts scheduled backups; without it they omit the master key and SSH keys",
    schema: v.optional(v.string()),
  },
  backup_files: { about: "include the transfer folder in scheduled backups", schema: flag(true) },
  drain_seconds: { about: "time that running jobs get after SIGTERM", schema: integer(30, 0, 3_600) },
  key_in_query: { about: "accept the API key as a query parameter", schema: flag(true) },
  openapi_open: { about: "serve GET /openapi.json and /docs without an API key", schema: flag(false) },
  metrics_devices: {
    about:
      "how many devices GET /metrics names with the age of their configuration, the oldest ones; 0: no device is named",
    schema: integer(0, 0, 200),
  },
  metrics_open: { about: "serve GET /metrics without an API key", schema: flag(false) },
  otlp_url: {
    about:
      "OTLP endpoint for traces (HTTP with JSON), such as http://localhost:4318/v1/traces; if unset, there are no traces",
    schema: v.optional(
      v.pipe(v.string(), v.regex(/^https?:\/\/\S+$/, "must be an address with http or https")),
    ),
  },
  otlp_headers: {
    about: "headers for the OTLP endpoint, as name=value, comma-separated",
    schema: secretText,
  },
  otlp_percent: {
    about: "percentage of requests that are traced; a traceparent header takes precedence",
    schema: integer(10, 0, 100),
  },
  otlp_names: { about: "include device names and command texts in traces", schema: flag(false) },
  behind_proxy: {
    about: "a proxy in front terminates TLS; its X-Forwarded-For is trusted",
    schema: flag(false),
  },
  public_url: {
    about:
      "address under which browsers reach this service, such as https://patchbay.example.net; sign-in returns there",
    schema: v.optional(
      v.pipe(
        secureUrl,
        v.check((text) => URL.parse(text)?.pathname === "/", "must have no path"),
        v.transform((text) => new URL(text).origin),
      ),
    ),
  },
  key_login: { about: "people may sign in to the console with an API key", schema: flag(true) },
  mcp: {
    about:
      "end point for agents, POST /mcp: off, read, or propose: they read, and propose changes that a person approves",
    schema: v.optional(v.picklist(["off", "read", "propose"], "must be off, read or propose"), "off"),
  },
  session_hours: {
    about: "longest life of the session of a person who signed in by OpenID Connect",
    schema: integer(12, 1, 168),
  },
  session_token_life: {
    about: "such a session ends with the ID token of the provider, if that is earlier",
    schema: flag(false),
  },
  oidc_issuer: {
    about: "issuer URL of an OpenID Connect provider by which people sign in; if unset, there is none",
    schema: v.optional(secureUrl),
  },
  oidc_client_id: {
    about: "client id that the provider gave this service",
    schema: v.optional(v.pipe(v.string(), v.regex(/^[\x20-\x7e]{1,512}$/, "must be printable ASCII"))),
  },
  oidc_secret_file: {
    about: "file with the client secret, read when it is used; without it the client is public",
    schema: v.optional(v.string()),
  },
  oidc_scopes: {
    about: "scopes to ask for, separated by blanks",
    schema: v.pipe(
      text("openid profile email"),
      v.check(
        (scopes) =>
          /^[\x21\x23-\x5b\x5d-\x7e ]{1,1000}$/.test(scopes) && scopes.split(" ").includes("openid"),
        "must be scopes separated by blanks, with openid among them",
      ),
    ),
  },
  oidc_groups_claim: {
    about: "claim with the groups of a person; dots lead into objects, such as realm_access.roles",
    schema: claim("groups"),
  },
  oidc_name_claim: { about: "claim with the name of a person", schema: claim("preferred_username") },
  oidc_ca_file: {
    about: "CA file (PEM) that signed the certificate of the provider; default: the public ones",
    schema: v.optional(v.string()),
  },
  oidc_name: {
    about: "name of the provider on the button and in paths",
    schema: v.optional(providerName, "oidc"),
  },
  log_level: {
    about: "debug, info, warn, error or silent",
    schema: v.optional(v.picklist(logLevels, "must be debug, info, warn, error or silent"), "info"),
  },
  log_format: {
    about: "json or pretty; default: pretty on a terminal, json otherwise",
    schema: v.optional(v.picklist(["json", "pretty"], "must be json or pretty")),
  },
} as const satisfies Record<string, Setting>;

/** Bounds with defaults that are safe for most: what one caller, template, session or device may use. */
export const limits = {
  template_seconds: { about: "CPU time limit of a render or parse, in seconds", schema: integer(5, 1, 60) },
  template_memory_mb: {
    about: "memory limit of one template process; all of them together may use a quarter more",
    schema: integer(256, 64, 16_384),
  },
  output_memory_mb: {
    about:
      "memory for the outputs of the running jobs of one API key; the fuller it is, the fewer of its devices with large outputs are read at the same time",
    schema: integer(64, 16, 65_536),
  },
  max_queued: {
    about: "maximum number of queued jobs; above it, submissions get 429",
    schema: integer(100_000, 1, 10_000_000),
  },
  max_queued_per_key: { about: "maximum queued jobs of one API key", schema: integer(50_000, 1, 10_000_000) },
  person_key_days: {
    about: "longest life of a key that a person makes, in days",
    schema: integer(365, 1, 3_650),
  },
  max_bulk: { about: "maximum number of devices in one bulk request", schema: integer(10_000, 1, 100_000) },
  max_bulk_mb: {
    about: "maximum total size of the jobs of one bulk; data that its devices share counts once per device",
    schema: integer(32, 1, 4_096),
  },
  max_requests: {
    about: "maximum number of concurrent requests; above it, requests get 429",
    schema: integer(2_000, 1, 100_000),
  },
  max_requests_per_key: {
    about: "maximum number of concurrent requests of one API key",
    schema: integer(1_000, 1, 100_000),
  },
  max_in_flight_mb: {
    about: "maximum size of request bodies and unread responses in memory; one API key gets half of it",
    schema: integer(64, 1, 16_384),
  },
  max_lists: { about: "maximum number of job lists read concurrently", schema: integer(64, 1, 10_000) },
  max_lists_per_key: {
    about: "maximum number of job lists that one API key reads concurrently",
    schema: integer(16, 1, 10_000),
  },
  max_streams: { about: "maximum number of open event streams", schema: integer(2_000, 1, 100_000) },
  max_streams_per_key: {
    about: "maximum number of open event streams of one API key",
    schema: integer(1_000, 1, 100_000),
  },
  rate_per_key: {
    about:
      "rate limit of one API key, in cost per second: a request 1, a device of a bulk 1, a render 1 per 100 ms, a list 1 per 1 MiB, a login session 100; 0: no limit",
    schema: integer(10_000, 0, 10_000_000),
  },
  rate_burst: { about: "burst size of the rate limit, in cost", schema: integer(100_000, 1, 100_000_000) },
  max_body_mb: { about: "maximum size of a request body", schema: integer(16, 1, 512) },
  max_file_mb: { about: "maximum size of a file of PUT /file", schema: integer(1_024, 1, 1_048_576) },
  max_files_mb: {
    about: "maximum total size of the file transfer folders; files that would exceed it are rejected",
    schema: integer(10_240, 1, 1_073_741_824),
  },
  min_free_mb: {
    about:
      "minimum free space of the data directory; below it, submissions, uploads and whatever else stores something new get 507, so that running jobs can end; 0: no limit",
    schema: integer(64, 0, 1_048_576),
  },
  session_idle_seconds: { about: "idle timeout of kept sessions", schema: integer(300, 1, 86_400) },
  session_age_seconds: { about: "maximum age of kept sessions", schema: integer(3_600, 1, 604_800) },
  max_sessions: { about: "maximum kept sessions per device thread", schema: integer(1_000, 1, 100_000) },
  max_events: {
    about: "maximum number of job events kept for resumed streams, for one day at most",
    schema: integer(200_000, 1_000, 100_000_000),
  },
  logins_per_second: {
    about: "maximum rate of new device logins on this node; 0: no limit",
    schema: integer(0, 0, 10_000),
  },
  auth_failures: {
    about:
      "number of failed logins of a device and user after which further jobs fail as AuthBackoff; 0: never",
    schema: integer(3, 0, 1_000),
  },
  auth_backoff_seconds: { about: "duration of AuthBackoff", schema: integer(300, 1, 86_400) },
} as const satisfies Record<string, Setting>;

export const settings = { ...decisions, ...limits };

export type SettingName = keyof typeof settings;

/** Never flags, because process lists are public; removed from the environment once read. */
export const secretSettings: readonly SettingName[] = [
  "api_key",
  "master_key",
  "database_token",
  "otlp_headers",
];
