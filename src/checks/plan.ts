/** Which checks run when: what is compared with its value before the push is looked at before it, too. */
import type { StoredCheck, StoredChecks } from "../model/checks.ts";

export interface PlannedCheck {
  readonly check: StoredCheck;
  /** Where it stands in the request. */
  readonly phase: "before" | "after";
  readonly at: number;
  /** It is only looked at, for its value. */
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

/** Compared with its value before the push. */
export function needsBefore({ unchanged, relative }: StoredCheck): boolean {
  return unchanged === true || relative === true;
}

/** It looks for a text in the output, and at no value. */
export function isTextCheck({ contains, not_contains, matches }: StoredCheck): boolean {
  return contains !== undefined || not_contains !== undefined || matches !== undefined;
}

/** Its value is made in a template process. */
export function isComputed({ parse, expression }: StoredCheck): boolean {
  return parse !== undefined || expression !== undefined;
}
