/** `connection_args` of the driver netmiko: netmiko's names, the service's own, and paramiko's jump host. */

import type { DriverTools } from "patchbay/plugin";
import { patternFault } from "patchbay/plugin";
import * as v from "valibot";
import { accountFields, hostOf, isNamed, namesOneHost, needs, sshFields } from "../shared/account.ts";
import {
  factor,
  flag,
  line,
  noMeaning,
  optional,
  optionalText,
  path,
  port,
  seconds,
  secretLine,
} from "../shared/fields.ts";
import { jumpHostFields, jumpHosts } from "../shared/ssh/jump-hosts.ts";
import type { KeySource } from "../shared/ssh/keys.ts";

export const defaultTimeoutS = 20;
const defaultKeepaliveS = 60;

const promptText = v.pipe(
  line,
  v.nonEmpty("must not be empty"),
  v.rawCheck(({ dataset, addIssue }) => {
    const fault = dataset.typed ? patternFault(dataset.value) : undefined;
    // A text that is not a regular expression is matched literally.
    if (fault !== undefined && fault !== "is not a regular expression") addIssue({ message: fault });
  }),
);

/** Python codec names with the runtime's equivalent: `latin-1`, `euc_jp`, `cp1252`. */
function encodingLabel(name: string): string | undefined {
  const text = name.trim().toLowerCase();
  const labels = [
    text,
    text.replaceAll("_", "-"),
    text.replaceAll(/[-_]/g, ""),
    text.replace(/^cp/, "windows-"),
  ];
  return labels.find((label) => {
    try {
      return Reflect.construct(TextDecoder, [label]) !== undefined;
    } catch {
      return false;
    }
  });
}

const encoding = v.pipe(
  v.string("must be a string"),
  v.maxLength(64, "is too long"),
  v.check((text) => encodingLabel(text) !== undefined, "is not a known character set"),
  v.transform(encodingLabel),
);

const lineEnds = ["\n", "\r", "\r\n"] as const;
const lineEnd = v.pipe(
  v.string("must be a string"),
  v.check((text) => lineEnds.some((lineEnd) => lineEnd === text), 'must be "\\n", "\\r" or "\\r\\n"'),
  v.transform((text) => lineEnds.find((lineEnd) => lineEnd === text)),
);

const fields = v.object({
  device_type: v.pipe(
    v.string("must be a string"),
    v.regex(/^[A-Za-z0-9_-]{1,64}$/, "must be a platform name"),
    v.metadata({
      description:
        "A [platform](../platforms.md). `autodetect` detects it; a name ending in `_telnet` selects Telnet",
      examples: ["cisco_ios"],
    }),
    v.transform((text) => text.toLowerCase()),
  ),
  ...accountFields,
  ...sshFields,
  port: optional(port, "Default: 22, or 23 for Telnet", { examples: [22] }),
  // May be empty, for devices that ask only for a password.
  username: optional(line, "May come from a `credential`; optional with Telnet", { examples: ["admin"] }),
  secret: optional(secretLine, "The enable password", { examples: ["…"] }),
  timeout: optional(seconds, "Seconds for connecting and logging in", { default: defaultTimeoutS }),
  conn_timeout: optional(seconds, "Alias of `timeout`", { examples: [20] }),
  banner_timeout: optional(seconds, "Seconds to wait for the server's banner, within `timeout`", {
    examples: [15],
  }),
  auth_timeout: optional(seconds, "Seconds for authentication, within `timeout`", { examples: [15] }),
  keepalive: optional(seconds, "Seconds between keepalives; 0 disables them", { default: defaultKeepaliveS }),
  global_delay_factor: optional(
    factor,
    "Above 1, multiplies the timeouts after which a silent device counts as stuck. It adds no delays",
    { default: 1 },
  ),
  read_timeout_override: optional(
    seconds,
    "Overrides `driver_args.read_timeout` and is also how long the device may stay silent",
    { examples: [90] },
  ),
  global_cmd_verify: optional(flag, "Overrides `driver_args.cmd_verify`", { examples: [false] }),
  enable_mode: optional(flag, "Enters the privileged level before configuring", { default: true }),
  prompt: optional(
    promptText,
    "A prompt that the platform does not define: the whole line, or a regular expression that matches it",
    { examples: ["lab-r1>"] },
  ),
  default_enter: optional(lineEnd, "Line ending that is sent. Default: the platform's", {
    examples: ["\r\n"],
  }),
  encoding: optional(
    encoding,
    "Character set of the device, read and typed. Default: the platform's, else UTF-8",
    {
      examples: ["shift_jis"],
    },
  ),
  use_keys: optional(flag, "Tries the keys in `PATCHBAY_KEY_ROOTS` that have OpenSSH's file names", {
    default: false,
  }),
  key_file: optionalText(path, "Alias of `key_filename`", { examples: ["ops/id_ed25519"] }),
  ssh_config_file: optionalText(
    path,
    "An [ssh_config](paramiko.md#ssh_config) file below `PATCHBAY_KEY_ROOTS`",
    {
      examples: ["ops/config"],
    },
  ),
  look_for_keys: optional(flag, "Alias of `use_keys`", { default: false }),
  compress: optional(flag, "Compresses the connection", { default: false }),
  ssh_strict: optional(flag, "`true` sets `host_key_policy` to `reject`", { default: false }),
  ...jumpHostFields,
  // netmiko arguments without effect here, since nothing sleeps; accepted for compatibility.
  fast_cli: optional(flag, noMeaning),
  verbose: optional(flag, noMeaning),
  session_timeout: optional(seconds, noMeaning),
  blocking_timeout: optional(seconds, noMeaning),
  auto_connect: optional(flag, noMeaning),
});

