/** Lists by a selector: jobs and workers of the hosts that its devices have now, as far as the caller reaches them. */
import type { Caller } from "../auth/port.ts";
import { neverAborted } from "../base/deadline.ts";
import { canonicalHost } from "../model/identity.ts";
import type { Admission } from "../queue/port.ts";
import { devicesFitting, type SelectionTools } from "./selection.ts";

export interface HostFilter {
  /** What the store looks for; undefined where that are too many. */
  readonly hostKeys: readonly string[] | undefined;
  readonly fits: (job: { readonly host: string }) => boolean;
}

/** The store takes so many in a few milliseconds. */
const mostAsked = 1_000;
const everything: HostFilter = { hostKeys: undefined, fits: () => true };

export interface FilterTools extends Pick<SelectionTools, "inventory"> {
  readonly admission: Pick<Admission, "heavyWork">;
}

/** One at a time, the keys taking turns. @returns hosts in canonical form. @throws ServiceError Validation, Unavailable */
export function selectedHosts(
  { inventory, admission }: FilterTools,
  select: string,
  caller: Caller,
): Promise<ReadonlySet<string>> {
  return admission.heavyWork.run(caller.keyId, neverAborted, async () => {
    const devices = await devicesFitting(await inventory.snapshot(), select, caller);
    return new Set(devices.map(({ hostKey }) => hostKey));
  });
}

/** @throws ServiceError Validation, Unavailable */
export async function hostFilter(
  tools: FilterTools,
  select: string | undefined,
  caller: Caller,
): Promise<HostFilter> {
  if (select === undefined) return everything;
  const hosts = await selectedHosts(tools, select, caller);
  return {
    hostKeys: hosts.size > mostAsked ? undefined : [...hosts],
    fits: ({ host }) => hosts.has(canonicalHost(host)),
  };
}
