/** The order in which devices of a bulk start, and whether they wait for each other. */

import type { BulkOrder, BulkRequest } from "../../api/jobs/request.ts";
import { isGiven } from "../../base/json/members.ts";

export function isPaced({ concurrency, max_failures }: BulkRequest): boolean {
  return isGiven(concurrency) || isGiven(max_failures);
}

/** Jobs start in the order in which they are stored. */
export function inOrder<T extends { readonly hostKey: string }>(
  jobs: readonly T[],
  order: BulkOrder | null | undefined,
): T[] {
  if (order === "random") return shuffled(jobs);
  return order === "host" ? byHost(jobs) : [...jobs];
}

/** Natural order: `r9` before `r10`. `Intl` is loaded here, at its first use. */
function byHost<T extends { readonly hostKey: string }>(jobs: readonly T[]): T[] {
  const { compare } = new Intl.Collator("en", { numeric: true });
  return jobs.toSorted((a, b) => compare(a.hostKey, b.hostKey));
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
