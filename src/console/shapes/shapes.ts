/** Schemas of the API answers that the console reads, validated on arrival. */
import * as v from "valibot";
import { credentialRecord } from "../../api/access/credential.ts";
import { keyRecord, madeKey as made } from "../../api/access/key.ts";
import { loginWays } from "../../api/access/login.ts";
import { decidedLogin as decided, waitingLogin as waiting } from "../../api/access/login-request.ts";
import { loginSessionRecord } from "../../api/access/login-session.ts";
import { auditEntry } from "../../api/admin/audit.ts";
import { pluginRecord } from "../../api/admin/plugin.ts";
import { statisticsRecord } from "../../api/admin/statistics.ts";
import { workerRecord } from "../../api/admin/worker.ts";
import { bulkRecord, bulkAnswer as bulkSubmission } from "../../api/jobs/bulk.ts";
import { stateData } from "../../api/jobs/event.ts";
import { jobRecord, jobTicket, type Submitter } from "../../api/jobs/job.ts";
import { testAnswer } from "../../api/jobs/request.ts";
import { resultGroups as groups, type OutputGroup } from "../../api/jobs/result-groups.ts";
import { transcriptRecord } from "../../api/jobs/transcript.ts";
import { reader } from "../../api/schema.ts";
import { requestLine } from "../../base/text/request-line.ts";

export const tested = reader(testAnswer);
export const resultGroups = reader(groups);
export type { OutputGroup };
export const ways = reader(loginWays);
export const jobEvent = reader(stateData);
export const session = reader(loginSessionRecord);
export type Session = v.InferOutput<typeof session>;

export { type JobStatus, jobStatuses } from "../../api/jobs/job.ts";

/** `nightly (schedule)`; of a key only its name. */
export function submitterText(of: Submitter | null | undefined): string | undefined {
  if (!of) return undefined;
  return of.kind === "key" ? of.name : `${of.name} (${of.kind})`;
}

/** A list row, without the result and with only the requested fields. */
const listed = [
  "id",
  "status",
  "held",
  "host",
  "device",
  "driver",
  "operation",
  "dry_run",
  "submitted_by",
  "device_type",
  "created_at",
  "ended_at",
  "duration",
  "error_type",
  "label",
  "ticket",
  "bulk_id",
  "command",
  "config",
  "request",
] as const;
const listedJob = v.pick(v.object(jobRecord.entries), listed);
export const jobRow = reader(listedJob);
const toFail = ["id", "host", "device", "operation", "error_type", "result"] as const;
const failed = v.pick(v.object(jobRecord.entries), toFail);
/** A failed job, with its error. */
export const failedJob = reader(failed);
export const failedJobFields = toFail.join(",");
export type JobRow = v.InferOutput<typeof jobRow>;
/** The inventory device, if the job names one, and its host. */
export const placeOf = ({ device, host }: Pick<JobRow, "device" | "host">): string =>
  device === undefined || device === host ? host : `${device} (${host})`;
/** The first line of a job's request, with an ellipsis if there is more. */
export const firstLine = ({ command, config, request }: JobRow): string => {
  const line = command ?? config;
  return typeof line === "string" ? `${requestLine(line)}${request?.cut ? " …" : ""}` : "";
};
/** Value of `fields=` for lists. */
export const jobRowFields = listed.join(",");

export const job = reader(jobRecord);
export type Job = v.InferOutput<typeof job>;
export const transcript = reader(transcriptRecord);

export const bulk = reader(bulkRecord);
export type Bulk = v.InferOutput<typeof bulk>;
/** What its devices were asked for, or which they are. */
export const nameOf = ({ id, label, select }: Pick<Bulk, "id" | "label" | "select">): string =>
  label ?? select ?? `Bulk ${id.slice(-12)}`;

export const worker = reader(workerRecord);
export const key = reader(keyRecord);
export const madeKey = reader(made);
export const waitingLogin = reader(waiting);
export const decidedLogin = reader(decided);
export const credential = reader(credentialRecord);
export const auditRecord = reader(auditEntry);
export const plugin = reader(pluginRecord);
export const statistics = reader(statisticsRecord);
export { licence, setting } from "../../api/admin/setting.ts";

/** The issues in `data` of an error response. */
export const issues = v.array(v.looseObject({ path: v.string(), message: v.string() }));

export const ticket = reader(jobTicket);
export const bulkAnswer = reader(bulkSubmission);
