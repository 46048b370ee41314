/** Schemas of the API answers that the console reads, validated on arrival. */
import * as v from "valibot";
import { auditEntry } from "../api/audit.ts";
import { bulkRecord } from "../api/bulk.ts";
import { credentialRecord } from "../api/credential.ts";
import { jobStatuses, type Submitter, submitter } from "../api/job.ts";
import { keyRecord } from "../api/key.ts";
import { loginSessionRecord } from "../api/login-session.ts";
import { pluginRecord } from "../api/plugin.ts";
import { reader } from "../api/schema.ts";
import { statisticsRecord } from "../api/statistics.ts";
import { workerRecord } from "../api/worker.ts";
import { requestLine } from "../base/text/request-line.ts";

const nullable = <S extends v.GenericSchema>(schema: S) => v.nullable(schema);
const texts = v.array(v.string());

export const session = reader(loginSessionRecord);
export type Session = v.InferOutput<typeof session>;

export { type JobStatus, jobStatuses } from "../api/job.ts";

const failure = v.looseObject({
  type: v.string(),
  message: v.string(),
  command: v.optional(v.string()),
  outcome: v.optional(v.string()),
  sent: v.optional(texts),
  /** Of a HostKeyMismatch. */
  host: v.optional(v.string()),
  port: v.optional(v.number()),
  shown: v.optional(v.looseObject({ type: v.string(), fingerprint: v.string() })),
  known: v.optional(v.array(v.looseObject({ type: v.string(), fingerprint: v.string() }))),
});
export const jobResult = v.looseObject({
  type: v.string(),
  retval: v.unknown(),
  error: nullable(failure),
  partial: v.optional(v.boolean()),
  compared: v.optional(v.boolean()),
});

/** `nightly (schedule)`; of a key only its name. */
export const submitterText = (of: Submitter | undefined): string | undefined =>
  of && (of.kind === "key" ? of.name : `${of.name} (${of.kind})`);

/** A list row, without the result and with only the requested fields. */
export const jobRow = v.object({
  id: v.string(),
  status: v.picklist(jobStatuses),
  held: v.optional(v.boolean()),
  host: v.string(),
  device: v.optional(v.string()),
  driver: v.string(),
  operation: v.string(),
  dry_run: v.optional(v.boolean()),
  submitted_by: v.optional(submitter),
  device_type: v.optional(nullable(v.string())),
  created_at: v.string(),
  ended_at: nullable(v.string()),
  duration: nullable(v.number()),
  error_type: v.optional(v.string()),
  label: v.optional(v.string()),
  bulk_id: v.optional(v.string()),
  /** In a list the first line of the request; for a single job all of it. */
  command: v.optional(v.unknown()),
  config: v.optional(v.unknown()),
  request: v.optional(v.looseObject({ cut: v.optional(v.boolean()) })),
});
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
export const jobRowFields = Object.keys(jobRow.entries).join(",");

const check = v.looseObject({
  name: v.nullish(v.string()),
  command: v.nullish(v.string()),
  ok: nullable(v.boolean()),
  value: v.optional(v.unknown()),
  expected: v.optional(v.unknown()),
  message: v.nullish(v.string()),
});
const checks = v.looseObject({
  before: v.array(check),
  after: v.array(check),
  undone: v.union([v.boolean(), v.literal("unknown")]),
  how: v.nullish(v.string()),
  message: v.nullish(v.string()),
});

export const job = v.looseObject({
  ...jobRow.entries,
  queue: v.string(),
  enqueued_at: v.string(),
  started_at: nullable(v.string()),
  queue_time: nullable(v.number()),
  worker: nullable(v.string()),
  attempt: v.number(),
  result: nullable(jobResult),
  ticket: v.optional(v.string()),
  note: v.optional(v.string()),
  tags: v.optional(texts),
  priority: v.optional(v.string()),
  warnings: v.optional(texts),
  retry_of: v.optional(v.string()),
  checks: v.optional(nullable(checks)),
  waits_for: v.optional(
    v.looseObject({ reason: v.string(), position: v.optional(v.number()), until: v.optional(v.string()) }),
  ),
  progress: v.optional(v.object({ bytes_transferred: v.number(), total_bytes: v.number() })),
  webhook: v.optional(v.looseObject({ status: v.string(), attempts: v.array(v.unknown()) })),
});
export type Job = v.InferOutput<typeof job>;

/** What a push sent and received. */
export const transcript = v.looseObject({
  lines: v.array(v.string()),
  dialogue: v.nullable(v.string()),
  difference: v.optional(v.string()),
  sha256: v.string(),
});

export const bulk = reader(bulkRecord);
export type Bulk = v.InferOutput<typeof bulk>;

export const worker = reader(workerRecord);
export const key = reader(keyRecord);
export const credential = reader(credentialRecord);
export const auditRecord = reader(auditEntry);
export const plugin = reader(pluginRecord);
export const statistics = reader(statisticsRecord);
export { licence, setting } from "../api/setting.ts";

/** The issues in `data` of an error response. */
export const issues = v.array(v.looseObject({ path: v.string(), message: v.string() }));

export const ticket = v.looseObject({ id: v.string(), warnings: v.optional(texts) });
export const bulkAnswer = v.looseObject({
  bulk_id: v.string(),
  succeeded: v.array(v.unknown()),
  failed_jobs: v.array(v.looseObject({ host: v.string(), reason: v.string() })),
});
