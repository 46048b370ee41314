/** Plans a change on this node: what it may do is the author's, and a node that is killed is replaced. */
import { changeDefaults } from "../../api/changes/change-defaults.ts";
import type { Caller } from "../../auth/port.ts";
import { ServiceError } from "../../base/errors.ts";
import { errorSentence } from "../../base/issues.ts";
import { pause } from "../../base/time/deadline.ts";
import type { At, Store, StoredChange } from "../../store/port.ts";
import type { ChangeOwner } from "../reach.ts";
import { readRequest, unreadable } from "../request.ts";
import type { Claims } from "../rollout/claims.ts";
import { isPassing } from "../targets.ts";
import { makePlan, type PlanTools } from "./plan.ts";

export interface PlanningTools extends PlanTools {
  readonly store: Pick<Store, "changes" | "clock">;
  readonly claims: Claims;
  ownerOf(of: ChangeOwner): Promise<Caller | undefined>;
  /** Begins to rehearse the plan that the change has now; never rejects. */
  rehearse(id: string, caller: Caller): Promise<void>;
}

/** A planning node that is silent for this long is given up. */
const planningMs = 120_000;
const keepMs = planningMs / 4;
const againMs = 2_000;

export function createPlanning(tools: PlanningTools) {
  const { store, claims } = tools;
  const { changes } = store;

  return async (change: StoredChange): Promise<void> => {
    const now = store.clock.wall();
    // Another node has gone on with it meanwhile.
    if (((await claims.dueAt(change)) ?? now) > now) return;
    // Another node goes on with it only after this time, or if this one ends.
    const claim = claims.until(now + planningMs);
    const claimed = await changes.move(change, claim, { what: "planning", by: null });
    if (claimed !== true) return;
    const at = { id: change.id, step: change.step + 1 };
    const back = (reason: string) =>
      changes.move(
        at,
        { state: "draft", reason, dueAt: null },
        { what: "not_planned", detail: reason, by: null },
      );
    const request = readRequest(change.request);
    const owner = await tools.ownerOf(change);
    if (request === undefined || owner === undefined) {
      await back(request === undefined ? unreadable : `${change.submitter} has no rights any more`);
      return;
    }
    const [over, lost] = [new AbortController(), new AbortController()];
    void keep(at, over.signal, lost);
    try {
      const made = await makePlan(request, owner, change.origin, lost.signal, tools);
      if (!(await changes.setTargets(at, made.targets, made.texts, change.revision))) return;
      if (made.mends.length > 0) await tools.fixes.planned(change.id, made.mends);
      const hours = request.approvals?.hours ?? changeDefaults.approvals.hours;
      const isPlanned = await changes.move(
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
      // Whoever is to vote sees more than what an agent says of it.
      if (isPlanned === true && change.origin === "agent") await tools.rehearse(change.id, owner);
    } catch (error) {
      if (error instanceof ServiceError && isPassing(error)) {
        await changes.move(
          at,
          { dueAt: store.clock.wall() + againMs },
          { what: "planning", detail: error.message, by: null, folds: true },
        );
        return;
      }
      await back(errorSentence(error));
    } finally {
      over.abort();
    }
  };

  /** A large plan may take longer than a silent node is waited for. */
  async function keep(at: At, over: AbortSignal, lost: AbortController): Promise<void> {
    for (;;) {
      await pause(keepMs, over);
      if (over.aborted) return;
      // The store may be away for a moment.
      const isKept = await changes.keepPlanning(at, store.clock.wall() + planningMs).catch(() => true);
      if (!isKept) return lost.abort(new ServiceError("Cancelled", "The change was moved on meanwhile."));
    }
  }
}
