/** Cancels the waiting jobs of a bulk and, with force, stops its running ones. */

import type { CancelledBulk } from "../../api/jobs/bulk.ts";
import { requireScope } from "../../auth/caller.ts";
import type { Caller } from "../../auth/port.ts";
import { neverAborted } from "../../base/time/deadline.ts";
import type { Store } from "../../store/port.ts";
import type { createCancelMany } from "../cancel-many.ts";
import type { createBulkQuery } from "./bulk-query.ts";
import { countsOf } from "./bulk-record.ts";

export interface CancelBulkTools {
  readonly store: Pick<Store, "bulks" | "audit">;
  readonly findBulk: ReturnType<typeof createBulkQuery>["findBulk"];
  readonly cancelMany: ReturnType<typeof createCancelMany>;
}

export function createCancelBulk({ store, findBulk, cancelMany }: CancelBulkTools) {
  return async (
    id: string,
    force: boolean,
    caller: Caller,
    signal: AbortSignal = neverAborted,
  ): Promise<CancelledBulk> => {
    requireScope(caller, "operate");
    const { visible } = await findBulk(id, caller);
    const { queued, held, running } = countsOf(visible.tally);
    if (queued + held + (force ? running : 0) === 0) return { cancelled: 0, stopping: 0 };
    const answer = { cancelled: 0, stopping: 0 };
    const bulk = { bulkId: id };
    for (;;) {
      // Held jobs first, because they would be queued as others are cancelled; stragglers are found in the next round.
      const cancelled = await cancelMany(bulk, ["held", "queued"], caller, signal);
      answer.cancelled += cancelled.length;
      if (cancelled.length === 0) break;
    }
    if (force) answer.stopping = (await cancelMany(bulk, ["running"], caller, signal)).length;
    // Recorded last, and only if the caller sees the whole bulk: otherwise the rest continues.
    if (visible.whole && answer.cancelled + answer.stopping > 0)
      await store.bulks.stop(id, `cancelled by the API key ${caller.name}`);
    const detail = `${id}: ${answer.cancelled} cancelled, ${answer.stopping} asked to stop`;
    await store.audit.add({ caller, action: "bulk.cancel", outcome: "cancelled", detail });
    return answer;
  };
}
