/** Whose word is next: the vote that counts, the author's, or that of anybody who may operate. */
import { hasScope } from "../auth/caller.ts";
import type { Holders } from "../auth/holders.ts";
import type { Caller } from "../auth/port.ts";
import { hasRight } from "../auth/rights.ts";
import type { Store, StoredChange } from "../store/port.ts";
import { readPlan } from "./planning/plan.ts";
import { authorMayVote, noDemands } from "./planning/policy.ts";
import { readRequest } from "./request.ts";

/** Without what may be large. */
export type ChangeHead = Omit<StoredChange, "request" | "plan">;

/** Whether its lines are text of the history. */
export function restores({ plan }: Pick<StoredChange, "plan">): boolean {
  const read = readPlan(plan);
  return read?.mends === true || Object.keys(read?.restored ?? {}).length > 0;
}

interface WaitingTools {
  readonly store: Pick<Store, "changes">;
  readonly holders: Pick<Holders, "byId">;
}

export function createWaiting({ store: { changes }, holders }: WaitingTools) {
  /** By the id: a provider may call the person by another name since. */
  async function isAuthor({ holder }: Pick<StoredChange, "holder">, caller: Caller): Promise<boolean> {
    if (holder === caller.keyId) return true;
    return caller.person !== undefined && (await holders.byId(holder))?.person?.id === caller.person.id;
  }

  /** Authors do not approve their own changes, unless these say so. */
  async function approvesOwn(change: StoredChange, caller: Caller): Promise<boolean> {
    const demands = readPlan(change.plan)?.demands ?? noDemands;
    return !authorMayVote(readRequest(change.request), demands) && (await isAuthor(change, caller));
  }

  /** Whether the next word is this caller's. */
  async function waitsFor(change: ChangeHead, caller: Caller): Promise<boolean> {
    const { id, state, revision } = change;
    const { person } = caller;
    switch (state) {
      case "waiting_approval": {
        if (person === undefined || !hasRight(caller, "approve")) return false;
        const votes = await changes.votes(id);
        if (votes.some((vote) => vote.personId === person.id && vote.revision === revision)) return false;
        const whole = await changes.find(id);
        if (whole === undefined || (restores(whole) && !hasRight(caller, "history"))) return false;
        return !(await approvesOwn(whole, caller));
      }
      case "approved":
        // Its author is none who could start it.
        if (change.origin === "agent") return hasScope(caller, "operate");
        return hasScope(caller, "operate") && (await isAuthor(change, caller));
      case "draft":
        return hasScope(caller, "operate") && (await isAuthor(change, caller));
      case "paused":
        return hasScope(caller, "operate");
      default:
        return false;
    }
  }

  return { waitsFor, approvesOwn };
}
