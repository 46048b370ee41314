/** Schemas of the responses that the client reads. Validated, because a proxy or another service may answer. */
import * as v from "valibot";
import { hostKeyRecord } from "../../api/access/host-key.ts";
import { auditEntry } from "../../api/admin/audit.ts";
import { workerRecord } from "../../api/admin/worker.ts";
import { bulkAnswer, bulkDetail, bulkResult, bulkRecord as listedBulkRecord } from "../../api/jobs/bulk.ts";
import type { CheckReport } from "../../api/jobs/check-report.ts";
import { outputData, progressData, stateData } from "../../api/jobs/event.ts";
import { type JobStatus, jobRecord, jobTicket } from "../../api/jobs/job.ts";
import { transcriptRecord } from "../../api/jobs/transcript.ts";
import { reader } from "../../api/schema.ts";

export { forgottenHostKeys } from "../../api/access/host-key.ts";
export type { Submitter } from "../../api/jobs/job.ts";

/** Fields the client does not use are passed through by `--json`. */
export const job = reader(jobRecord);
export type Job = v.InferOutput<typeof job>;
export type Checks = CheckReport;
export const jobList = v.array(job);

export const transcript = reader(transcriptRecord);

const hostKey = reader(hostKeyRecord);
export type HostKey = v.InferOutput<typeof hostKey>;
export const hostKeyList = v.array(hostKey);

/** The fields of a job that a summary needs, as requested with `fields`. */
const endedJob = v.pick(v.object(jobRecord.entries), ["device", "host", "status", "result"]);
export type EndedJob = v.InferOutput<typeof endedJob>;
export const endedFields = Object.keys(endedJob.entries).join(",");
export const endedList = v.array(endedJob);

export const ticket = reader(jobTicket);

export const submitted = reader(bulkAnswer);
export type Submitted = v.InferOutput<typeof submitted>;

const worker = reader(workerRecord);
export const workerList = v.array(worker);
export type Worker = v.InferOutput<typeof worker>;

const auditRecord = reader(auditEntry);
export type AuditEntry = v.InferOutput<typeof auditRecord>;
export const auditList = v.array(auditRecord);

export { cancelledBulk } from "../../api/jobs/bulk.ts";

export const { counts } = bulkResult.entries;
export const bulkRecord = reader(bulkDetail);
export type Bulk = v.InferOutput<typeof bulkRecord>;
const listedBulk = reader(listedBulkRecord);
export type ListedBulk = v.InferOutput<typeof listedBulk>;
export const bulkList = v.array(listedBulk);

/** Data of the event `state`. */
export const state = reader(stateData);

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
): { status?: JobStatus; said?: string; moved?: v.InferOutput<typeof progressData> } {
  const change = event === "state" ? v.safeParse(state, data) : undefined;
  if (change?.success) return { status: change.output.status };
  const output = event === "output" ? v.safeParse(reader(outputData), data) : undefined;
  if (output?.success) return { said: output.output.text };
  const progress = event === "progress" ? v.safeParse(reader(progressData), data) : undefined;
  return progress?.success ? { moved: progress.output } : {};
}
