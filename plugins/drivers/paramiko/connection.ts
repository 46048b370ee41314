/** `connection_args` of the driver paramiko, with the Python library's names. */
import type { DriverTools, SshTarget } from "patchbay/plugin";
import * as v from "valibot";
import { accountFields, hostOf, isNamed, namesOneHost, needs, sshFields } from "../shared/account.ts";
import {
  flag,
  noMeaning,
  optional,
  optionalText,
  path,
  port,
  positiveSeconds,
  seconds,
  secretLine,
} from "../shared/fields.ts";
import { jumpHostFields, jumpHosts, throughHops } from "../shared/ssh/jump-hosts.ts";
import { readKeys } from "../shared/ssh/keys.ts";
import { answersOf } from "../shared/ssh/login-answers.ts";
import { findRoute } from "../shared/ssh/route.ts";

export const defaultTimeoutS = 30;
const defaultKeepaliveS = 30;

const fields = v.object({
  ...accountFields,
  ...sshFields,
  password: optional(
    secretLine,
    "Password; also used for keyboard-interactive. May come from a `credential`",
    { examples: ["…"] },
  ),
  port: optional(port, "Port of the server", { default: 22 }),
  ssh_config_file: optionalText(path, "An ssh_config file below `PATCHBAY_KEY_ROOTS`: see below", {
    examples: ["ops/config"],
  }),
  timeout: optional(positiveSeconds, "Seconds for connecting and logging in", { default: defaultTimeoutS }),
  banner_timeout: optional(positiveSeconds, "Seconds to wait for the server's banner, within `timeout`", {
    examples: [15],
  }),
  auth_timeout: optional(positiveSeconds, "Seconds for authentication, within `timeout`", { examples: [15] }),
  keepalive: optional(seconds, "Seconds between keepalives; 0 disables them", { default: defaultKeepaliveS }),
  look_for_keys: optional(
    flag,
    "Tries the keys in `PATCHBAY_KEY_ROOTS` that have OpenSSH's file names (`id_…`, `….pem`, `….key`), with their certificates. Default: `true` if no key is given. Counts as a login method of its own only if set explicitly",
    { examples: [true] },
  ),
  compress: optional(flag, "Compresses the connection", { default: false }),
  // Arguments of other drivers, for example in a bulk.
  device_type: optional(v.string(), noMeaning),
  ...jumpHostFields,
});
type Fields = v.InferOutput<typeof fields>;

export const connection = v.pipe(
  fields,
  needs<Fields>("host", isNamed),
  needs<Fields>("hostname", namesOneHost, "differs from host"),
  needs<Fields>(
    "username",
    ({ username, credential, ssh_config_file }) => (username ?? credential ?? ssh_config_file) !== undefined,
  ),
  needs<Fields>(
    "password",
    hasLogin,
    "is missing: a password, a key (key_filename, pkey, look_for_keys) or allow_agent is required",
  ),
  v.transform((fields) => ({
    ...fields,
    host: hostOf(fields),
    port: fields.port,
    username: fields.username ?? "",
    hops: jumpHosts(fields),
  })),
);
export type Connection = v.InferOutput<typeof connection>;
export type Tools = DriverTools<Connection, unknown>;

function hasLogin({ look_for_keys, allow_agent, ...fields }: Fields): boolean {
  const { password, key_filename, pkey, credential, ssh_config_file } = fields;
  const named = (password ?? key_filename ?? pkey ?? credential ?? ssh_config_file) !== undefined;
  return named || look_for_keys === true || allow_agent === true;
}

/** Keys first, as in the Python library; files are read only below the operator's key folders. */
export async function targetOf({ files, connection: connectionArgs }: Tools): Promise<SshTarget> {
  const { password, banner_timeout, auth_timeout, ssh_config_file: configFile } = connectionArgs;
  const { host, port, username, keyFiles, hops } = await findRoute(files, { ...connectionArgs, configFile });
  const common = {
    connectTimeoutMs: (connectionArgs.timeout ?? defaultTimeoutS) * 1000,
    keepaliveMs: (connectionArgs.keepalive ?? defaultKeepaliveS) * 1000,
    compress: connectionArgs.compress ?? false,
    profile: connectionArgs.ssh_profile ?? "modern",
    hostKeyPolicy: connectionArgs.host_key_policy ?? "auto_add",
    ...(banner_timeout === undefined ? {} : { bannerTimeoutMs: banner_timeout * 1000 }),
    ...(auth_timeout === undefined ? {} : { authTimeoutMs: auth_timeout * 1000 }),
  };
  const { key_filename, pkey, passphrase, certificate, look_for_keys } = connectionArgs;
  const paths = key_filename === undefined ? (pkey === undefined ? keyFiles : []) : [key_filename];
  // A server counts each unknown key as a failed login, so with a named key others are tried only on request.
  const discover = look_for_keys ?? (paths.length === 0 && pkey === undefined);
  const keys = await readKeys(files, { paths, pem: pkey, passphrase, certificate, discover });
  const agent = connectionArgs.allow_agent ?? false;
  const via = await throughHops(files, hops, username, common, { discover: look_for_keys ?? true, agent });
  return {
    ...common,
    host,
    port,
    username,
    keys,
    keysFirst: true,
    agent,
    ...(password === undefined ? {} : { password }),
    ...answersOf(connectionArgs),
    ...(via === undefined ? {} : { via }),
  };
}
