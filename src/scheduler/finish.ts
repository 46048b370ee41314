/** Writes the end of an attempt, as often as it takes; a result whose claim is gone is dropped and counted. */
import { pause } from "../base/deadline.ts";
import type { Log } from "../base/log.ts";
import type { JobEvents } from "../queue/job-events.ts";
import type { ClaimedJob } from "../store/libsql/claims.ts";
import type { StoredJob } from "../store/libsql/jobs.ts";
import type { End } from "../store/libsql/settle.ts";
import type { Store } from "../store/libsql/store.ts";

export interface Finish {
  end(job: ClaimedJob, end: Omit<End, "id" | "hooked">): Promise<boolean>;
  again(job: ClaimedJob, lost: number): Promise<boolean>;
  /** Results that came after their claim was gone. */
  dropped(): number;
}

export interface FinishTools {
  readonly store: Pick<Store, "settle" | "jobs">;
  readonly jobEvents: JobEvents;
  readonly log: Log;
  /** Ends the trying when the service stops: the next life recovers. */
  readonly signal: AbortSignal;
  onEnded(): void;
}

const longestPauseMs = 5_000;

export function createFinish({ store, jobEvents, log, signal, onEnded }: FinishTools): Finish {
  let dropped = 0;

  /** A store that does not answer keeps the result here; it is offered again with the same fence. */
  async function persist(
    job: ClaimedJob,
    write: () => Promise<boolean>,
    ours: (row: StoredJob) => boolean,
  ): Promise<boolean> {
    for (let waitMs = 100; ; waitMs = Math.min(longestPauseMs, waitMs * 2)) {
      try {
        if (await write()) return true;
        return await wasWritten(job, ours);
      } catch (error) {
        if (signal.aborted) {
          log.error("job.not_recorded", { job: job.fence.id, reason: String(error) });
          return false;
        }
        log.warn("job.record_again", { job: job.fence.id, reason: String(error) });
        await pause(waitMs, signal);
      }
    }
  }

  /** Nothing changed: either an earlier write of ours took whose answer was lost, or the claim is gone. */
  async function wasWritten(job: ClaimedJob, ours: (row: StoredJob) => boolean): Promise<boolean> {
    const [row] = await store.jobs.page({ ids: [job.fence.id] }, 1);
    if (row && row.attempt === job.fence.attempt && ours(row)) return true;
    dropped++;
    log.warn("job.result_dropped", {
      job: job.fence.id,
      attempt: job.fence.attempt,
      status: row?.status ?? "deleted",
    });
    return false;
  }

  return {
    async end(job, end) {
      const whole: End = { ...end, id: job.fence.id, hooked: job.hooked };
      const ours = await persist(
        job,
        () => store.settle.end(whole, { fence: job.fence }),
        (row) => row.status === end.status && row.result === end.result,
      );
      if (ours) jobEvents.announceEnd(job.fence.id, job.bulkId);
      if (ours && job.hooked) onEnded();
      return ours;
    },
    again: (job, lost) =>
      persist(
        job,
        () => store.settle.requeue({ fence: job.fence, lost }),
        (row) => row.status === "queued",
      ),
    dropped: () => dropped,
  };
}
