/** Jobs: statuses and transitions, record and result. */
import * as v from "valibot";
import type { ErrorKind } from "../../base/errors.ts";
import type { RawJson } from "../../base/json/json.ts";
import { described, integer, moment, named, text, texts } from "../schema.ts";
import { type CheckReport, checkReport } from "./check-report.ts";

export const jobStatuses = ["queued", "held", "running", "finished", "failed", "cancelled"] as const;
export type JobStatus = (typeof jobStatuses)[number];

/** Names used by older clients. */
export const statusAliases = ["started", "canceled"] as const;
const aliased = { started: "running", canceled: "cancelled" } as const;

export function statusNamed(word: JobStatus | (typeof statusAliases)[number]): JobStatus {
  return word === "started" || word === "canceled" ? aliased[word] : word;
}

/** Final states have no transitions. A running query may be requeued after its worker was lost. */
const moves: Record<JobStatus, readonly JobStatus[]> = {
  queued: ["running", "held", "cancelled", "failed"],
  // Waits for a release or a time, not for a worker.
  held: ["queued", "cancelled", "failed"],
  running: ["finished", "failed", "queued"],
  finished: [],
  failed: [],
  cancelled: [],
};

export function isFinal(status: JobStatus): boolean {
  return moves[status].length === 0;
}

export const operations = ["query", "config"] as const;
export type OperationKind = (typeof operations)[number];

export const strategies = ["pinned", "fifo"] as const;
export type QueueStrategy = (typeof strategies)[number];

/** Order among jobs of one API key in the fifo queue. */
export const priorities = ["high", "normal", "low"] as const;
export type Priority = (typeof priorities)[number];

/** Who submits jobs. */
export const submitterKinds = ["key", "person", "schedule", "agent", "hook"] as const;
export const submitter = described(
  v.object({ kind: v.picklist(submitterKinds), name: text }),
  "Who submitted it",
);
export type Submitter = v.InferOutput<typeof submitter>;

/** Of what is kept and can be written again; who it was is looked up when it is read. */
export const writer = described(
  v.nullable(submitter),
  "Who wrote it last: a key, or a person by a session or a key of their own; null: it was stored before this was noted",
);

/** As it is stored. */
export function writerIn(stored: {
  readonly submitterKind: Submitter["kind"] | null;
  readonly submitter: string | null;
}): Submitter | null {
  const { submitterKind: kind, submitter: name } = stored;
  return kind === null || name === null ? null : { kind, name };
}

/** A mark of jobs and bulks. */
export const dryRun = described(v.literal(true), "Nothing was, or will be, changed on the device");

/** A filter by submitter. */
export interface SubmitterCondition {
  readonly kind?: Submitter["kind"] | undefined;
  readonly name: string;
}

const hostKey = v.object({ type: text, fingerprint: text });

/** Members of newer versions and of plugins pass. */
const jobFailure = named(
  "JobFailure",
  v.looseObject({
    type: text,
    message: text,
    command: v.exactOptional(described(text, "The command or line that failed")),
    matched: v.exactOptional(described(text, "Device output that matched an error pattern")),
    prompt: v.exactOptional(described(text, "Device prompt at that moment")),
    outcome: v.exactOptional(
      described(
        v.literal("unknown"),
        "Something may have reached the device, and its completion was not seen.",
      ),
    ),
    found: v.exactOptional(
      described(
        v.picklist(["before", "other"]),
        "Of a commit that waited in the device: what runs in its place, what ran before the push or something else",
      ),
    ),
    sent: v.exactOptional(described(texts, "With `outcome`: the lines that may have reached the device")),
    confirmed: v.exactOptional(described(text, "With `outcome`: the last line whose response was seen")),
    unsent: v.exactOptional(described(texts, "After a line that left configuration mode: lines not sent")),
    taken: v.exactOptional(described(texts, "Of pipelined lines: the accepted ones before the rejected one")),
    ahead: v.exactOptional(
      described(
        v.array(
          v.object({
            line: text,
            taken: v.exactOptional(described(v.boolean(), "Absent: the response was not seen")),
            output: v.exactOptional(text),
          }),
        ),
        "Of pipelined lines: those after the rejected one",
      ),
    ),
    host: v.exactOptional(described(text, "Of a host key that does not match: where it was shown")),
    port: v.exactOptional(integer),
    shown: v.exactOptional(described(hostKey, "The host key that was shown")),
    known: v.exactOptional(described(v.array(hostKey), "The host keys that are known")),
  }),
);
export type JobFailure = v.InferOutput<typeof jobFailure> & { type: ErrorKind };

