/** A batch of log entries with cached views per job, bulk and kind of listener. */
import type { JobChange } from "./port.ts";

export interface Batch {
  /** In order, without gaps; at least one. */
  readonly changes: readonly JobChange[];
  readonly first: number;
  readonly last: JobChange;
  ofJob(id: string): readonly JobChange[];
  ofBulk(id: string): readonly JobChange[];
}

const none: readonly JobChange[] = [];

/** @returns undefined for an empty list */
export function batchOf(changes: readonly JobChange[]): Batch | undefined {
  const first = changes[0];
  const last = changes.at(-1);
  if (first === undefined || last === undefined) return undefined;
  let byJob: Map<string, JobChange[]> | undefined;
  let byBulk: Map<string, JobChange[]> | undefined;
  return {
    changes,
    first: first.n,
    last,
    ofJob(id) {
      byJob ??= grouped(changes, ({ jobId }) => jobId);
      return byJob.get(id) ?? none;
    },
    ofBulk(id) {
      byBulk ??= grouped(changes, ({ bulkId }) => bulkId);
      return byBulk.get(id) ?? none;
    },
  };
}

function grouped(
  changes: readonly JobChange[],
  keyOf: (change: JobChange) => string | null,
): Map<string, JobChange[]> {
  const groups = new Map<string, JobChange[]>();
  for (const change of changes) {
    if (change.damaged === true) continue;
    const key = keyOf(change);
    if (key === null) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [change]);
    else group.push(change);
  }
  return groups;
}
