/** Stores the end of an attempt, retrying as needed; drops and counts results whose claim is gone. */

import type { Log } from "../base/log.ts";
import { pause } from "../base/time/deadline.ts";
import type { JobEnding, JobEvents } from "../events/notices.ts";
import type { ClaimedJob, JobEnd, Store, StoredJob } from "../store/port.ts";

export interface Finisher {
  /** @param outcome of a push with checks, of a take, and of a rehearsal */
  end(
    job: ClaimedJob,
    end: Omit<JobEnd, "id" | "hasWebhook">,
    outcome?: Pick<JobEnding, "pushed" | "took" | "unasked">,
  ): Promise<boolean>;
  requeue(job: ClaimedJob, lostAttempts: number): Promise<boolean>;
  /** Number of results dropped because their claim was gone. */
  dropped(): number;
}

export interface FinisherTools {
  readonly store: {
    readonly settlements: Pick<Store["settlements"], "end" | "requeue">;
    readonly jobs: Pick<Store["jobs"], "page">;
  };
  readonly jobEvents: JobEvents;
  readonly log: Log;
  /** Aborts retries at shutdown; the next start recovers. */
  readonly signal: AbortSignal;
  onEnded(): void;
}

const maxPauseMs = 5_000;

export function createFinisher({ store, jobEvents, log, signal, onEnded }: FinisherTools): Finisher {
  let dropped = 0;

  /** Retries with the same fence while the store does not answer. */
  async function persist(
    job: ClaimedJob,
    write: () => Promise<boolean>,
    isOurs: (row: StoredJob) => boolean,
  ): Promise<boolean> {
    for (let waitMs = 100; ; waitMs = Math.min(maxPauseMs, waitMs * 2)) {
      try {
        if (await write()) return true;
        return await wasWritten(job, isOurs);
      } catch (error) {
        if (signal.aborted) {
          log.error("job.not_recorded", { job: job.fence.id, reason: String(error) });
          return false;
        }
        log.warn("job.record_retry", { job: job.fence.id, reason: String(error) });
        await pause(waitMs, signal);
      }
    }
  }

  /** Called if nothing changed: either an earlier write succeeded but its answer was lost, or the claim is gone. */
  async function wasWritten(job: ClaimedJob, isOurs: (row: StoredJob) => boolean): Promise<boolean> {
    const [row] = await store.jobs.page({ ids: [job.fence.id] }, 1);
    if (row && row.attempt === job.fence.attempt && isOurs(row)) return true;
    dropped++;
    jobEvents.takenElsewhere(job.fence.id);
    log.warn("job.result_dropped", {
      job: job.fence.id,
      attempt: job.fence.attempt,
      status: row?.status ?? "deleted",
    });
    return false;
  }

  return {
    async end(job, end, outcome) {
      const jobEnd: JobEnd = { ...end, id: job.fence.id, hasWebhook: job.hasWebhook };
      const isOurs = await persist(
        job,
        () => store.settlements.end(jobEnd, { fence: job.fence }),
        (row) => row.status === end.status && row.result === end.result,
      );
      const { status, durationMs, errorType } = end;
      if (isOurs)
        jobEvents.announceEnd({
          id: job.fence.id,
          bulkId: job.bulkId,
          status,
          ran: { ...job, durationMs },
          errorType,
          ...outcome,
        });
      if (isOurs && job.hasWebhook) onEnded();
      return isOurs;
    },
    requeue: (job, lostAttempts) =>
      persist(
        job,
        () => store.settlements.requeue({ fence: job.fence, lostAttempts }),
        (row) => row.status === "queued",
      ),
    dropped: () => dropped,
  };
}
