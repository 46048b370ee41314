/** Every setting: what it means, how it is checked, its default. README and `patchbay config` are made from this table. */
import * as v from "valibot";
import { patternProblem } from "../base/host-pattern.ts";
import { logLevels } from "../base/log.ts";
import { secret } from "../base/secret.ts";
import { isMasterKeys, masterKeyRule } from "./master-key.ts";

interface Setting {
  readonly about: string;
  readonly schema: v.GenericSchema;
}

const text = (fallback: string) => v.optional(v.string(), fallback);
const secretText = v.optional(v.pipe(v.string(), v.nonEmpty(), v.transform(secret)));
/** It stands in a header, a query parameter and a cookie. */
const apiKey = v.optional(
  v.pipe(
    v.string(),
    v.regex(/^[\x21-\x7e]+$/, "must be printable ASCII characters without blanks or line breaks"),
    v.transform(secret),
  ),
);
const masterKey = v.optional(v.pipe(v.string(), v.check(isMasterKeys, masterKeyRule), v.transform(secret)));
const whole = (fallback: number, min: number, max: number) =>
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
    (all) => all.every((pattern) => patternProblem(pattern) === undefined),
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

export const settings = {
  listen: { about: "address and port, or unix:/path", schema: listen },
  socket_mode: {
    about: "who may connect to a Unix socket, as chmod writes it; with 660 the account and the group",
    schema: v.optional(
      v.pipe(v.string(), v.regex(/^0?[0-7]{3}$/, "must be three octal digits, such as 660")),
      "600",
    ),
  },
  socket_group: {
    about: "group of a Unix socket, by name or number; default that of the account",
    schema: v.optional(v.pipe(v.string(), v.regex(/^[a-z_0-9][a-z0-9_.-]{0,31}$/i, "must be a group"))),
  },
  data_dir: { about: "database, keys, plugins, templates and files of this node", schema: text("./data") },
  tls_cert: {
    about:
      "file of the certificate (PEM, with its chain) that the service shows: HTTPS; read anew when it changes",
    schema: v.optional(v.string()),
  },
  tls_key: { about: "file of its private key (PEM)", schema: v.optional(v.string()) },
  tls_self_signed: {
    about: "HTTPS with a certificate that the service makes for itself; its fingerprint is in the log",
    schema: flag(false),
  },
  tls_client_ca: {
    about:
      "file of authorities (PEM): callers must show a certificate of one of them, which may stand for their key",
    schema: v.optional(v.string()),
  },
  tls_client_optional: {
    about: "callers may show no certificate, and come with a key alone",
    schema: flag(false),
  },
  api_key: { about: "the first admin key; without it one is made and printed once", schema: apiKey },
  database_url: {
    about: "libSQL server shared by several nodes; default: a file in the data directory",
    schema: v.optional(v.string()),
  },
  database_token: { about: "token of the libSQL server", schema: secretText },
  master_key: {
    about: "32 bytes as hex or base64 that seal secrets; default: a file in the data directory",
    schema: masterKey,
  },
  plugins: { about: "plugin folders, colon-separated", schema: folders },
  template_roots: { about: "folders that file:// templates may come from", schema: folders },
  transfer_roots: { about: "folders that file transfers may read and write", schema: folders },
  key_roots: { about: "folders that key_filename may name and look_for_keys searches", schema: folders },
  agent_socket: {
    about: "socket of the SSH agent that allow_agent may use; without it there is none",
    schema: v.optional(v.string()),
  },
  known_hosts: {
    about: "files of OpenSSH's known_hosts, colon-separated: for a host that they name they alone count",
    schema: folders,
  },
  url_allow: {
    about: "hosts and CIDR ranges that templates and webhooks may reach besides public and private addresses",
    schema: patterns,
  },
  url_deny: { about: "hosts and CIDR ranges they may never reach", schema: patterns },
  node: {
    about: "name of this node; default the host name",
    schema: v.optional(
      v.pipe(v.string(), v.regex(/^[A-Za-z0-9][A-Za-z0-9.-]{0,62}$/, "must be a host-like name")),
    ),
  },
  device_threads: { about: "threads that hold device sessions", schema: whole(2, 1, 64) },
  template_processes: {
    about: "most processes that render and parse at once, and one more for keys that have none",
    schema: whole(2, 1, 64),
  },
  template_seconds: { about: "CPU seconds a render or parse may compute", schema: whole(5, 1, 60) },
  template_memory_mb: {
    about: "memory of one template process; all together a quarter more",
    schema: whole(256, 64, 16_384),
  },
  slots: { about: "jobs that run at once on this node", schema: whole(200, 1, 10_000) },
  max_queued: {
    about: "queued jobs above which submissions are answered with 429",
    schema: whole(100_000, 1, 10_000_000),
  },
  max_queued_per_key: { about: "the same for one API key", schema: whole(50_000, 1, 10_000_000) },
  max_bulk: { about: "devices in one bulk request", schema: whole(10_000, 1, 100_000) },
  max_bulk_mb: {
    about: "what the jobs of one bulk may hold together: what its devices share, once for each",
    schema: whole(32, 1, 4_096),
  },
  max_requests: {
    about: "requests under way at once, above which 429 is answered",
    schema: whole(2_000, 1, 100_000),
  },
  max_requests_per_key: { about: "the same for one API key", schema: whole(1_000, 1, 100_000) },
  max_in_flight_mb: {
    about: "bodies and unread answers held at once; half of it for one API key",
    schema: whole(64, 1, 16_384),
  },
  max_lists: { about: "lists of jobs that are read at once", schema: whole(64, 1, 10_000) },
  max_lists_per_key: { about: "the same for one API key", schema: whole(16, 1, 10_000) },
  max_streams: { about: "streams of events that are open at once", schema: whole(2_000, 1, 100_000) },
  max_streams_per_key: { about: "the same for one API key", schema: whole(1_000, 1, 100_000) },
  rate_per_key: {
    about:
      "cost a second that one API key may cause: a request 1, a device of a bulk 1, a render 1 for 100 ms, a list 1 for 1 MiB, a login session 100; 0: no limit",
    schema: whole(10_000, 0, 10_000_000),
  },
  rate_burst: { about: "cost that may come at once after a rest", schema: whole(100_000, 1, 100_000_000) },
  max_body_mb: { about: "largest request body", schema: whole(16, 1, 512) },
  max_file_mb: { about: "largest file of PUT /file", schema: whole(1_024, 1, 1_048_576) },
  max_files_mb: {
    about: "what the folders of file transfers may hold together: what would be more is not taken in",
    schema: whole(10_240, 1, 1_073_741_824),
  },
  min_free_mb: {
    about:
      "free space of the data directory below which submissions and files are answered with 507, so that running jobs can end; 0: no limit",
    schema: whole(64, 0, 1_048_576),
  },
  session_idle_seconds: {
    about: "kept sessions are closed after this long without a job",
    schema: whole(300, 1, 86_400),
  },
  session_age_seconds: {
    about: "kept sessions are closed after this long in all",
    schema: whole(3_600, 1, 604_800),
  },
  max_sessions: { about: "kept sessions of one device thread", schema: whole(1_000, 1, 100_000) },
  result_hours: {
    about: "results are kept this long unless options.result_ttl says otherwise",
    schema: whole(24, 1, 8_760),
  },
  retry_hours: {
    about:
      "secrets of jobs that failed or were cancelled are kept sealed for a retry this long; 0: not at all",
    schema: whole(0, 0, 8_760),
  },
  max_events: {
    about: "changes of jobs that are kept for streams which are taken up again, for a day at most",
    schema: whole(200_000, 1_000, 100_000_000),
  },
  audit_days: { about: "audit entries are kept this long", schema: whole(90, 1, 3_650) },
  logins_per_second: {
    about: "new device logins of this node a second; 0: no limit",
    schema: whole(0, 0, 10_000),
  },
  auth_failures: {
    about: "failed logins of a device and user after which further jobs fail as AuthBackoff; 0: never",
    schema: whole(3, 0, 1_000),
  },
  auth_backoff_seconds: { about: "how long", schema: whole(300, 1, 86_400) },
  backup_cron: {
    about: "when backups are taken, as an expression of cron such as 0 2 * * *; without it none are",
    schema: v.optional(v.string()),
  },
  backup_folder: { about: "where they are put", schema: v.optional(v.string()) },
  backup_keep: { about: "how many of them are kept", schema: whole(7, 1, 10_000) },
  backup_passphrase_file: {
    about: "file of the passphrase that seals them; without it the master key and SSH keys are not in them",
    schema: v.optional(v.string()),
  },
  backup_files: { about: "the transfer folder is part of them", schema: flag(true) },
  drain_seconds: { about: "time running jobs get after SIGTERM", schema: whole(30, 0, 3_600) },
  key_in_query: { about: "accept the API key as a query parameter", schema: flag(true) },
  openapi_open: {
    about: "show the API at GET /openapi.json and /docs without an API key",
    schema: flag(false),
  },
  metrics_open: { about: "tell GET /metrics without an API key", schema: flag(false) },
  otlp_url: {
    about:
      "where traces are sent (OTLP over HTTP, as JSON), such as http://localhost:4318/v1/traces; without it there are none",
    schema: v.optional(
      v.pipe(v.string(), v.regex(/^https?:\/\/\S+$/, "must be an address with http or https")),
    ),
  },
  otlp_headers: {
    about: "headers for it, as name=value, comma-separated",
    schema: secretText,
  },
  otlp_percent: {
    about: "how many of a hundred requests are traced; one with a traceparent as that says",
    schema: whole(10, 0, 100),
  },
  otlp_names: { about: "tell names of devices and texts of commands in traces, too", schema: flag(false) },
  behind_proxy: {
    about: "a proxy in front terminates TLS; X-Forwarded-For of it is trusted",
    schema: flag(false),
  },
  log_level: {
    about: "debug, info, warn, error or silent",
    schema: v.optional(v.picklist(logLevels, "must be debug, info, warn, error or silent"), "info"),
  },
  log_format: {
    about: "json, or pretty; default pretty on a terminal",
    schema: v.optional(v.picklist(["json", "pretty"], "must be json or pretty")),
  },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof settings;

/** Never flags, since a process list is public; not left in the environment once they are read. */
export const secretSettings: readonly SettingName[] = [
  "api_key",
  "master_key",
  "database_token",
  "otlp_headers",
];
