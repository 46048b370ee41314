/** Plans a change on this node: what it may do is the author's, and a node that is killed is replaced after a while. */
import type { Caller } from "../auth/port.ts";
import { ServiceError } from "../base/errors.ts";
import { errorSentence } from "../base/issues.ts";
import { neverAborted } from "../base/time/deadline.ts";
import type { Store, StoredChange } from "../store/port.ts";
import { makePlan, type PlanTools } from "./plan.ts";
import { readRequest, unreadable } from "./request.ts";
import { isPassing } from "./targets.ts";

export interface PlanningTools extends PlanTools {
  readonly store: Pick<Store, "changes" | "clock">;
  ownerOf(id: string): Promise<Caller | undefined>;
}

/** The planning node is given up then. */
const planningMs = 120_000;
const againMs = 2_000;
const defaultHours = 72;

export function createPlanning(tools: PlanningTools) {
  const { store, jobs, returns } = tools;
  const { changes } = store;

  return async (change: StoredChange): Promise<void> => {
    const now = store.clock.wall();
    // Another node goes on with it only after this time.
    const claimed = await changes.move(change, { dueAt: now + planningMs }, { what: "planning", by: null });
    if (claimed !== true) return;
    const at = { id: change.id, step: change.step + 1 };
    const back = (reason: string) =>
      changes.move(
        at,
        { state: "draft", reason, dueAt: null },
        { what: "not_planned", detail: reason, by: null },
      );
    const request = readRequest(change.request);
    const owner = await tools.ownerOf(change.holder);
    if (request === undefined || owner === undefined) {
      await back(request === undefined ? unreadable : `${change.submitter} has no rights any more`);
      return;
    }
    try {
      const made = await makePlan(request, owner, neverAborted, { jobs, returns });
      if (!(await changes.setTargets(at, made.targets, made.texts, change.revision))) return;
      const hours = request.approvals?.hours ?? defaultHours;
      await changes.move(
        at,
        {
          ...{
            hash: made.hash,
            needed: made.needed,
            plan: JSON.stringify(made.plan),
            wave: 0,
            phase: null,
            dueAt: null,
            reason: null,
          },
          state: made.needed > 0 ? "waiting_approval" : "approved",
          expiresAt: store.clock.wall() + hours * 3_600_000,
        },
        {
          what: "planned",
          detail: `revision ${change.revision}: ${made.targets.length} devices in ${made.plan.waves.length} waves, ${made.hash}`,
          by: null,
        },
      );
    } catch (error) {
      if (error instanceof ServiceError && isPassing(error)) {
        await changes.move(
          at,
          { dueAt: store.clock.wall() + againMs },
          { what: "planning", detail: error.message, by: null },
        );
        return;
      }
      await back(errorSentence(error));
    }
  };
}
