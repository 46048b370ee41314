/**
 * A step that is a change: drafted once, started when it has its votes, and over when it has ended. What comes next follows
 * from the state of the change, so that a repeat after a crash does nothing twice.
 */
import type { Body } from "../../api/body.ts";
import { changeWords, openStates } from "../../api/changes/change.ts";
import type { Caller } from "../../auth/port.ts";
import { performerOf, requireRecipe } from "../../auth/rights.ts";
import { ServiceError } from "../../base/errors.ts";
import { errorSentence } from "../../base/issues.ts";
import type { RunChange, RunChanges } from "../../changes/port.ts";
import type { Store, StoredRun } from "../../store/port.ts";
import type { OpenedRun, StoredStep } from "../record.ts";
import { type Next, stepped } from "./moves.ts";

interface ChangeStepTools {
  readonly changes: Omit<RunChanges, "check" | "waitFor">;
  readonly clock: Store["clock"];
}

/** It was moved on meanwhile, or another change has a device. */
const movedOn = new Set(["InUse", "InProgress", "NotFound"]);
const keyOf = (run: Pick<StoredRun, "id">, at: number) => `${run.id}:${at}`;

/** Why the run may not go on. */
function refusalOf(owner: Caller, recipe: string): string | undefined {
  try {
    requireRecipe(owner, recipe);
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return errorSentence(error);
    throw error;
  }
}

export function createChangeSteps({ changes, clock }: ChangeStepTools) {
  const running = ({ id, state }: RunChange): Partial<StoredStep> => ({
    ...{ state: "running", change: { id, state }, started_at: clock.wall() },
  });

  /** @returns the same state again if it was moved on meanwhile: the next look knows more */
  async function cancel(change: RunChange, why: string, owner: Caller): Promise<Next> {
    const { id, state } = change;
    try {
      await changes.say(change, "cancel", why, performerOf(owner));
    } catch (error) {
      if (!(error instanceof ServiceError) || !movedOn.has(error.kind)) throw error;
    }
    return { change: { id, state } };
  }

  async function start(change: RunChange, run: StoredRun, step: StoredStep, owner: Caller) {
    try {
      requireRecipe(owner, run.recipe);
      await changes.say(change, "start", `run ${run.id} of ${run.recipe}`, performerOf(owner));
      return undefined;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const reason = errorSentence(error);
      if (error.kind === "InUse") return { waits: reason === step.reason ? undefined : reason };
      if (error.kind === "Forbidden") return { never: reason };
      throw error;
    }
  }

  return {
    async begun(body: Body, run: StoredRun, at: number, by: Caller): Promise<Partial<StoredStep>> {
      const step = { key: keyOf(run, at), recipe: run.recipe, run: run.id };
      return running(await changes.draft(body, step, by));
    },

    /** Nobody can go on with what the run has drafted: its owner has no rights any more. */
    async withdraw(run: StoredRun, { request, steps }: OpenedRun, at: number): Promise<void> {
      if (request.recipe.steps[at]?.kind !== "change" || request.dry) return;
      const id =
        steps[at]?.change?.id ?? (await changes.drafted({ key: keyOf(run, at) }, { keyId: run.holder }))?.id;
      if (id !== undefined)
        await changes.withdraw(
          id,
          `${run.submitter}, whose run of ${run.recipe} it is, has no rights any more`,
        );
    },

    /** What a step that seems to wait has drafted already. */
    async drafted(run: StoredRun, { request }: OpenedRun, at: number, owner: Caller) {
      if (request.recipe.steps[at]?.kind !== "change") return undefined;
      const change = await changes.drafted({ key: keyOf(run, at) }, owner);
      return change && running(change);
    },

    async look(run: StoredRun, { request, steps }: OpenedRun, at: number, owner: Caller): Promise<Next> {
      const step = steps[at];
      const policy = request.recipe.steps[at]?.on_failure;
      const ends = { ended_at: clock.wall() };
      const change = await changes.find(step?.change?.id ?? "");
      if (step === undefined || change === undefined) {
        const reason = "its change is stored no more: how it ended is not known";
        return { move: stepped(steps, at, { ...ends, state: "failed", reason }, "stop") };
      }
      const { id, state, revision, edited } = change;
      const shown = { change: { id, state } };
      if (edited !== null && run.state !== "cancelling") {
        const reason = `its change was edited by ${edited} since: what it sends is not what the recipe says, so it goes on without the run`;
        return { move: stepped(steps, at, { ...ends, ...shown, state: "failed", reason }, "stop") };
      }
      if (state === "done")
        return { move: stepped(steps, at, { ...ends, ...shown, state: "finished", reason: null }) };
      const isCancelling = run.state === "cancelling";
      if (!openStates.includes(state)) {
        const word = isCancelling && state === "cancelled" ? "cancelled" : "failed";
        const why = change.reason === null ? "" : `: ${change.reason}`;
        const reason = `its change is ${state.replaceAll("_", " ")}${why}`;
        return { move: stepped(steps, at, { ...ends, ...shown, state: word, reason }, policy) };
      }
      if (isCancelling && changeWords.cancel.some((one) => one === state))
        return cancel(change, "its run was cancelled", owner);
      // Its author may have edited it since, and plans it then.
      if (state === "draft" && change.reason !== null && revision === 1)
        return cancel(change, `it could not be planned: ${change.reason}`, owner);
      if (!isCancelling && changeWords.cancel.some((one) => one === state)) {
        const refused = refusalOf(owner, run.recipe);
        if (refused !== undefined) return cancel(change, refused, owner);
      }
      if (state === "approved") {
        const refused = await start(change, run, step, owner);
        if (refused?.never !== undefined) return cancel(change, refused.never, owner);
        if (refused?.waits !== undefined) return { move: stepped(steps, at, { reason: refused.waits }) };
        return refused === undefined ? shown : "later";
      }
      if (state !== step.change?.state) return { move: stepped(steps, at, { ...shown, reason: null }) };
      return shown;
    },
  };
}
