/**
 * The route to a host according to an ssh_config. Access rules are checked when a host is dialled, as for any
 * connection.
 */
import { type FilesKit, PluginError } from "patchbay/plugin";
import * as v from "valibot";
import { host as hostField, name as nameField, port as portField } from "../fields.ts";
import { lookUp, type SshConfig } from "./config.ts";
import { exists, readSshConfig } from "./config-files.ts";
import { type JumpHost, maxHops } from "./jump-hosts.ts";

export interface RouteRequest {
  /** A file below the key folders; if absent, the request is used unchanged. */
  readonly configFile: string | undefined;
  readonly host: string;
  readonly port: number | undefined;
  /** Empty: taken from the file. */
  readonly username: string;
  /** Hops from the request; they override `ProxyJump`. */
  readonly hops: readonly JumpHost[];
}

export interface Route {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  /** Existing `IdentityFile` entries. */
  readonly keyFiles: readonly string[];
  readonly hops: readonly JumpHost[];
}

interface Stop {
  readonly host: string;
  readonly port: number | undefined;
  readonly username: string | undefined;
  readonly identityFiles: readonly string[];
}

const defaultPort = 22;

/** @throws PluginError Forbidden, DriverError with the fault in the file */
export async function findRoute(files: FilesKit, request: RouteRequest): Promise<Route> {
  const { configFile, host, port, username, hops } = request;
  if (configFile === undefined) return { host, port: port ?? defaultPort, username, keyFiles: [], hops };
  const { config, pathOf } = await readSshConfig(files, configFile);
  const targetSettings = lookUp(config, host, { port, username: username || undefined });
  const target = stopOf(host, targetSettings);
  const stops = hops.length > 0 ? [] : jumpsTo(config, targetSettings.proxyJump, host);
  const present = async ({ identityFiles }: Stop) => {
    const paths = identityFiles.map(pathOf);
    const isPresent = await Promise.all(paths.map(exists));
    return paths.filter((_, at) => isPresent[at]);
  };
  if (target.username === undefined) {
    const message = `connection_args.username is missing, and ${configFile} has no User for ${host}`;
    throw new PluginError("DriverError", message, { outcome: "none" });
  }
  const jumpHosts: JumpHost[] = [];
  for (const stop of stops) {
    const { host, port, username } = stop;
    jumpHosts.push({ host, port, username, key_filenames: await present(stop) });
  }
  return {
    host: target.host,
    port: target.port ?? defaultPort,
    username: target.username,
    keyFiles: await present(target),
    hops: hops.length > 0 ? hops : jumpHosts,
  };
}

/**
 * Nearest first. The first entry of a list is looked up with its own `ProxyJump`; the others are reached through it.
 */
function jumpsTo(config: SshConfig, list: string | undefined, to: string, depth = 0): Stop[] {
  if (list === undefined) return [];
  if (depth > maxHops) throw wrong(`ProxyJump of ${to} has more than ${maxHops} hosts or a loop`);
  const stops: Stop[] = [];
  for (const [at, text] of list.split(",").entries()) {
    const { host, ...jump } = readJump(text.trim(), to);
    const facts = lookUp(config, host, jump);
    if (at === 0) stops.push(...jumpsTo(config, facts.proxyJump, host, depth + 1));
    stops.push(stopOf(host, facts));
  }
  if (stops.length > maxHops) throw wrong(`ProxyJump of ${to} has more than ${maxHops} hosts`);
  return stops;
}

/** `user@host:port`, `ssh://…` or a name. */
function readJump(text: string, to: string) {
  const [, username, bracketed, plain, port] =
    /^(?:ssh:\/\/)?(?:([^@]+)@)?(?:\[([^\]]+)\]|([^:[\]/]+))(?::(\d+))?\/?$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined) throw wrong(`ProxyJump of ${to} is not a list of hosts: "${text.slice(0, 80)}"`);
  return { host, username, port: port === undefined ? undefined : Number(port) };
}

/** The same validation as for jump hosts in a request. */
const stopFields = v.object({
  host: hostField,
  port: v.optional(portField),
  username: v.optional(nameField),
});

function stopOf(named: string, { hostName, port, user, identityFiles }: ReturnType<typeof lookUp>): Stop {
  const checked = v.safeParse(stopFields, {
    host: hostName,
    ...(port === undefined ? {} : { port }),
    ...(user === undefined ? {} : { username: user }),
  });
  if (checked.success) {
    const { host, port, username } = checked.output;
    return { host, port, username, identityFiles };
  }
  const [issue] = checked.issues;
  throw wrong(`${v.getDotPath(issue) ?? "a value"} of ${named} ${issue.message}`);
}

function wrong(text: string): PluginError {
  return new PluginError("DriverError", `ssh_config: ${text}`, { outcome: "none" });
}
