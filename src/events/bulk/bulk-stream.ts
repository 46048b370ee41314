/** The stream of a bulk until its end: job changes, counts, live output. */
import { ServiceError } from "../../base/errors.ts";
import type { LogTools } from "../cursor.ts";
import type { createSieves } from "../filter.ts";
import { openListener, take } from "../listener.ts";
import type { Events, JobChange, StreamEvent } from "../port.ts";
import { type BulkOutputTools, createBulkOutput } from "./bulk-output.ts";
import type { createBulkWatches } from "./bulk-watch.ts";

export interface BulkTools extends LogTools, BulkOutputTools {
  readonly sieves: ReturnType<typeof createSieves>;
  readonly watchBulk: ReturnType<typeof createBulkWatches>;
}

/** Approximate size as text. */
const bytesOfCounts = 500;

export function createBulkStream(tools: BulkTools): Events["ofBulk"] {
  return async function* ofBulk(id, wishes, listening): AsyncGenerator<StreamEvent> {
    const { caller, from, signal } = listening;
    if (from?.ended) return;
    const { output: wantsOutput, states, ...filter } = wishes;
    const sieve = tools.sieves({ ...filter, bulkId: id }, caller);
    const bulkSieve = tools.sieves({ bulkId: id }, caller);
    // Opened before the bulk is read, so that no later change is missed.
    const listener = await openListener(tools, listening);
    const { bell } = listener;
    const watch = tools.watchBulk(id, caller, bell.ring);
    const output = wantsOutput ? createBulkOutput(tools, bell.ring) : undefined;
    const positionNow = () => ({ position: { log: listener.cursor.position() } });

    async function* changes(): AsyncGenerator<StreamEvent, boolean> {
      let visible: readonly JobChange[] = [];
      const steps = take(tools, listener, ({ batch, behind }) => {
        if (batch.ofBulk(id).length > 0) watch.changed();
        visible = output === undefined ? [] : bulkSieve(batch).filter(({ n }) => n > behind);
        output?.update(visible);
        return states ? sieve(batch) : [];
      });
      for await (const step of steps) {
        listener.delivered();
        if (step.kind === "changes") yield step;
        else yield step.kind === "slow" ? { kind: "slow" } : { kind: "reset", ...positionNow() };
        if (step.kind === "slow") return true;
        if (step.kind === "lost") watch.changed();
      }
      return false;
    }

    try {
      const first = await watch.begun();
      if (first === undefined) throw new ServiceError("NotFound", "There is no bulk with that id.");
      await output?.begin(id, caller, from !== undefined);
      yield { kind: "here", ...positionNow() };
      let deliveredReads = 0;
      while (!signal.aborted) {
        if (yield* changes()) return;
        if (output !== undefined) yield* output.liveEvents();
        const { state, reads } = watch.now();
        const isOver = state?.ended ?? true;
        if (isOver) {
          // The last changes are committed: deliver them first.
          await tools.tail.refresh();
          if (yield* changes()) return;
        }
        if (reads !== deliveredReads && state !== undefined) {
          await tools.pacer.turn(bytesOfCounts);
          yield { kind: "bulk", record: state.record };
        }
        deliveredReads = reads;
        if (isOver) {
          const position = { log: listener.cursor.position(), ended: true as const };
          return yield { kind: "end", bulkId: id, position };
        }
        if (!(await listener.wait())) continue;
        listener.delivered();
        yield { kind: "here", ...positionNow() };
      }
    } finally {
      output?.close();
      watch.leave();
      listener.close();
    }
  };
}
