/** `connection_args` of the driver netmiko: netmiko's own names, those of the interface, and the jump host of paramiko. */

import type { DriverTools } from "patchbay/plugin";
import { patternFault } from "patchbay/plugin";
import * as v from "valibot";
import {
  factor,
  flag,
  host,
  line,
  optional,
  path,
  port,
  seconds,
  secretLine,
  secretText,
} from "../shared/fields.ts";
import { jumpHostFields, jumpHosts } from "../shared/jump-hosts.ts";

const promptText = v.pipe(
  line,
  v.nonEmpty("must not be empty"),
  v.rawCheck(({ dataset, addIssue }) => {
    const fault = dataset.typed ? patternFault(dataset.value) : undefined;
    // What is no expression is taken as it stands.
    if (fault !== undefined && fault !== "is not a regular expression") addIssue({ message: fault });
  }),
);

const fields = v.object({
  device_type: v.pipe(
    v.string("must be a text"),
    v.regex(/^[A-Za-z0-9_-]{1,64}$/, "must be the name of a platform"),
    v.transform((text) => text.toLowerCase()),
  ),
  host: optional(host),
  hostname: optional(host),
  port: optional(port),
  username: optional(line),
  password: optional(secretLine),
  secret: optional(secretLine),
  timeout: optional(seconds),
  conn_timeout: optional(seconds),
  banner_timeout: optional(seconds),
  auth_timeout: optional(seconds),
  keepalive: optional(seconds),
  global_delay_factor: optional(factor),
  read_timeout_override: optional(seconds),
  global_cmd_verify: optional(flag),
  enable_mode: optional(flag),
  /** A prompt that the platform does not know: the whole line, or a regular expression that matches it. */
  prompt: optional(promptText),
  use_keys: optional(flag),
  key_file: optional(path),
  key_filename: optional(path),
  pkey: optional(secretText),
  passphrase: optional(secretLine),
  look_for_keys: optional(flag),
  allow_agent: optional(flag),
  compress: optional(flag),
  ssh_strict: optional(flag),
  host_key_policy: optional(v.picklist(["auto_add", "warning", "reject"])),
  ssh_profile: optional(v.picklist(["modern", "legacy"])),
  ...jumpHostFields,
  // Of netmiko, and without a meaning where nothing sleeps: taken, so that its callers need no change.
  fast_cli: optional(flag),
  verbose: optional(flag),
  session_timeout: optional(seconds),
  blocking_timeout: optional(seconds),
  auto_connect: optional(flag),
  // Laid over by the service before the driver sees the rest.
  credential: optional(v.record(v.string(), v.unknown())),
});

export const defaultTimeoutS = 20;
const defaultKeepaliveS = 60;

export const connection = v.pipe(
  fields,
  v.forward(
    v.check(({ host, hostname }) => (host ?? hostname) !== undefined, "is missing"),
    ["host"],
  ),
  v.forward(
    v.check(
      ({ host, hostname }) => (host ?? hostname)?.toLowerCase() === (hostname ?? host)?.toLowerCase(),
      "differs from host",
    ),
    ["hostname"],
  ),
  v.forward(
    v.check(
      ({ device_type, username, credential }) =>
        (username !== undefined && username !== "") || isTelnet(device_type) || credential !== undefined,
      "is missing",
    ),
    ["username"],
  ),
  v.forward(
    v.check(
      (fields) =>
        fields.password !== undefined ||
        fields.credential !== undefined ||
        isTelnet(fields.device_type) ||
        usesKeys(fields) ||
        fields.allow_agent === true,
      "is missing: a password, a key (key_file, pkey, use_keys) or allow_agent must be given",
    ),
    ["password"],
  ),
  v.transform(settle),
);

type Fields = v.InferOutput<typeof fields>;
export type Connection = ReturnType<typeof settle>;
export type Tools = DriverTools<Connection, unknown>;

function usesKeys(
  keyFields: Pick<Fields, "use_keys" | "look_for_keys" | "key_file" | "key_filename" | "pkey">,
): boolean {
  const { use_keys, look_for_keys, key_file, key_filename, pkey } = keyFields;
  return use_keys === true || look_for_keys === true || (key_file ?? key_filename ?? pkey) !== undefined;
}

function isTelnet(deviceType: string): boolean {
  return deviceType.endsWith("_telnet");
}

/** Defaults filled in, names that mean the same brought together. */
function settle(fields: Fields) {
  const transport = isTelnet(fields.device_type) ? ("telnet" as const) : ("ssh" as const);
  return {
    deviceType: fields.device_type,
    transport,
    host: fields.host ?? fields.hostname ?? "",
    port: fields.port ?? (transport === "telnet" ? 23 : 22),
    username: fields.username ?? "",
    password: fields.password,
    secret: fields.secret,
    timeoutMs: (fields.timeout ?? fields.conn_timeout ?? defaultTimeoutS) * 1000 || defaultTimeoutS * 1000,
    bannerTimeoutMs: fields.banner_timeout === undefined ? undefined : fields.banner_timeout * 1000,
    authTimeoutMs: fields.auth_timeout === undefined ? undefined : fields.auth_timeout * 1000,
    keepaliveMs: (fields.keepalive ?? defaultKeepaliveS) * 1000,
    delayFactor: Math.max(1, fields.global_delay_factor ?? 1),
    readTimeoutMs:
      fields.read_timeout_override === undefined ? undefined : fields.read_timeout_override * 1000,
    verifyEcho: fields.global_cmd_verify,
    enable: fields.enable_mode ?? true,
    prompt: fields.prompt,
    keys: {
      path: fields.key_file ?? fields.key_filename,
      pem: fields.pkey,
      passphrase: fields.passphrase,
      discover: fields.use_keys === true || fields.look_for_keys === true,
    },
    agent: fields.allow_agent ?? false,
    compress: fields.compress ?? false,
    profile: fields.ssh_profile,
    hostKeyPolicy:
      fields.host_key_policy ?? (fields.ssh_strict === true ? ("reject" as const) : ("auto_add" as const)),
    hops: jumpHosts(fields),
  };
}
