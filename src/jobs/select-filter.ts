/** Filters lists by selector or name of a device: resolves them to hosts the caller may reach. */

import { canonicalHost } from "../api/identity.ts";
import { shareOf } from "../auth/caller.ts";
import type { Caller } from "../auth/port.ts";
import { neverAborted } from "../base/time/deadline.ts";
import type { Admission } from "../limits/port.ts";
import { deviceNamed, devicesFitting, type SelectionTools } from "./request/device/selection.ts";

export interface HostFilter {
  /** Host condition for the store; undefined if there are too many. */
  readonly hostKeys: readonly string[] | undefined;
  readonly fits: (job: { readonly host: string }) => boolean;
}

/** Maximum hosts in a query; takes a few milliseconds. */
const maxAsked = 1_000;
const everything: HostFilter = { hostKeys: undefined, fits: () => true };

export interface FilterTools extends Pick<SelectionTools, "inventory"> {
  readonly admission: Pick<Admission, "heavyWork">;
}

/**
 * Serialized, with keys taking turns.
 * @returns canonical hosts
 * @throws ServiceError Validation, Unavailable, Cancelled
 */
export function selectedHosts(
  { inventory, admission }: FilterTools,
  select: string,
  caller: Caller,
  signal: AbortSignal = neverAborted,
): Promise<ReadonlySet<string>> {
  return admission.heavyWork.runSoon(shareOf(caller), signal, async () => {
    const devices = await devicesFitting(await inventory.snapshot(), select, caller, signal);
    return new Set(devices.map(({ hostKey }) => hostKey));
  });
}

/** @throws ServiceError Validation, Unavailable */
export async function hostFilter(
  tools: FilterTools,
  select: string | undefined,
  caller: Caller,
  signal?: AbortSignal,
): Promise<HostFilter> {
  if (select === undefined) return everything;
  const hosts = await selectedHosts(tools, select, caller, signal);
  return {
    hostKeys: hosts.size > maxAsked ? undefined : [...hosts],
    fits: ({ host }) => hosts.has(canonicalHost(host)),
  };
}

/**
 * The `host` of a filter as conditions of the store: a host that is the name of an inventory device is that device.
 * Where devices share an address, only the jobs under that name are its own.
 */
export async function hostCondition(
  { inventory }: Pick<SelectionTools, "inventory">,
  { host, device }: { readonly host?: string | undefined; readonly device?: string | undefined },
  caller: Caller,
): Promise<{ readonly hostKey: string | undefined; readonly device: string | undefined }> {
  if (host === undefined) return { hostKey: undefined, device };
  const snapshot = await inventory.snapshot();
  const named = deviceNamed(snapshot, host, caller);
  if (named === undefined) return { hostKey: canonicalHost(host), device };
  const isAlone = snapshot.devicesAt(named.hostKey).length === 1;
  return { hostKey: named.hostKey, device: device ?? (isAlone ? undefined : named.name) };
}
