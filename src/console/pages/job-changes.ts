/** Lays changes of state over the rows that are shown. */
import type { Change } from "../live.ts";
import type { JobRow } from "../shapes.ts";

/** @returns the rows, and how many jobs that are not among them would fit. */
export function withChanges(
  rows: readonly JobRow[],
  changes: readonly Change[],
  fits: (change: Change) => boolean,
): { changed: readonly JobRow[]; unknown: number } {
  const latest = new Map(changes.map((change) => [change.id, change]));
  let touched = false;
  const changed = rows.map((row) => {
    const change = latest.get(row.id);
    if (change === undefined) return row;
    latest.delete(row.id);
    touched = true;
    return {
      ...row,
      status: change.status,
      ...(change.error_type ? { error_type: change.error_type } : {}),
      ...(isEnd(change) && change.at !== undefined ? { ended_at: change.at } : {}),
    };
  });
  return { changed: touched ? changed : rows, unknown: [...latest.values()].filter(fits).length };
}

function isEnd({ status }: Change): boolean {
  return status === "finished" || status === "failed" || status === "cancelled";
}
