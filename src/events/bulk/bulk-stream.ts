/** The stream of a bulk until its end: job changes, counts, live output. */

import { isFinal } from "../../api/jobs/job.ts";
import type { Caller } from "../../auth/port.ts";
import { maySeeJob } from "../../auth/reach.ts";
import { ServiceError } from "../../base/errors.ts";
import type { Store } from "../../store/port.ts";
import type { LogTools } from "../cursor.ts";
import type { createSieves } from "../filter.ts";
import { openListener, take } from "../listener.ts";
import { createLiveReader, type LiveReader } from "../live-reader.ts";
import type { LiveOutput, LivePosition } from "../notices.ts";
import type { Events, JobChange, StreamEvent } from "../port.ts";
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

/** Live output of the jobs of a bulk that run on this node. */
interface BulkOutputTools {
  readonly store: Pick<Store, "jobs">;
  readonly live: LiveOutput;
  /** The name of this node. */
  readonly node: string;
}

interface FollowedJob {
  readonly reader: LiveReader;
  unsubscribe(): void;
}

/** Maximum number of jobs followed; above any realistic slot count. */
const maxFollowed = 1_000;

function createBulkOutput({ store, live, node }: BulkOutputTools, ring: () => void) {
  const followed = new Map<string, FollowedJob>();
  /** Ids of followed jobs with undelivered events. */
  const ready = new Set<string>();
  const knownNodes = new Set<string>([node]);
  const newNodes: { id: string; node: string }[] = [];

  function follow(id: string, from: LivePosition | undefined): void {
    if (followed.has(id) || followed.size >= maxFollowed) return;
    const unsubscribe = live.listen(id, () => {
      ready.add(id);
      ring();
    });
    followed.set(id, { reader: createLiveReader(live, id, from), unsubscribe });
    ready.add(id);
  }

  function unfollow(id: string): void {
    followed.get(id)?.unsubscribe();
    followed.delete(id);
    ready.delete(id);
  }

  return {
    /** @param reconnects earlier output is not repeated for a listener that reconnects. */
    async begin(bulkId: string, caller: Caller, reconnects: boolean): Promise<void> {
      const running = await store.jobs.heads({ bulkId, status: "running" }, maxFollowed);
      for (const job of running) {
        const piece = live.read(job.id, undefined);
        if (piece !== undefined && maySeeJob(caller, job))
          follow(job.id, reconnects ? piece.next : undefined);
      }
    },
    update(changes: readonly JobChange[]): void {
      for (const { jobId, status, node: runsOn } of changes) {
        if (isFinal(status)) unfollow(jobId);
        if (status !== "running" || runsOn === null) continue;
        if (runsOn === node) follow(jobId, undefined);
        else if (!knownNodes.has(runsOn)) {
          knownNodes.add(runsOn);
          newNodes.push({ id: jobId, node: runsOn });
        }
      }
    },
    /** Events not delivered yet. */
    *liveEvents(): Generator<StreamEvent> {
      for (const remote of newNodes.splice(0)) yield { kind: "elsewhere", ...remote };
      for (const id of [...ready]) {
        ready.delete(id);
        const job = followed.get(id);
        if (job !== undefined) yield* job.reader.read();
      }
    },
    close(): void {
      for (const id of [...followed.keys()]) unfollow(id);
    },
  };
}
