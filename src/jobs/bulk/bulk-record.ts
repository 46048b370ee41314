/** Builds the record of GET /bulk from a stored bulk and its job counts. */
import type { BulkRecord, BulkResult, BulkStatus } from "../../api/jobs/bulk.ts";
import type { JobStatus } from "../../api/jobs/job.ts";
import type { BulkTally, StoredBulk } from "../../store/port.ts";

/** Time span over which the rate is measured. */
export const rateMs = 30_000;
/** Minimum time before a rate is meaningful. */
const leastMs = 1_000;

export interface SeenBulk {
  readonly bulk: StoredBulk;
  readonly tally: BulkTally;
  /** Whether all its jobs were counted, not only those of some hosts. */
  readonly whole: boolean;
}

export function toBulkRecord(
  { bulk, tally, whole }: SeenBulk,
  now: number,
  iso: (ms: number) => string,
): BulkRecord {
  const counts = countsOf(tally);
  const unfinished = unfinishedOf(counts);
  const visibleTotal = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const last = tally.counts.reduce((latest, { lastEndedAt }) => Math.max(latest, lastEndedAt ?? 0), 0);
  const ended = tally.counts.reduce((sum, { recent }) => sum + recent, 0);
  const forMs = Math.max(leastMs, Math.min(rateMs, now - bulk.createdAt));
  const rate = Math.round((ended * 10_000) / forMs) / 10;
  return {
    id: bulk.id,
    status: statusOf(bulk, unfinished),
    driver: bulk.driver,
    operation: bulk.operation,
    ...(bulk.dryRun === true ? { dry_run: true } : {}),
    submitted_by: { kind: bulk.submitterKind, name: bulk.submitter },
    created_at: iso(bulk.createdAt),
    ended_at: unfinished > 0 ? null : iso(last || bulk.createdAt),
    ...presentFields({
      label: bulk.label,
      ticket: bulk.ticket,
      note: bulk.note,
      tags: bulk.tags && [...bulk.tags],
    }),
    ...presentFields({ retry_of: bulk.retryOf }),
    // The selector may reveal hosts that the caller may not see.
    ...presentFields({
      select: whole ? bulk.selector : null,
      inventory_revision: whole ? bulk.revision : null,
    }),
    total: whole ? bulk.total : visibleTotal,
    counts,
    error_types: errorTypesOf(tally),
    with_warnings: tally.withWarnings,
    with_refusals: tally.withRefusals,
    rate,
    eta_seconds: unfinished > 0 && ended > 0 ? Math.ceil((unfinished * forMs) / (ended * 1000)) : null,
    ...presentFields({ concurrency: bulk.concurrency, max_failures: bulk.maxFailures, order: bulk.order }),
    // The reason may reveal jobs that the caller may not see.
    ...presentFields({
      stopped_because: whole || bulk.stoppedBecause === null ? bulk.stoppedBecause : stopped,
    }),
  };
}

const stopped = "It was stopped.";

export function toBulkResult(tally: BulkTally): BulkResult {
  const counts = countsOf(tally);
  const status = unfinishedOf(counts) > 0 ? "running" : "ended";
  return { status, counts, error_types: errorTypesOf(tally) };
}

export function countsOf({ counts }: BulkTally): Record<JobStatus, number> {
  const sums = { queued: 0, held: 0, running: 0, finished: 0, failed: 0, cancelled: 0 };
  for (const { status, count } of counts) sums[status] += count;
  return sums;
}

export function unfinishedOf({ queued, held, running }: Record<JobStatus, number>): number {
  return queued + held + running;
}

function statusOf(bulk: StoredBulk, unfinished: number): BulkStatus {
  if (bulk.stoppedBecause !== null) return "stopped";
  return unfinished > 0 ? "running" : "ended";
}

/** Jobs of older versions have no stored error type. */
function errorTypesOf({ counts }: BulkTally): Record<string, number> {
  const failed = counts.filter(({ status, errorType }) => status === "failed" && errorType !== null);
  return Object.fromEntries(failed.map(({ errorType, count }) => [errorType, count]));
}

type Given<T> = { [K in keyof T]?: Exclude<T[K], null> };

function presentFields<T extends object>(members: T): Given<T> {
  // Null members have just been removed.
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null)) as Given<T>;
}
