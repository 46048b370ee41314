/** `connection_args` of the driver paramiko: those of the interface, by the names of the Python library. */
import type { DriverTools, SshTarget } from "patchbay/plugin";
import * as v from "valibot";
import { accountFields, hostOf, isNamed, namesOneHost, needs, sshFields } from "../shared/account.ts";
import { flag, optional, path, port, positiveSeconds, seconds } from "../shared/fields.ts";
import { jumpHostFields, jumpHosts, throughHops } from "../shared/jump-hosts.ts";
import { readKeys } from "../shared/keys.ts";
import { findRoute } from "../shared/ssh-route.ts";

export const defaultTimeoutS = 30;
const defaultKeepaliveS = 30;

const fields = v.object({
  ...accountFields,
  ...sshFields,
  port: optional(port),
  ssh_config_file: optional(path),
  timeout: optional(positiveSeconds),
  banner_timeout: optional(positiveSeconds),
  auth_timeout: optional(positiveSeconds),
  keepalive: optional(seconds),
  look_for_keys: optional(flag),
  compress: optional(flag),
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
    "is missing: a password, a key (key_filename, pkey, look_for_keys) or allow_agent must be given",
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

/** Keys first, as the Python library does; files are read here, below the operator's key folders only. */
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
  // A server counts each key that it does not know as a failed login: beside a named one only who asks gets them.
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
    ...(via === undefined ? {} : { via }),
  };
}
