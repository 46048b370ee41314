/** The order in which devices of a bulk start, and whether they wait for each other. */

import type { BulkOrder, BulkRequest } from "../../api/jobs/request.ts";
import { isGiven } from "../../base/json/members.ts";

export function isPaced({ concurrency, max_failures }: BulkRequest): boolean {
  return isGiven(concurrency) || isGiven(max_failures);
}

/** Natural order: `r9` before `r10`. */
const byName = new Intl.Collator("en", { numeric: true });

/** Jobs start in the order in which they are stored. */
export function inOrder<T extends { readonly hostKey: string }>(
  jobs: readonly T[],
  order: BulkOrder | null | undefined,
): T[] {
  if (order === "random") return shuffled(jobs);
  if (order === "host") return jobs.toSorted((a, b) => byName.compare(a.hostKey, b.hostKey));
  return [...jobs];
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
