/** Decides what a key may reach, in one place: for requests, for what is shown and for what is dialled. */
import { ServiceError } from "../base/errors.ts";
import { type HostPattern, hostOf, readHostPattern } from "../base/net/host-match.ts";
import { limitWord } from "./caller.ts";
import { type LimitedCaller, type NamedHost, type Reach, type Resolve, selectorPrefix } from "./port.ts";

const read = new WeakMap<readonly string[], Reach>();

/** @param patterns empty: no limit. */
export function reachOf(patterns: readonly string[]): Reach {
  return read.get(patterns) ?? remember(patterns);
}

/** A new list object per set, which also reaches the hosts in the set. */
export function withSelected(patterns: readonly string[], selected: ReadonlySet<string>): readonly string[] {
  const hosts = [...patterns];
  remember(hosts, selected);
  return hosts;
}

function remember(patterns: readonly string[], selected?: ReadonlySet<string>): Reach {
  const limited = patterns.length > 0;
  // An invalid pattern allows nothing; a list of only invalid patterns allows nothing at all.
  const hostPatterns = patterns
    .map(readHostPattern)
    .filter((pattern): pattern is HostPattern => pattern !== undefined);
  const byAddress = hostPatterns.some((pattern) => pattern.kind === "address");
  const allows = (text: string) => {
    // Shortcut for unrestricted keys, as lists check thousands of jobs.
    if (!limited) return true;
    const host = hostOf(text);
    return selected?.has(host.text) === true || hostPatterns.some((pattern) => pattern.matches(host));
  };
  const reach: Reach = {
    limited,
    patterns,
    selected,
    allows,
    asksAddresses: (host) => byAddress && hostOf(host).address === undefined && !allows(host),
  };
  read.set(patterns, reach);
  return reach;
}

/** Whether a device may be shown to a caller, by its name or address as written. */
export function mayReach(caller: LimitedCaller, host: string): boolean {
  return reachOf(caller.hosts).allows(host);
}

/** A caller may see its own jobs, even if only the address of a name allowed them. */
export function maySeeJob(
  caller: LimitedCaller,
  job: { readonly host: string; readonly caller: string },
): boolean {
  return job.caller === caller.keyId || mayReach(caller, job.host);
}

/** A worker without a host serves all callers, so a restricted key may not see it. */
export function maySeeWorker(caller: LimitedCaller, host: string | undefined): boolean {
  return host === undefined ? !reachOf(caller.hosts).limited : mayReach(caller, host);
}

/** An audit entry: of a device within reach, or of the caller's own actions. */
export function maySeeEntry(
  caller: LimitedCaller,
  entry: { readonly host: string | null; readonly who: string },
): boolean {
  if (!reachOf(caller.hosts).limited || entry.who.endsWith(` (${caller.keyId})`)) return true;
  return entry.host !== null && mayReach(caller, entry.host);
}

/**
 * Where webhooks and template URLs of a key may go, besides the operator's policy: a restricted key reaches its own
 * hosts and those the operator allowed individually. An allowed range would open a network, in which devices live.
 */
export function urlReachOf(hosts: readonly string[], urlAllow: readonly string[]): Reach {
  if (hosts.length === 0) return reachOf(hosts);
  const patterns = [...hosts, ...urlAllow.filter((text) => readHostPattern(text)?.isExact)];
  return remember(patterns, reachOf(hosts).selected);
}

/**
 * The part of a key's reach that is passed to a thread or stored with a job: its patterns, and those hosts of this
 * request that selectors matched, which stay allowed for it.
 */
export function taskReach(hosts: readonly string[], named: readonly string[]): readonly string[] {
  const { selected } = reachOf(hosts);
  if (selected === undefined) return hosts;
  const mine = named.map((host) => hostOf(host).text).filter((host) => selected.has(host));
  const reach = [...hosts.filter((text) => !text.startsWith(selectorPrefix)), ...new Set(mine)];
  // An empty list would mean no limit; `hosts` without its attached selection allows nothing.
  return reach.length > 0 ? reach : hosts;
}