export const jobResult = named(
  "JobResult",
  v.object({
    type: v.picklist(["success", "failed"]),
    retval: described(
      v.nullable(v.record(text, v.unknown())),
      "Each command with its output or parsed data.",
    ),
    error: v.nullable(jobFailure),
    compared: v.exactOptional(
      described(
        v.boolean(),
        "Only of a dry run: whether the device compared the lines; false: they were only returned",
      ),
    ),
    partial: v.exactOptional(
      described(
        v.literal(true),
        "Some members of `retval` are `{error: {type, message}}`; the others succeeded.",
      ),
    ),
  }),
);
type ResultFields = v.InferOutput<typeof jobResult>;
export type JobResult =
  | (ResultFields & { type: "success"; retval: Record<string, unknown>; error: null })
  | (ResultFields & { type: "failed"; error: JobFailure });

/** Of the lines of a request. */
export const requestSize = v.object({
  length: described(integer, "Bytes of the lines"),
  sha256: text,
  cut: v.exactOptional(described(v.literal(true), "The record shows less than that")),
});

/** Why a job is held; `held` waits for a release, as after a restore. */
export const holdReasons = ["held", "not_before", "window", "concurrency"] as const;
export type HoldReason = (typeof holdReasons)[number];

const jobWait = described(
  v.object({
    reason: described(
      v.picklist(["turn", "host", ...holdReasons]),
      "`turn`: others are first; `host`: a job runs on its host; `not_before`: its time; `window`: the maintenance window; `concurrency`: the limit of its bulk; `held`: a release",
    ),
    position: described(integer, "Among the jobs that wait for the same reason, from 1"),
    queue: text,
    host: v.exactOptional(text),
    until: v.exactOptional(moment),
  }),
  "Only of a waiting job, with `?id=`",
);
/** What a waiting job waits for. */
export type JobWait = v.InferOutput<typeof jobWait>;

const webhookState = v.object({
  status: v.picklist(["pending", "delivered", "failed"]),
  attempts: v.array(v.object({ at: moment, status: v.nullable(integer), error: v.exactOptional(text) })),
  next_attempt_at: v.nullable(moment),
});
export type WebhookState = v.InferOutput<typeof webhookState>;

const seconds = described(v.nullable(v.number()), "Seconds");
const request = described(v.unknown(), "The request, without secrets; lists show its first line.");
const warnings = v.exactOptional(
  described(texts, "Ignored arguments, rejected commands, and other conditions that did not fail the job."),
);

/** As in GET /job. Contains no secrets. */
export const jobRecord = named(
  "Job",
  v.object({
    id: text,
    status: v.picklist(jobStatuses),
    held: v.exactOptional(
      described(
        v.literal(true),
        "The job waits for a release or a time; its status shows as `queued` unless `held` is requested",
      ),
    ),
    queue: described(text, "`fifo` or `pinned_<host>`"),
    driver: text,
    host: text,
    device_type: v.nullable(text),
    device: v.exactOptional(described(text, "The inventory device that the job was submitted for")),
    operation: v.picklist(operations),
    dry_run: v.exactOptional(dryRun),
    submitted_by: submitter,
    created_at: moment,
    enqueued_at: moment,
    started_at: v.nullable(moment),
    ended_at: v.nullable(moment),
    duration: seconds,
    queue_time: seconds,
    worker: v.nullable(text),
    attempt: integer,
    result: v.nullable(jobResult),
    checks: v.exactOptional(checkReport),
    command: v.exactOptional(request),
    config: v.exactOptional(request),
    request: v.exactOptional(requestSize),
    label: v.exactOptional(text),
    ticket: v.exactOptional(text),
    note: v.exactOptional(text),
    tags: v.exactOptional(texts),
    templates: v.exactOptional(described(texts, "Stored templates whose text it has, as `name/version`")),
    priority: v.exactOptional(v.picklist(priorities)),
    waits_for: v.exactOptional(jobWait),
    bulk_id: v.exactOptional(text),
    error_type: v.exactOptional(described(text, "Only of a failed job: the type of its error")),
    not_before: v.exactOptional(described(moment, "Earliest start time")),
    retry_of: v.exactOptional(described(text, "Id of the job that this one retries")),
    warnings,
    webhook: v.exactOptional(webhookState),
    progress: v.exactOptional(
      described(
        v.object({ bytes_transferred: integer, total_bytes: integer }),
        "Of a file transfer, while the job runs on the node that answers",
      ),
    ),
  }),
);
export type JobRecord = v.InferOutput<typeof jobRecord>;

/** Field names of a record. */
export const jobFields: readonly string[] = Object.keys(jobRecord.entries);

/** A record being sent: the result is still raw JSON text. */
export type ListedJob = Omit<JobRecord, "result" | "checks"> & {
  result: JobRecord["result"] | RawJson;
  checks?: CheckReport | RawJson;
};

/** The short form returned by a submission. */
export const jobTicket = named(
  "JobTicket",
  v.object({
    id: text,
    status: v.picklist(jobStatuses),
    queue: text,
    created_at: moment,
    dry_run: v.exactOptional(dryRun),
    warnings,
  }),
);
export type JobTicket = v.InferOutput<typeof jobTicket>;

/** The answer to a submission. */
export const submittedJob = described(
  v.union([jobTicket, jobRecord]),
  "With `Prefer: wait`, the whole record.",
);
