/** Applies state changes to the rows that are shown. */
import type { Change } from "../../reading/live.ts";
import type { JobRow } from "../../shapes/shapes.ts";

/** @returns the rows, and the number of matching jobs that are not among them. */
export function withChanges(
  rows: readonly JobRow[],
  changes: readonly Change[],
  fits: (change: Change) => boolean,
): { changed: readonly JobRow[]; unknown: number } {
  const latest = new Map(changes.map((change) => [change.id, change]));
  let touched = false;
  const changed = rows.map((row): JobRow => {
    const change = latest.get(row.id);
    if (change === undefined) return row;
    latest.delete(row.id);
    touched = true;
    return {
      ...row,
      status: change.status,
      held: change.status === "held" ? true : undefined,
      ...(change.error_type ? { error_type: change.error_type } : {}),
      ...(isEnd(change) && change.at !== undefined ? { ended_at: change.at } : {}),
    };
  });
  return { changed: touched ? changed : rows, unknown: [...latest.values()].filter(fits).length };
}

function isEnd({ status }: Change): boolean {
  return status === "finished" || status === "failed" || status === "cancelled";
}

/** Order of states. */
const ranks: Readonly<Record<string, number>> = { held: 0, queued: 0, running: 1 };
const rankOf = (status: string) => ranks[status] ?? 2;
/** At half this number, or half the time, the older half is dropped: rows loaded before then are settled. */
const maxRemembered = 20_000;
const rememberedMs = 60_000;

/** Changes that arrived while rows were being loaded: the rows may be older. */
export function createRecent(clock: () => number = Date.now) {
  let young = new Map<string, Change>();
  let old = new Map<string, Change>();
  let since = clock();
  return {
    note(changes: readonly Change[]): void {
      if (young.size >= maxRemembered / 2 || clock() - since >= rememberedMs / 2) {
        [old, young, since] = [young, new Map(), clock()];
      }
      for (const change of changes) young.set(change.id, change);
    },
    /** @returns the rows with newer changes applied. */
    over(rows: readonly JobRow[]): readonly JobRow[] {
      const ahead = rows.flatMap(({ id, status }) => {
        const change = young.get(id) ?? old.get(id);
        return change !== undefined && rankOf(change.status) > rankOf(status) ? [change] : [];
      });
      return withChanges(rows, ahead, () => false).changed;
    },
    size: () => young.size + old.size,
  };
}
