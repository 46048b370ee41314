/** Lists by a selector: jobs and workers of the hosts that its devices have now, as far as the caller reaches them. */
import type { Caller } from "../auth/port.ts";
import { canonicalHost } from "../model/identity.ts";
import { devicesFitting, type SelectionTools } from "./selection.ts";

export interface HostFilter {
  /** What the store looks for; undefined where that are too many. */
  readonly hostKeys: readonly string[] | undefined;
  readonly fits: (job: { readonly host: string }) => boolean;
}

/** The store takes so many in a few milliseconds. */
const mostAsked = 1_000;
const everything: HostFilter = { hostKeys: undefined, fits: () => true };

/** @returns hosts in canonical form. @throws ServiceError Validation, Unavailable */
export async function selectedHosts(
  { inventory }: Pick<SelectionTools, "inventory">,
  select: string,
  caller: Caller,
): Promise<ReadonlySet<string>> {
  const devices = await devicesFitting(await inventory.snapshot(), select, caller);
  return new Set(devices.map(({ hostKey }) => hostKey));
}

/** @throws ServiceError Validation, Unavailable */
export async function hostFilter(
  tools: Pick<SelectionTools, "inventory">,
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
