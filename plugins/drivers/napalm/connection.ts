/** `connection_args` of the driver napalm. */
import type { CliTarget, DriverTools, SshTarget } from "patchbay/plugin";
import * as v from "valibot";
import { accountFields, hostOf, isNamed, namesOneHost, needs, sshFields } from "../shared/account.ts";
import { optional, port, positiveSeconds, secretLine } from "../shared/fields.ts";
import { jumpHostFields, jumpHosts, throughHops } from "../shared/ssh/jump-hosts.ts";
import { readKeys } from "../shared/ssh/keys.ts";
import { answersOf } from "../shared/ssh/login-answers.ts";
import { findRoute } from "../shared/ssh/route.ts";
import { type OptionalArgs, optionalArgs } from "./optional-args.ts";
import { isHttp, portOf, type SystemName, systemNamed, unknownSystem } from "./system-names.ts";

export const defaultTimeoutS = 60;
const defaultKeepaliveS = 30;

const fields = v.object({
  device_type: v.pipe(
    v.string("must be a string"),
    v.regex(/^[A-Za-z0-9_-]{1,64}$/, "must be a system name"),
    v.metadata({ description: "Name or alias of a system", examples: ["eos"] }),
    v.rawTransform(({ dataset, addIssue, NEVER }) => {
      const system = systemNamed(dataset.value);
      if (system !== undefined) return system;
      addIssue({ message: unknownSystem(dataset.value) });
      return NEVER;
    }),
  ),
  ...accountFields,
  ...sshFields,
  port: optional(port, "Default: that of the system. `optional_args` take precedence", { examples: [443] }),
  secret: optional(secretLine, "Password of privileged mode. `optional_args` take precedence", {
    examples: ["…"],
  }),
  timeout: optional(positiveSeconds, "Seconds for connecting, and for each request", {
    default: defaultTimeoutS,
  }),
  optional_args: optional(optionalArgs, "NAPALM's `optional_args`; those in `driver_args` take precedence", {
    examples: [{ enable_password: "…" }],
  }),
  ...jumpHostFields,
});
type Fields = v.InferOutput<typeof fields>;

export const connection = v.pipe(
  fields,
  needs<Fields>("hostname", isNamed),
  needs<Fields>("hostname", namesOneHost, "differs from host"),
  needs<Fields>(
    "username",
    ({ username, credential, optional_args }) =>
      (username ?? credential ?? optional_args?.ssh_config_file) !== undefined,
  ),
  needs<Fields>(
    "proxy_host",
    ({ proxy_host, device_type, optional_args }) =>
      proxy_host === undefined || !isHttp(device_type, optional_args ?? {}),
    "requires SSH: this system is reached over HTTP, which does not support jump hosts",
  ),
  v.transform(({ optional_args, ...fields }) => ({
    ...fields,
    host: hostOf(fields),
    username: fields.username ?? "",
    port: optional_args?.port ?? fields.port ?? portOf(fields.device_type, optional_args ?? {}),
    /** Fields that an ssh_config must not override. */
    fixedPort: optional_args?.port ?? fields.port ?? unusualPort(fields.device_type, optional_args ?? {}),
    secret: optional_args?.secret ?? optional_args?.enable_password ?? fields.secret,
    timeoutMs: (fields.timeout ?? defaultTimeoutS) * 1000,
    optional: optional_args ?? {},
    hops: jumpHosts(fields),
  })),
);
export type Connection = v.InferOutput<typeof connection>;
export type Tools = DriverTools<Connection, unknown>;

function unusualPort(system: SystemName, optional: OptionalArgs): number | undefined {
  const port = portOf(system, optional);
  return port === 22 ? undefined : port;
}

/** The SSH target of the device, for terminals and subsystems. */
export async function sshTargetOf(
  { files, connection }: Tools,
  profile: SshTarget["profile"],
): Promise<SshTarget> {
  const { password, optional } = connection;
  const route = await findRoute(files, {
    ...connection,
    port: connection.fixedPort,
    configFile: optional.ssh_config_file,
  });
  const common = {
    connectTimeoutMs: connection.timeoutMs,
    keepaliveMs: (optional.keepalive ?? defaultKeepaliveS) * 1000,
    hostKeyPolicy: connection.host_key_policy ?? (optional.ssh_strict === true ? "reject" : "auto_add"),
  } as const;
  const discover = optional.use_keys ?? false;
  const agent = optional.allow_agent ?? connection.allow_agent ?? false;
  const keyFile = optional.key_file ?? connection.key_filename;
  const keys = await readKeys(files, {
    paths: keyFile === undefined ? (connection.pkey === undefined ? route.keyFiles : []) : [keyFile],
    certificate: connection.certificate,
    pem: connection.pkey,
    passphrase: optional.passphrase ?? connection.passphrase,
    discover,
  });
  // Legacy algorithms for an old device do not apply to its jump hosts.
  const ofHops = { ...common, profile: connection.ssh_profile ?? ("modern" as const) };
  const via = await throughHops(files, route.hops, route.username, ofHops, { discover, agent });
  return {
    ...common,
    host: route.host,
    port: route.port,
    username: route.username,
    keys,
    agent,
    profile: connection.ssh_profile ?? profile,
    ...(password === undefined ? {} : { password }),
    ...answersOf(connection),
    ...(via === undefined ? {} : { via }),
  };
}

/** Limit of the device's silence; netmiko's own command timeout. */
const quietMs = 10_000;

/** A terminal session on one of the service's platforms. */
export async function cliTargetOf(tools: Tools, platformName: string): Promise<CliTarget> {
  const { connection } = tools;
  const { optional, secret } = connection;
  const platform = tools.platform(platformName);
  const transport = optional.transport === "telnet" ? "telnet" : "ssh";
  return {
    platform,
    transport,
    ssh: await sshTargetOf(tools, platform.legacySsh ? "legacy" : "modern"),
    delayFactor: Math.max(1, optional.global_delay_factor ?? 1),
    readTimeoutMs:
      optional.read_timeout_override === undefined ? quietMs : optional.read_timeout_override * 1000,
    ...(secret === undefined ? {} : { secret }),
  };
}
