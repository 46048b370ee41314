/** Recovers jobs of ended leases by the crash rules, and fails expired jobs. */

import type { CheckReport } from "../../api/jobs/checks.ts";
import type { JobFailure } from "../../api/jobs/job.ts";
import type { Log } from "../../base/log.ts";
import { lostReport, readCheckNote } from "../../checks/report.ts";
import type { JobEvents } from "../../events/notices.ts";
import type { Backlog } from "../../limits/port.ts";
import type { ExpiredJob, Orphan, Store } from "../../store/port.ts";
import type { Lanes } from "../lanes.ts";
import { judgeFailure, lostBeforeSending, lostWhileSending } from "../outcome.ts";
import { failureJson } from "../result.ts";
import { isRehearsal, sentWork, workOfStored } from "../sent-work.ts";
import { transcriptOf } from "../transcript.ts";

export interface RecoveryTools {
  readonly store: Pick<Store, "recovery" | "settlements">;
  readonly lanes: Lanes;
  readonly backlog: Backlog;
  readonly jobEvents: JobEvents;
  readonly log: Log;
  onEnded(): void;
}

const pageSize = 100;

export interface Recovery {
  /** @returns the number of jobs of ended leases that were ended or requeued. */
  orphans(): Promise<number>;
  expired(): Promise<number>;
  /** Ends or requeues a job that no lease works on any more. */
  settle(orphan: Orphan): Promise<boolean>;
}

export function createRecovery({ store, lanes, backlog, jobEvents, log, onEnded }: RecoveryTools): Recovery {
  async function settleOrphan(orphan: Orphan): Promise<boolean> {
    const { fence } = orphan;
    const sending = orphan.sending && !isRehearsal(orphan.payload);
    const verdict = judgeFailure({
      crashes: 0,
      lostAttempts: orphan.lostAttempts,
      retries: orphan.retries,
      intentRecorded: sending,
      sent: orphan.sent,
      error: sending || orphan.lostAttempts > 0 ? lostWhileSending : lostBeforeSending,
      stoppedBy: orphan.stop === "cancel" ? "cancel" : orphan.stop === "worker" ? "worker" : undefined,
    });
    log.warn("job.orphan_settled", {
      job: fence.id,
      node: fence.name,
      sending,
      verdict: verdict.kind,
    });
    if (verdict.kind !== "failed")
      return store.settlements.requeue({ fence, lostAttempts: verdict.lostAttempts });
    const isSent = sending || orphan.lostAttempts > 0;
    const work = isSent ? workOfStored(orphan.payload, orphan.operation) : undefined;
    const ended = await store.settlements.end(
      {
        id: fence.id,
        status: "failed",
        result: failureJson({ ...verdict.error, node: fence.name }, undefined, reportOf(orphan)),
        errorType: verdict.error.type,
        durationMs: orphan.runMs,
        hasWebhook: orphan.hasWebhook,
        hasIntents: true,
        ...(work && sentWork(work, transcriptOf(orphan.sent, null))),
      },
      { fence },
    );
    if (ended) announceEnd({ ...orphan, id: fence.id }, verdict.error.type);
    return ended;
  }

  async function expire(job: ExpiredJob): Promise<boolean> {
    const error: JobFailure = {
      type: "JobExpired",
      message:
        job.windowEnd === null
          ? `The job was not started within ${job.ttlMs / 1000} seconds (ttl) and was not run.`
          : `The job was not started within ${job.ttlMs / 1000} seconds (ttl), nor before the maintenance window of its group closed at ${new Date(job.windowEnd).toISOString()}, and was not run.`,
    };
    const end = {
      id: job.id,
      status: "failed" as const,
      result: failureJson(error, undefined),
      errorType: error.type,
      durationMs: 0,
      hasWebhook: job.hasWebhook,
      hasIntents: false,
    };
    if (!(await store.settlements.end(end, { queued: true }))) return false;
    log.info("job.expired", { job: job.id });
    backlog.add(job.share, -1);
    lanes.remove(job.lane, 1);
    announceEnd(job, error.type);
    return true;
  }

  function announceEnd(
    { id, bulkId, hasWebhook }: Pick<ExpiredJob, "id" | "bulkId" | "hasWebhook">,
    errorType: string,
  ): void {
    jobEvents.announceEnd({ id, bulkId, status: "failed", errorType });
    if (hasWebhook) onEnded();
  }

  /** Page by page, one transaction each, until nothing is left or nothing can be done. */
  async function settleAll<T>(
    read: (limit: number) => Promise<T[]>,
    settle: (item: T) => Promise<boolean>,
  ): Promise<number> {
    let count = 0;
    for (;;) {
      const page = await read(pageSize);
      const settled = (await Promise.all(page.map(settle))).filter(Boolean).length;
      count += settled;
      if (page.length < pageSize || settled === 0) return count;
    }
  }

  return {
    orphans: () => settleAll(store.recovery.orphans, settleOrphan),
    expired: () => settleAll(store.recovery.expired, expire),
    settle: settleOrphan,
  };
}

/** The check report from the note its node had stored. */
function reportOf({ note }: Orphan): CheckReport | undefined {
  const read = note === undefined ? undefined : readCheckNote(note);
  return read && lostReport(read);
}