/** Whether two callers may see the same. */
export function isSameReach(a: readonly string[], b: readonly string[]): boolean {
  if (a === b) return true;
  const [one, other] = [reachOf(a).selected, reachOf(b).selected];
  return JSON.stringify(a) === JSON.stringify(b) && isSameSet(one, other);
}

export function isSameSet(a: ReadonlySet<string> | undefined, b: ReadonlySet<string> | undefined): boolean {
  if (a === b) return true;
  return a?.size === b?.size && [...(a ?? [])].every((host) => b?.has(host));
}

/** A jump host chosen by a restricted key may lie about the hosts behind it, so their keys are not stored. */
export function keepsHostKey(reach: Reach, throughHop: boolean): boolean {
  return !(reach.limited && throughHop);
}

/**
 * The decision itself: by the text or, if only addresses can allow the host, by all addresses that the name resolves
 * to.
 */
function isWithin(reach: Reach, host: string, addresses: readonly string[]): boolean {
  if (!reach.asksAddresses(host)) return reach.allows(host);
  return addresses.length > 0 && addresses.every((address) => reach.allows(address));
}

/**
 * Before a name is dialled: all its addresses must be within reach, whichever is picked.
 * @throws ServiceError Forbidden
 */
export function requireAddresses(reach: Reach, host: string, addresses: readonly string[]): void {
  if (isWithin(reach, host, addresses)) return;
  const why = reach.asksAddresses(host) ? `: ${notThere}` : ".";
  throw new ServiceError("Forbidden", `${limitWord()} may not reach the device ${host}${why}`);
}

/**
 * For a host that a jump host resolves.
 * @throws ServiceError Forbidden
 */
export function requireStatedHost(reach: Reach, host: string): void {
  if (!reach.allows(host)) throw new ServiceError("Forbidden", refusalText({ path: "", host }));
}

/** @returns the hosts that the caller may not reach. */
export async function outOfReach(
  reach: Reach,
  hosts: readonly NamedHost[],
  resolve: Resolve,
): Promise<NamedHost[]> {
  if (!reach.limited) return [];
  const refused: NamedHost[] = [];
  for (const named of hosts) {
    const { host, remote } = named;
    const isLookedUp = reach.asksAddresses(host) && !remote;
    const addresses = isLookedUp ? await resolve(host).catch(() => []) : [];
    if (!isWithin(reach, host, addresses)) refused.push(named);
  }
  return refused;
}

const notThere = "its name resolves to addresses that are not in its list.";

/** Only the device is named: the inventory may have set the other hosts, and the caller may not know them. */
export function refusalText({ path, host }: NamedHost): string {
  return path === "" || path === deviceField
    ? `${limitWord()} may not reach the device ${host}.`
    : `${limitWord()} may not reach the host in ${path}.`;
}

/** How the service writes hosts: addresses, `host:port`, `user@host`, and names behind these words. */
const hostsInText =
  /(?<![\w.:])(?:\d{1,3}(?:\.\d{1,3}){3}|\[?[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}(?:\.\d{1,3}){0,3}\]?)(?![\w])|(?<=@)[\w.-]+|(?<![\w.-])(?=[\w.-]*[A-Za-z])[\w.-]+(?=:\d{1,5}\b)|(?<=\b(?:host key of|host name|the name|jump host|device|the address of|fetched from) )[\w.-]+/gi;

/**
 * A message of the service as a caller may read it.
 * @param own hosts that the caller sees beside it
 */
export function withoutHosts(caller: LimitedCaller, text: string, own: readonly string[]): string {
  const reach = reachOf(caller.hosts);
  if (!reach.limited) return text;
  const known = new Set(own.map((host) => hostOf(host).text));
  return text.replace(hostsInText, (found) => {
    const { text: host, address } = hostOf(found.replace(/^\[|\]$|\.$/g, ""));
    // A time of day has colons, too.
    const isHost = address !== undefined || !found.includes(":");
    return !isHost || known.has(host) || reach.allows(host) ? found : "[host]";
  });
}

/** The field that names the device in every request. */
export const deviceField = "connection_args.host";
