/** From checked connection arguments to what the terminal is opened on; keys are read here, behind the operator's guard. */
import { readFile } from "node:fs/promises";
import type { CliTarget, PlatformPlugin, SshTarget } from "patchbay/plugin";
import { Secret } from "patchbay/plugin";
import type { Connection, Tools } from "./connection.ts";

/** How long a device may send nothing; netmiko's own limit of a command. */
const quietMs = 10_000;

export async function targetOf(kit: Tools, connection: Connection): Promise<CliTarget> {
  const platform = kit.platform(connection.deviceType);
  return {
    platform,
    transport: connection.transport,
    ssh: await sshTarget(kit, connection, platform),
    delayFactor: connection.delayFactor,
    readTimeoutMs: connection.readTimeoutMs || quietMs,
    ...(connection.prompt === undefined ? {} : { prompt: connection.prompt }),
    ...(connection.secret === undefined ? {} : { secret: connection.secret }),
  };
}

async function sshTarget(kit: Tools, connection: Connection, platform: PlatformPlugin): Promise<SshTarget> {
  const { proxy, password } = connection;
  const common = {
    connectTimeoutMs: connection.timeoutMs,
    keepaliveMs: connection.keepaliveMs,
    compress: connection.compress,
    hostKeyPolicy: connection.hostKeyPolicy,
    ...(connection.bannerTimeoutMs === undefined ? {} : { bannerTimeoutMs: connection.bannerTimeoutMs }),
    ...(connection.authTimeoutMs === undefined ? {} : { authTimeoutMs: connection.authTimeoutMs }),
  };
  return {
    ...common,
    host: connection.host,
    port: connection.port,
    username: (platform.loginAs ?? "{username}").replace("{username}", () => connection.username),
    keys: await readKeys(kit, connection.keys),
    agent: connection.agent,
    profile: connection.profile ?? (platform.legacySsh ? "legacy" : "modern"),
    ...(password === undefined ? {} : { password }),
    ...(proxy === undefined
      ? {}
      : {
          via: {
            ...common,
            host: proxy.host,
            port: proxy.port,
            username: proxy.username,
            keys: await readKeys(kit, proxy.keys),
            // An old device does not make its jump host old.
            profile: connection.profile ?? ("modern" as const),
            ...(proxy.password === undefined ? {} : { password: proxy.password }),
          },
        }),
  };
}

async function readKeys(kit: Tools, given: Connection["keys"]): Promise<NonNullable<SshTarget["keys"]>> {
  const phrase = given.passphrase === undefined ? {} : { passphrase: given.passphrase };
  const keys: NonNullable<SshTarget["keys"]>[number][] = [];
  if (given.pem !== undefined) keys.push({ pem: given.pem, label: "pkey", ...phrase });
  const paths =
    given.path !== undefined
      ? [await kit.files.keyFile(given.path)]
      : given.discover && given.pem === undefined
        ? await kit.files.discoverKeys()
        : [];
  for (const path of paths) {
    const pem = new Secret(await readFile(path, "utf8"));
    keys.push({ pem, label: path.slice(path.lastIndexOf("/") + 1), ...phrase });
  }
  return keys;
}
