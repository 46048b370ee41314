/** `connection_args` of the driver paramiko: those of the interface, by the names of the Python library. */
import type { DriverTools, SshTarget } from "patchbay/plugin";
import * as v from "valibot";
import {
  flag,
  host,
  name,
  optional,
  path,
  port,
  positiveSeconds,
  seconds,
  secretLine,
  secretText,
} from "../shared/fields.ts";
import { jumpHostFields, jumpHosts, throughHops } from "../shared/jump-hosts.ts";
import { readKeys } from "../shared/keys.ts";

export const defaultTimeoutS = 30;
const defaultKeepaliveS = 30;

const fields = v.object({
  host: optional(host),
  hostname: optional(host),
  port: optional(port),
  username: optional(name),
  password: optional(secretLine),
  key_filename: optional(path),
  pkey: optional(secretText),
  passphrase: optional(secretLine),
  timeout: optional(positiveSeconds),
  banner_timeout: optional(positiveSeconds),
  auth_timeout: optional(positiveSeconds),
  keepalive: optional(seconds),
  host_key_policy: optional(v.picklist(["auto_add", "warning", "reject"])),
  look_for_keys: optional(flag),
  allow_agent: optional(flag),
  compress: optional(flag),
  ssh_profile: optional(v.picklist(["modern", "legacy"])),
  ...jumpHostFields,
  // Laid over by the service before the driver sees the rest.
  credential: optional(v.record(v.string(), v.unknown())),
});
type Fields = v.InferOutput<typeof fields>;

export const connection = v.pipe(
  fields,
  v.forward(
    v.check(({ host, hostname }) => (host ?? hostname) !== undefined, "is missing"),
    ["host"],
  ),
  v.forward(
    v.check(({ username, credential }) => username !== undefined || credential !== undefined, "is missing"),
    ["username"],
  ),
  v.forward(
    v.check(
      hasLogin,
      "is missing: a password, a key (key_filename, pkey, look_for_keys) or allow_agent must be given",
    ),
    ["password"],
  ),
  v.transform((fields) => ({
    ...fields,
    host: fields.host ?? fields.hostname ?? "",
    port: fields.port ?? 22,
    username: fields.username ?? "",
    hops: jumpHosts(fields),
  })),
);
export type Connection = v.InferOutput<typeof connection>;
export type Tools = DriverTools<Connection, unknown>;

function hasLogin({ password, key_filename, pkey, look_for_keys, allow_agent, credential }: Fields): boolean {
  const named = [password, key_filename, pkey, credential].some((value) => value !== undefined);
  return named || look_for_keys === true || allow_agent === true;
}

/** Keys first, as the Python library does; files are read here, below the operator's key folders only. */
export async function targetOf({ files, connection: connectionArgs }: Tools): Promise<SshTarget> {
  const { host, port, username, password, banner_timeout, auth_timeout } = connectionArgs;
  const common = {
    connectTimeoutMs: (connectionArgs.timeout ?? defaultTimeoutS) * 1000,
    keepaliveMs: (connectionArgs.keepalive ?? defaultKeepaliveS) * 1000,
    compress: connectionArgs.compress ?? false,
    profile: connectionArgs.ssh_profile ?? "modern",
    hostKeyPolicy: connectionArgs.host_key_policy ?? "auto_add",
    ...(banner_timeout === undefined ? {} : { bannerTimeoutMs: banner_timeout * 1000 }),
    ...(auth_timeout === undefined ? {} : { authTimeoutMs: auth_timeout * 1000 }),
  };
  const keys = await readKeys(files, {
    path: connectionArgs.key_filename,
    pem: connectionArgs.pkey,
    passphrase: connectionArgs.passphrase,
    discover: connectionArgs.look_for_keys ?? true,
  });
  const via = await throughHops(files, connectionArgs.hops, username, common);
  return {
    ...common,
    host,
    port,
    username,
    keys,
    keysFirst: true,
    agent: connectionArgs.allow_agent ?? false,
    ...(password === undefined ? {} : { password }),
    ...(via === undefined ? {} : { via }),
  };
}
