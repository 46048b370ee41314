/** `connection_args` of the driver netconf. */
import type { DriverTools, SshTarget } from "patchbay/plugin";
import * as v from "valibot";
import { accountFields, hostOf, isNamed, namesOneHost, needs, sshFields } from "../shared/account.ts";
import { name, noMeaning, optional, port, positiveSeconds, seconds } from "../shared/fields.ts";
import { jumpHostFields, jumpHosts, throughHops } from "../shared/ssh/jump-hosts.ts";
import { readKeys } from "../shared/ssh/keys.ts";
import { answersOf } from "../shared/ssh/login-answers.ts";

/** RFC 6242, section 8. */
const defaultPort = 830;
export const defaultTimeoutS = 60;
const defaultKeepaliveS = 30;

const fields = v.object({
  ...accountFields,
  ...sshFields,
  port: optional(port, "Port of the server", { default: defaultPort }),
  subsystem: optional(name, "SSH subsystem that speaks NETCONF", { default: "netconf" }),
  timeout: optional(positiveSeconds, "Seconds for connecting, and for each reply", {
    default: defaultTimeoutS,
  }),
  keepalive: optional(seconds, "Seconds between keepalives; 0 disables them", { default: defaultKeepaliveS }),
  device_type: optional(v.string(), noMeaning),
  ...jumpHostFields,
});
type Fields = v.InferOutput<typeof fields>;

export const connection = v.pipe(
  fields,
  needs<Fields>("host", isNamed),
  needs<Fields>("hostname", namesOneHost, "differs from host"),
  needs<Fields>("username", ({ username, credential }) => (username ?? credential) !== undefined),
  v.transform((fields) => ({
    ...fields,
    host: hostOf(fields),
    username: fields.username ?? "",
    port: fields.port ?? defaultPort,
    timeoutMs: (fields.timeout ?? defaultTimeoutS) * 1000,
    hops: jumpHosts(fields),
  })),
);
export type Connection = v.InferOutput<typeof connection>;
export type Tools = DriverTools<Connection, unknown>;

export async function sshTargetOf({ files, connection }: Tools): Promise<SshTarget> {
  const { host, port, username, password, key_filename, pkey, passphrase, certificate } = connection;
  const common = {
    connectTimeoutMs: connection.timeoutMs,
    keepaliveMs: (connection.keepalive ?? defaultKeepaliveS) * 1000,
    hostKeyPolicy: connection.host_key_policy ?? "auto_add",
    profile: connection.ssh_profile ?? "modern",
  } as const;
  const agent = connection.allow_agent ?? false;
  const keys = await readKeys(files, {
    paths: key_filename === undefined ? [] : [key_filename],
    pem: pkey,
    passphrase,
    certificate,
    discover: false,
  });
  const via = await throughHops(files, connection.hops, username, common, { discover: false, agent });
  return {
    ...common,
    host,
    port,
    username,
    keys,
    agent,
    ...(password === undefined ? {} : { password }),
    ...answersOf(connection),
    ...(via === undefined ? {} : { via }),
  };
}
