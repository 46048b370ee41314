/** Checks that a caller may reach all hosts of a request and use its credential. Each name is resolved once. */

import { templateSource } from "../../../api/jobs/template-use.ts";
import { mayUseCredential, requireCredential } from "../../../auth/credentials.ts";
import type { Caller, NamedCredential, NamedHost, Resolve } from "../../../auth/port.ts";
import { outOfReach, reachOf, refusalText, taskReach, urlReachOf } from "../../../auth/reach.ts";
import { ServiceError } from "../../../base/errors.ts";
import { neverAborted, within } from "../../../base/time/deadline.ts";
import { systemResolve } from "./host-addresses.ts";

export interface ReachTools {
  /** Hosts that webhooks and templates may reach, as set by the operator. */
  readonly urlAllow: readonly string[];
  readonly resolve?: Resolve;
}

export interface RequestHosts {
  readonly hosts: readonly NamedHost[];
  readonly urls: readonly NamedHost[];
  /** The credential reference; undefined if the request has none. */
  readonly credential: NamedCredential | undefined;
}

/** For one request: @returns the hosts it must not reach. */
export type RefusedHosts = (request: RequestHosts) => Promise<Refused>;

export interface Refused {
  readonly hosts: NamedHost[];
  readonly urls: NamedHost[];
  readonly credential: NamedCredential | undefined;
}

const oneNameMs = 2_000;
/** Time limit for all names of a bulk; unresolved names are refused. */
const allNamesMs = 10_000;

export function reachCheck({ urlAllow, resolve = systemResolve }: ReachTools, caller: Caller): RefusedHosts {
  const device = reachOf(caller.hosts);
  const url = urlReachOf(caller.hosts, urlAllow);
  const lookups = new Map<string, Promise<readonly string[]>>();
  const until = performance.now() + allNamesMs;

  function lookUpOnce(name: string): Promise<readonly string[]> {
    const lookup = lookups.get(name) ?? withinTime(resolve(name), until - performance.now());
    lookups.set(name, lookup);
    return lookup;
  }

  return async ({ hosts, urls, credential }) => ({
    credential: credential !== undefined && !mayUseCredential(caller, credential) ? credential : undefined,
    hosts: await outOfReach(device, hosts, lookUpOnce),
    urls: await outOfReach(url, urls, lookUpOnce),
  });
}

/** @throws ServiceError Forbidden with the first refused host and its field, or the credential. */
export async function requireReach(tools: ReachTools, caller: Caller, request: RequestHosts): Promise<void> {
  requireCredential(caller, request.credential);
  const refused = await reachCheck(tools, caller)(request);
  requireNoneRefused([...refused.hosts, ...refused.urls]);
}

/** @throws ServiceError Forbidden */
export function requireNoneRefused([first]: readonly NamedHost[]): void {
  if (first !== undefined) throw new ServiceError("Forbidden", refusalText(first));
}

/** Host patterns for later connections of the job; none for a refused one. */
export function reachOfTask(
  { hosts }: Caller,
  checked: { readonly ok: false } | ({ readonly ok: true } & Pick<RequestHosts, "hosts" | "urls">),
): readonly string[] {
  if (!checked.ok) return hosts;
  return taskReach(
    hosts,
    [...checked.hosts, ...checked.urls].map(({ host }) => host),
  );
}

/** The host of a URL in a request; inline templates and file paths have none. */
export function urlHosts(path: string, text: string | undefined): NamedHost[] {
  const { kind } = templateSource(text);
  if ((kind !== "http" && kind !== "ftp") || text === undefined || !URL.canParse(text)) return [];
  return [{ path, host: new URL(text).hostname.replace(/^\[(.*)\]$/, "$1") }];
}

function withinTime<T>(promise: Promise<T>, leftMs: number): Promise<T> {
  const late = () => new ServiceError("HostUnreachable", "The name was not resolved in time.");
  promise.catch(() => {});
  return within(promise, Math.max(0, Math.min(oneNameMs, leftMs)), neverAborted, late);
}
