/** Plans which checks run before and after a push; comparisons with the earlier value also run before. */
import type { StoredCheck, StoredChecks } from "../api/jobs/checks.ts";

export interface PlannedCheck {
  readonly check: StoredCheck;
  /** The list of the request it is from. */
  readonly phase: "before" | "after";
  readonly at: number;
  /** Only measures the value. */
  readonly measured: boolean;
}

export interface CheckPlan {
  readonly before: readonly PlannedCheck[];
  readonly after: readonly PlannedCheck[];
}

export function planOf({ before, after }: Pick<StoredChecks, "before" | "after">): CheckPlan {
  const planned = (checks: readonly StoredCheck[], phase: "before" | "after", measured = false) =>
    checks.map((check, at) => ({ check, phase, at, measured }));
  const measures = planned(after, "after", true).filter(({ check }) => needsBefore(check));
  return { before: [...planned(before, "before"), ...measures], after: planned(after, "after") };
}

/** Of a device that gets no lines: a comparison only measures, because the earlier value is in an earlier job. */
export function planAlone(checks: readonly StoredCheck[]): readonly PlannedCheck[] {
  return checks.map((check, at) => ({ check, phase: "after", at, measured: needsBefore(check) }));
}

/** Compares with the value before the push. */
export function needsBefore({ unchanged, relative }: StoredCheck): boolean {
  return unchanged === true || relative === true;
}

/** Searches the output for text, without a value. */
export function isTextCheck({ contains, not_contains, matches }: StoredCheck): boolean {
  return contains !== undefined || not_contains !== undefined || matches !== undefined;
}

/** The value is computed in a template process. */
export function isComputed({ parse, expression }: StoredCheck): boolean {
  return parse !== undefined || expression !== undefined;
}
