/** Cancels all queued jobs that match a filter, in batches of 1,000, and stops running ones. */

import type { JobResult } from "../api/jobs/job.ts";
import { shareOf } from "../auth/caller.ts";
import type { Caller } from "../auth/port.ts";
import { maySeeJob } from "../auth/reach.ts";
import { abortReason } from "../base/time/deadline.ts";
import { yieldToEventLoop } from "../base/time/yield.ts";
import type { JobEvents } from "../events/notices.ts";
import type { Admission, Backlog } from "../limits/port.ts";
import type { JobConditions, JobHead, Store } from "../store/port.ts";

export interface CancelManyTools {
  readonly store: Store;
  readonly backlog: Backlog;
  readonly jobEvents: JobEvents;
  readonly admission: Pick<Admission, "heavyWork">;
  stopRunning(jobs: readonly JobHead[], caller: Caller): Promise<void>;
  /** Triggers deliveries that an ended job has made due. */
  onEnded(): void;
}

type Stoppable = "queued" | "held" | "running";

/** Jobs per transaction, about 30 ms on a file. */
const atOnce = 1_000;

const cancelled: JobResult = {
  type: "failed",
  retval: null,
  error: { type: "Cancelled", message: "The job was cancelled before it started." },
};
export const cancelledResult = JSON.stringify(cancelled);

export function createCancelMany(tools: CancelManyTools) {
  const { store, backlog, jobEvents, admission, stopRunning, onEnded } = tools;

  async function cancelWaiting(jobs: readonly JobHead[], caller: Caller): Promise<string[]> {
    const cancelled = await store.settlements.cancelQueued(jobs, cancelledResult, caller);
    for (const { share } of cancelled) backlog.add(share, -1);
    const cancelledIds = new Set(cancelled.map(({ id }) => id));
    const ended = jobs.filter((job) => cancelledIds.has(job.id));
    for (const { id, bulkId } of ended) jobEvents.announceEnd({ id, bulkId, status: "cancelled" });
    if (ended.some((job) => job.hasWebhook)) onEnded();
    return ended.map((job) => job.id);
  }

  async function cancelPage(jobs: readonly JobHead[], status: Stoppable, caller: Caller) {
    if (status !== "running") return cancelWaiting(jobs, caller);
    await stopRunning(jobs, caller);
    return jobs.map((job) => job.id);
  }

  /**
   * If the caller disconnects, finished batches stay cancelled and audited; the rest stays queued.
   * @throws the abort reason of the signal
   */
  return async (
    conditions: JobConditions,
    statuses: readonly Stoppable[],
    caller: Caller,
    signal: AbortSignal,
    fits: (job: JobHead) => boolean = () => true,
  ): Promise<string[]> => {
    const cancelledIds: string[] = [];
    for (const status of statuses) {
      let beforeSeq: number | undefined;
      for (let last = false; !last; ) {
        const heads = await admission.heavyWork.run(shareOf(caller), signal, async () => {
          const page = await store.jobs.heads({ ...conditions, status, beforeSeq }, atOnce);
          const visible = page.filter((job) => maySeeJob(caller, job) && fits(job));
          cancelledIds.push(...(await cancelPage(visible, status, caller)));
          return page;
        });
        last = heads.length < atOnce;
        beforeSeq = heads.at(-1)?.seq;
        await yieldToEventLoop();
        if (signal.aborted) throw abortReason(signal);
      }
    }
    return cancelledIds;
  };
}
