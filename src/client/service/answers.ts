/** Schemas of the responses that the client reads. Validated, because a proxy or another service may answer. */
import * as v from "valibot";
import { auditEntry } from "../../api/audit.ts";
import { bulkDetail, bulkResult, bulkRecord as listedBulkRecord } from "../../api/bulk.ts";
import { hostKeyRecord } from "../../api/host-key.ts";
import { type JobStatus, jobStatuses, operations, submitter } from "../../api/job.ts";
import { reader } from "../../api/schema.ts";
import { workerRecord } from "../../api/worker.ts";

const failure = v.looseObject({
  type: v.string(),
  message: v.string(),
  command: v.optional(v.string()),
  outcome: v.optional(v.string()),
  sent: v.optional(v.array(v.string())),
});

const result = v.object({
  type: v.picklist(["success", "failed"]),
  retval: v.nullable(v.record(v.string(), v.unknown())),
  error: v.nullable(failure),
  compared: v.optional(v.boolean()),
});

const checkResult = v.looseObject({
  name: v.optional(v.string()),
  command: v.string(),
  ok: v.nullable(v.boolean()),
  message: v.string(),
});

const checks = v.looseObject({
  before: v.array(checkResult),
  after: v.array(checkResult),
  message: v.string(),
});
export type Checks = v.InferOutput<typeof checks>;

export { forgottenHostKeys } from "../../api/host-key.ts";
export type { Submitter } from "../../api/job.ts";

/** A job record. Fields the client does not use are passed through by `--json`. */
export const jobRecord = v.looseObject({
  id: v.string(),
  status: v.picklist(jobStatuses),
  held: v.optional(v.boolean()),
  queue: v.string(),
  driver: v.string(),
  host: v.string(),
  device_type: v.nullable(v.string()),
  operation: v.picklist(operations),
  dry_run: v.optional(v.boolean()),
  submitted_by: v.optional(submitter),
  created_at: v.string(),
  started_at: v.nullable(v.string()),
  ended_at: v.nullable(v.string()),
  duration: v.nullable(v.number()),
  worker: v.nullable(v.string()),
  attempt: v.number(),
  result: v.nullable(result),
  checks: v.optional(checks),
  command: v.optional(v.unknown()),
  config: v.optional(v.unknown()),
  label: v.optional(v.string()),
  ticket: v.optional(v.string()),
  warnings: v.optional(v.array(v.string())),
  bulk_id: v.optional(v.string()),
  device: v.nullish(v.string()),
  waits_for: v.nullish(v.looseObject({ reason: v.string(), until: v.nullish(v.string()) })),
});
export type Job = v.InferOutput<typeof jobRecord>;
export const jobList = v.array(jobRecord);

/** What a push sent and received. */
export const transcript = v.looseObject({
  host: v.string(),
  lines: v.array(v.string()),
  dialogue: v.nullable(v.string()),
  difference: v.optional(v.string()),
  cut: v.optional(v.boolean()),
  sha256: v.string(),
});

const hostKey = reader(hostKeyRecord);
export type HostKey = v.InferOutput<typeof hostKey>;
export const hostKeyList = v.array(hostKey);

/** The fields of a job that a summary needs, as requested with `fields`. */
const endedJob = v.pick(jobRecord, ["device", "host", "status", "result"]);
export type EndedJob = v.InferOutput<typeof endedJob>;
export const endedFields = Object.keys(endedJob.entries).join(",");
export const endedList = v.array(endedJob);

export const ticket = v.object({ id: v.string(), warnings: v.optional(v.array(v.string())) });

export const submitted = v.looseObject({
  bulk_id: v.string(),
  succeeded: v.array(ticket),
  failed_jobs: v.array(v.looseObject({ host: v.string(), id: v.string(), reason: v.string() })),
  warnings: v.optional(v.array(v.string())),
});
export type Submitted = v.InferOutput<typeof submitted>;

const worker = reader(workerRecord);
export const workerList = v.array(worker);
export type Worker = v.InferOutput<typeof worker>;

const auditRecord = reader(auditEntry);
export type AuditEntry = v.InferOutput<typeof auditRecord>;
export const auditList = v.array(auditRecord);

export { cancelledBulk } from "../../api/bulk.ts";

export const { counts } = bulkResult.entries;
export const bulkRecord = reader(bulkDetail);
export type Bulk = v.InferOutput<typeof bulkRecord>;
const listedBulk = reader(listedBulkRecord);
export type ListedBulk = v.InferOutput<typeof listedBulk>;
export const bulkList = v.array(listedBulk);

/** Event `state` of a bulk. */
export const stateEvent = v.looseObject({ id: v.string(), status: v.picklist(jobStatuses) });
const outputEvent = v.looseObject({ text: v.string(), missed: v.optional(v.number()) });
const progressEvent = v.object({ bytes_transferred: v.number(), total_bytes: v.number() });

/** Responses that are text, ids, or anything. */
export const text = v.string();
export const ids = v.array(v.string());
export const anything = v.unknown();
const rows = v.array(v.record(v.string(), v.unknown()));

/** Parsed data as table rows; undefined if it is not tabular. */
export function asRows(data: unknown): Record<string, unknown>[] | undefined {
  const read = v.safeParse(rows, data);
  return read.success && read.output.length > 0 ? read.output : undefined;
}

/** Parses an event of a job; ignores events of newer services that this client does not know. */
export function readJobEvent(
  event: string,
  data: unknown,
): { status?: JobStatus; said?: string; moved?: v.InferOutput<typeof progressEvent> } {
  const state = event === "state" ? v.safeParse(stateEvent, data) : undefined;
  if (state?.success) return { status: state.output.status };
  const output = event === "output" ? v.safeParse(outputEvent, data) : undefined;
  if (output?.success) return { said: output.output.text };
  const progress = event === "progress" ? v.safeParse(progressEvent, data) : undefined;
  return progress?.success ? { moved: progress.output } : {};
}
