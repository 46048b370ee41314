/** Moves of runs: what follows for the run from what has become of a step. Pure. */
import { type FailurePolicy, proposalHours, type RecipeRunState } from "../../api/recipes/recipe.ts";
import type { RunMove, StoredRun } from "../../store/port.ts";
import { expiryOf, type StoredStep } from "../record.ts";

export const final = new Set<StoredStep["state"]>(["finished", "failed", "skipped", "cancelled"]);

/** What a look at a run leads to. */
export type Next =
  | { readonly move: RunMove }
  | { readonly bulk: string }
  | { readonly change: NonNullable<StoredStep["change"]> }
  /** It waits until then, in milliseconds since 1970. */
  | { readonly at: number }
  /** To be tried again. */
  | "later";

export const ended = (state: RecipeRunState, reason: string | null = null): RunMove => ({
  state,
  reason,
  ends: true,
});

/** Of one that is proposed: nothing begins before somebody accepts it, and in the end nobody has. */
export function expired(run: StoredRun, now: number): Next {
  const at = expiryOf(run);
  return at > now
    ? { at }
    : { move: ended("expired", `nobody has accepted it within ${proposalHours} hours`) };
}

/** @param policy of a step that has failed: whether the run ends */
export function stepped(
  steps: readonly StoredStep[],
  at: number,
  change: Partial<StoredStep>,
  policy: FailurePolicy = "continue",
): RunMove {
  const next = steps.map((step, index) => (index === at ? { ...step, ...change } : step));
  if (change.state !== "failed" || policy !== "stop") return { steps: JSON.stringify(next) };
  const rest = next.map((step, index) => (index > at ? { ...step, state: "skipped" as const } : step));
  return { steps: JSON.stringify(rest), ...ended("failed", `step ${steps[at]?.name}: ${change.reason}`) };
}

/** Jobs that it has begun go to their end, without it. */
export function withoutOwner(steps: readonly StoredStep[], { submitter }: StoredRun, at: number): RunMove {
  const next = steps.map((step): StoredStep => {
    if (final.has(step.state)) return step;
    const work = step.change === null ? "bulk" : "change";
    const reason = `how its ${work} ended is not known here: the run has ended before it`;
    return step.state === "running"
      ? { ...step, state: "failed", reason, ended_at: at }
      : { ...step, state: "skipped" };
  });
  return {
    steps: JSON.stringify(next),
    ...ended("failed", `${submitter} has no rights any more: no further step was begun`),
  };
}

export function cancelled(steps: readonly StoredStep[], at: number): RunMove {
  const rest = steps.map((step, index) => (index >= at ? { ...step, state: "cancelled" as const } : step));
  return { steps: JSON.stringify(rest), ...ended("cancelled") };
}

/** A step that failed while others went on makes the run a failed one, unless that is ignored. */
export function endOf(
  steps: readonly StoredStep[],
  { state }: StoredRun,
  asked: readonly { readonly on_failure: FailurePolicy }[],
): RunMove {
  if (state === "cancelling") return ended("cancelled");
  const bad = steps.find((step, at) => step.state === "failed" && asked[at]?.on_failure !== "ignore");
  return bad === undefined ? ended("finished") : ended("failed", `step ${bad.name}: ${bad.reason}`);
}
