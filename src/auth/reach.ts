/** What a key may reach: the one place that decides it, for what is asked, what is shown and what is dialled. */
import { ServiceError } from "../base/errors.ts";
import { type HostPattern, hostOf, readHostPattern } from "../base/host-match.ts";
import { type LimitedCaller, type NamedHost, type Reach, type Resolve, selectorPrefix } from "./port.ts";

const read = new WeakMap<readonly string[], Reach>();

/** @param patterns empty: no limit. */
export function reachOf(patterns: readonly string[]): Reach {
  return read.get(patterns) ?? remember(patterns);
}

/** A list of its own for each set: who has it reaches the hosts of the set, too. */
export function withSelected(patterns: readonly string[], selected: ReadonlySet<string>): readonly string[] {
  const hosts = [...patterns];
  remember(hosts, selected);
  return hosts;
}

function remember(patterns: readonly string[], selected?: ReadonlySet<string>): Reach {
  const limited = patterns.length > 0;
  // A text that is no pattern allows nothing; a list of nothing but those allows nothing at all.
  const all = patterns
    .map(readHostPattern)
    .filter((pattern): pattern is HostPattern => pattern !== undefined);
  const byAddress = all.some((pattern) => pattern.kind === "address");
  const allows = (text: string) => {
    // Lists of thousands ask for each job: most keys have no limit.
    if (!limited) return true;
    const host = hostOf(text);
    return selected?.has(host.text) === true || all.some((pattern) => pattern.matches(host));
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

/** Whether a device may be shown to a caller: by its name or address as it stands. */
export function mayReach(caller: LimitedCaller, host: string): boolean {
  return reachOf(caller.hosts).allows(host);
}

/** What a caller submitted is shown to it, even where nothing but the address of a name allowed it. */
export function maySeeJob(
  caller: LimitedCaller,
  job: { readonly host: string; readonly caller: string },
): boolean {
  return job.caller === caller.keyId || mayReach(caller, job.host);
}

/** A worker of no host serves everybody: what it runs is not told to a key that is limited. */
export function maySeeWorker(caller: LimitedCaller, host: string | undefined): boolean {
  return host === undefined ? !reachOf(caller.hosts).limited : mayReach(caller, host);
}

/** An entry of the audit trail: of a device within reach, or of what the caller did itself. */
export function maySeeEntry(
  caller: LimitedCaller,
  entry: { readonly host: string | null; readonly who: string },
): boolean {
  if (!reachOf(caller.hosts).limited || entry.who.endsWith(` (${caller.keyId})`)) return true;
  return entry.host !== null && mayReach(caller, entry.host);
}

/**
 * Where webhooks and templates of a key may go, besides the policy of the operator: a key that is limited reaches its
 * own hosts and what the operator allowed one by one. A range opens a network, and devices live in networks.
 */
export function urlReachOf(hosts: readonly string[], urlAllow: readonly string[]): Reach {
  if (hosts.length === 0) return reachOf(hosts);
  const patterns = [...hosts, ...urlAllow.filter((text) => readHostPattern(text)?.isExact)];
  return remember(patterns, reachOf(hosts).selected);
}

/**
 * What crosses to a thread, or waits with a job, of what a key reaches: its patterns, and of what selectors chose the
 * hosts that this request names, which stay allowed for it.
 */
export function taskReach(hosts: readonly string[], named: readonly string[]): readonly string[] {
  const { selected } = reachOf(hosts);
  if (selected === undefined) return hosts;
  const mine = named.map((host) => hostOf(host).text).filter((host) => selected.has(host));
  const reach = [...hosts.filter((text) => !text.startsWith(selectorPrefix)), ...new Set(mine)];
  // An empty list would be no limit; what stands here instead allows nothing.
  return reach.length > 0 ? reach : hosts;
}

/** Whether two callers are told the same. */
export function isSameReach(a: readonly string[], b: readonly string[]): boolean {
  if (a === b) return true;
  const [one, other] = [reachOf(a).selected, reachOf(b).selected];
  return JSON.stringify(a) === JSON.stringify(b) && isSameSet(one, other);
}

export function isSameSet(a: ReadonlySet<string> | undefined, b: ReadonlySet<string> | undefined): boolean {
  if (a === b) return true;
  return a?.size === b?.size && [...(a ?? [])].every((host) => b?.has(host));
}

/** A jump host that a limited key chose may lie about what is behind it: its word is not kept. */
export function keepsHostKey(reach: Reach, throughHop: boolean): boolean {
  return !(reach.limited && throughHop);
}

/** The one decision: by what stands there or, where only addresses can allow it, by all that the name resolves to. */
function isWithin(reach: Reach, host: string, addresses: readonly string[]): boolean {
  if (!reach.asksAddresses(host)) return reach.allows(host);
  return addresses.length > 0 && addresses.every((address) => reach.allows(address));
}

/**
 * Before a name is dialled: each of its addresses must be within reach, whoever picks one.
 * @throws ServiceError Forbidden
 */
export function requireAddresses(reach: Reach, host: string, addresses: readonly string[]): void {
  if (isWithin(reach, host, addresses)) return;
  const why = reach.asksAddresses(host) ? `: ${notThere}` : ".";
  throw new ServiceError("Forbidden", `This API key may not reach the device ${host}${why}`);
}

/** For a host whose name somebody else looks up. @throws ServiceError Forbidden */
export function requireStatedHost(reach: Reach, host: string): void {
  if (!reach.allows(host)) throw new ServiceError("Forbidden", refusalText({ path: "", host }));
}

/** @returns those of the hosts that the caller may not reach. */
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

const notThere = "its name resolves to addresses that are not in the key's list.";

export function refusalText({ path, host }: NamedHost): string {
  return path === "" || path === deviceField
    ? `This API key may not reach the device ${host}.`
    : `This API key may not reach ${host} (${path}).`;
}

/** Where every request names its device. */
export const deviceField = "connection_args.host";