type Fields = v.InferOutput<typeof fields>;

export const connection = v.pipe(
  fields,
  needs<Fields>("host", isNamed),
  needs<Fields>("hostname", namesOneHost, "differs from host"),
  needs<Fields>(
    "username",
    ({ device_type, username, credential, ssh_config_file }) =>
      (username !== undefined && username !== "") ||
      isTelnet(device_type) ||
      (credential ?? ssh_config_file) !== undefined,
  ),
  needs<Fields>(
    "password",
    (fields) =>
      (fields.password ?? fields.credential ?? fields.ssh_config_file) !== undefined ||
      isTelnet(fields.device_type) ||
      usesKeys(fields) ||
      fields.allow_agent === true,
    "is missing: a password, a key (key_file, pkey, use_keys) or allow_agent is required",
  ),
  v.transform(settle),
);

export type Connection = ReturnType<typeof settle>;
export type Tools = DriverTools<Connection, unknown>;

function usesKeys(
  keyFields: Pick<Fields, "use_keys" | "look_for_keys" | "key_file" | "key_filename" | "pkey">,
): boolean {
  const { use_keys, look_for_keys, key_file, key_filename, pkey } = keyFields;
  return use_keys === true || look_for_keys === true || (key_file ?? key_filename ?? pkey) !== undefined;
}

/** If a key is named, no other key is tried. */
function keysOf(fields: Fields): KeySource {
  const path = fields.key_file ?? fields.key_filename;
  const wantsFound = fields.use_keys === true || fields.look_for_keys === true;
  return {
    paths: path === undefined ? [] : [path],
    pem: fields.pkey,
    passphrase: fields.passphrase,
    certificate: fields.certificate,
    discover: wantsFound && path === undefined && fields.pkey === undefined,
  };
}

function isTelnet(deviceType: string): boolean {
  return deviceType.endsWith("_telnet");
}

/** Applies defaults and merges synonyms. */
function settle(fields: Fields) {
  const transport = isTelnet(fields.device_type) ? ("telnet" as const) : ("ssh" as const);
  return {
    deviceType: fields.device_type,
    transport,
    host: hostOf(fields),
    port: fields.port ?? (transport === "telnet" ? 23 : 22),
    route: {
      configFile: transport === "telnet" ? undefined : fields.ssh_config_file,
      host: hostOf(fields),
      port: fields.port ?? (transport === "telnet" ? 23 : undefined),
      username: fields.username ?? "",
      hops: jumpHosts(fields),
    },
    username: fields.username ?? "",
    password: fields.password,
    otp: fields.otp,
    answers: fields.answers,
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
    newline: fields.default_enter,
    encoding: fields.encoding,
    keys: keysOf(fields),
    agent: fields.allow_agent ?? false,
    compress: fields.compress ?? false,
    profile: fields.ssh_profile,
    hostKeyPolicy:
      fields.host_key_policy ?? (fields.ssh_strict === true ? ("reject" as const) : ("auto_add" as const)),
  };
}
