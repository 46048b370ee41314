/**
 * Builds the terminal target from validated connection arguments; reads key files through the operator's path guard.
 */
import type { CliTarget, PlatformPlugin, SshTarget } from "patchbay/plugin";
import { throughHops } from "../shared/ssh/jump-hosts.ts";
import { readKeys } from "../shared/ssh/keys.ts";
import { answersOf } from "../shared/ssh/login-answers.ts";
import { findRoute } from "../shared/ssh/route.ts";
import type { Connection, Tools } from "./connection.ts";

/** Limit of the device's silence; netmiko's own command timeout. */
const quietMs = 10_000;

export async function targetOf(kit: Tools, connection: Connection): Promise<CliTarget> {
  const platform = platformOf(kit, connection);
  const { username, ssh } = await sshTarget(kit, connection, platform);
  return {
    platform,
    transport: connection.transport,
    ssh,
    // A platform's fixed SSH account is not the login: the shell asks for the username.
    ...(platform.loginAs?.includes("{username}") === false ? { username } : {}),
    delayFactor: connection.delayFactor,
    readTimeoutMs: connection.readTimeoutMs || quietMs,
    ...(connection.prompt === undefined ? {} : { prompt: connection.prompt }),
    ...(connection.secret === undefined ? {} : { secret: connection.secret }),
  };
}

/** The platform with the caller's overrides for this device. */
function platformOf(kit: Tools, { deviceType, newline, encoding }: Connection): PlatformPlugin {
  const platform = kit.platform(deviceType);
  if (newline === undefined && encoding === undefined) return platform;
  return { ...platform, ...(newline && { newline }), ...(encoding && { encoding }) };
}

async function sshTarget(
  kit: Tools,
  connection: Connection,
  platform: PlatformPlugin,
): Promise<{ username: string; ssh: SshTarget }> {
  const { password, agent } = connection;
  const { host, port, username, keyFiles, hops } = await findRoute(kit.files, connection.route);
  const common = {
    connectTimeoutMs: connection.timeoutMs,
    keepaliveMs: connection.keepaliveMs,
    compress: connection.compress,
    hostKeyPolicy: connection.hostKeyPolicy,
    ...(connection.bannerTimeoutMs === undefined ? {} : { bannerTimeoutMs: connection.bannerTimeoutMs }),
    ...(connection.authTimeoutMs === undefined ? {} : { authTimeoutMs: connection.authTimeoutMs }),
  };
  // Legacy algorithms for an old device do not apply to its jump hosts.
  const ofHops = { ...common, profile: connection.profile ?? ("modern" as const) };
  const { paths, pem, discover } = connection.keys;
  const via = await throughHops(kit.files, hops, username, ofHops, { discover, agent });
  const fromConfig = paths.length === 0 && pem === undefined ? keyFiles : [];
  const ssh: SshTarget = {
    ...common,
    host,
    port,
    username: (platform.loginAs ?? "{username}").replace("{username}", () => username),
    keys: await readKeys(kit.files, { ...connection.keys, paths: [...paths, ...fromConfig] }),
    agent,
    profile: connection.profile ?? (platform.legacySsh ? "legacy" : "modern"),
    ...(password === undefined ? {} : { password }),
    ...answersOf(connection),
    ...(platform.login?.some(({ reply }) => reply === "{password}") ? { asksInShell: true } : {}),
    ...(via === undefined ? {} : { via }),
  };
  return { username, ssh };
}
