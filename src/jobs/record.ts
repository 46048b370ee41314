/** Builds the record of GET /job from a stored job. */

import type { JobTicket, JobWait, ListedJob, WebhookState } from "../api/jobs/job.ts";
import type { LimitedCaller } from "../auth/port.ts";
import { reachOf, withoutHosts } from "../auth/reach.ts";
import { RawJson, rawMember } from "../base/json/json.ts";
import { splitResult } from "../checks/report.ts";
import type { DeliveryState, NewJob, StoredJob, WaitingPlace } from "../store/port.ts";
import { requestFields } from "./request/request-summary.ts";

/** @param askedForHeld whether the caller knows the status `held`. */
export function toRecord(
  job: StoredJob,
  iso: (ms: number) => string,
  webhook?: WebhookState,
  askedForHeld = false,
): ListedJob {
  const held = job.status === "held";
  const at = (ms: number | null) => (ms === null ? null : iso(ms));
  const seconds = (ms: number | null) => (ms === null ? null : ms / 1000);
  const { result, checks } = job.result === null ? { result: null } : splitResult(job.result);
  const created = iso(job.createdAt);
  // Assigned individually: a list builds 100,000 of these, and object spreads took half of the time.
  const record: ListedJob = {
    id: job.id,
    status: held && !askedForHeld ? "queued" : job.status,
    queue: job.queue,
    driver: job.driver,
    host: job.host,
    device_type: job.deviceType,
    operation: job.operation,
    submitted_by: { kind: job.submitterKind, name: job.submitter },
    created_at: created,
    enqueued_at: job.enqueuedAt === job.createdAt ? created : iso(job.enqueuedAt),
    started_at: at(job.startedAt),
    ended_at: at(job.endedAt),
    duration: seconds(job.durationMs),
    queue_time: seconds(job.queueMs),
    worker: job.worker,
    attempt: job.attempt,
    result: result === null ? null : new RawJson(result),
  };
  if (held) record.held = true;
  if (job.dryRun === true) record.dry_run = true;
  if (job.device !== null) record.device = job.device;
  if (checks !== undefined) record.checks = new RawJson(checks);
  if (job.asked !== null) Object.assign(record, requestFields(job.asked, job.request, job.whole));
  if (job.label !== null) record.label = job.label;
  if (job.ticket !== null) record.ticket = job.ticket;
  if (job.tags !== null) record.tags = JSON.parse(job.tags);
  if (job.bulkId !== null) record.bulk_id = job.bulkId;
  if (job.errorType !== null) record.error_type = job.errorType;
  if (job.retryOf !== null) record.retry_of = job.retryOf;
  if (job.notBefore !== null) record.not_before = iso(job.notBefore);
  if (job.warnings !== null) record.warnings = JSON.parse(job.warnings);
  if (webhook !== undefined) record.webhook = webhook;
  return record;
}

/** The job with an error message as this caller may read it: another key may have gone through hosts beyond its reach. */
export function readableBy(caller: LimitedCaller, job: StoredJob): StoredJob {
  if (job.errorType === null || job.result === null || !reachOf(caller.hosts).limited) return job;
  const error = rawMember(job.result, ["error"]);
  const message = error && rawMember(error, ["message"]);
  if (!error || !message) return job;
  const readable = withoutHosts(caller, message, [job.host, job.device ?? job.host]);
  if (readable === message) return job;
  const at = job.result.lastIndexOf(error);
  const changed = error.replace(message, () => readable);
  return { ...job, result: job.result.slice(0, at) + changed + job.result.slice(at + error.length) };
}

export function toWait(
  job: StoredJob,
  { before, queueRuns }: WaitingPlace,
  now: number,
  iso: (ms: number) => string,
): JobWait {
  const place = { position: before + 1, queue: job.queue };
  if (job.status === "held" && job.dueT === 0) return { reason: "concurrency", ...place };
  if (job.status === "held")
    return job.dueT !== null && job.notBefore !== null && job.notBefore > now
      ? {
          reason: job.windowEnd === null ? "not_before" : "window",
          ...place,
          until: iso(job.notBefore),
        }
      : { reason: "held", ...place };
  return queueRuns && job.strategy === "pinned"
    ? { reason: "host", ...place, host: job.host }
    : { reason: "turn", ...place };
}

export function webhookState(
  state: DeliveryState | undefined,
  now: number,
  iso: (ms: number) => string,
): WebhookState | undefined {
  if (!state || state.state === "skipped") return undefined;
  const status = state.state === "delivered" || state.state === "failed" ? state.state : "pending";
  return {
    status,
    attempts: state.attempts.map(({ at, status: code, error }) => ({
      at: iso(at),
      status: code,
      error,
    })),
    next_attempt_at: state.nextInMs === null ? null : iso(now + state.nextInMs),
  };
}

export function toTicket(
  job: Pick<NewJob, "id" | "queue" | "warnings" | "dryRun">,
  createdAt: string,
): JobTicket {
  const ticket: JobTicket = { id: job.id, status: "queued", queue: job.queue, created_at: createdAt };
  if (job.dryRun === true) ticket.dry_run = true;
  return job.warnings.length > 0 ? { ...ticket, warnings: [...job.warnings] } : ticket;
}
