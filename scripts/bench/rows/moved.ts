/**
 * Compares two runs: rows as ratios to the floor of their own run, so that the machine's speed does not
 * matter.
 */
import { overFloor, type SpeedRun } from "./row.ts";

export interface Moved {
  readonly name: string;
  /** As a multiple of the floor. */
  readonly before: number | undefined;
  readonly now: number | undefined;
  readonly verdict: "same" | "dearer" | "cheaper" | "new" | "no floor" | "failed";
}

/** @param tolerance change relative to the previous ratio that still counts as equal */
export function compare(run: SpeedRun, baseline: SpeedRun | undefined, tolerance: number): Moved[] {
  const former = new Map(baseline?.rows.map((row) => [row.name, overFloor(row)]));
  return run.rows.map((row) => {
    const now = overFloor(row);
    const before = former.get(row.name);
    return { name: row.name, before: cut(before), now: cut(now), verdict: verdict() };

    function verdict(): Moved["verdict"] {
      if (row.failed !== undefined) return "failed";
      if (now === undefined) return "no floor";
      if (before === undefined) return "new";
      if (now > before * (1 + tolerance)) return "dearer";
      return now < before / (1 + tolerance) ? "cheaper" : "same";
    }
  });
}

function cut(ratio: number | undefined): number | undefined {
  return ratio === undefined ? undefined : Math.round(ratio * 100) / 100;
}
