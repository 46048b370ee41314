/** Jobs: statuses and transitions, record and result. */
import * as v from "valibot";
import type { ErrorKind } from "../base/errors.ts";
import type { RawJson } from "../base/json/json.ts";
import type { CheckReport } from "./checks.ts";
import { described, integer, text } from "./schema.ts";

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
export const submitterKinds = ["key", "person", "schedule", "agent"] as const;
export const submitter = described(
  v.object({ kind: v.picklist(submitterKinds), name: text }),
  "Who submitted it",
);
export type Submitter = v.InferOutput<typeof submitter>;

/** A mark of jobs and bulks. */
export const dryRun = described(v.literal(true), "Nothing was, or will be, changed on the device");

/** A filter by submitter. */
export interface SubmitterCondition {
  readonly kind?: Submitter["kind"] | undefined;
  readonly name: string;
}

/** Result of a job. `retval` maps each command to its output. */
export type JobResult =
  /**
   * `partial`: some values of `retval` are `{error: {type, message}}`. `compared`, of a dry run: whether the device
   * compared the lines with what it has.
   */
  | { type: "success"; retval: Record<string, unknown>; error: null; partial?: true; compared?: boolean }
  | { type: "failed"; retval: Record<string, unknown> | null; error: JobFailure };

export interface JobFailure {
  type: ErrorKind;
  message: string;
  command?: string;
  outcome?: "unknown";
  sent?: string[];
  [key: string]: unknown;
}

/** Of the lines of a request. */
export const requestSize = v.object({
  length: described(integer, "Bytes of the lines"),
  sha256: text,
  cut: v.exactOptional(described(v.literal(true), "The record shows less than that")),
});

/** As in GET /job; times are ISO 8601, durations seconds. Contains no secrets. */
export interface JobRecord {
  id: string;
  /** Held jobs show as `queued` with `held: true` for compatibility with 0.2, unless the caller asks for `held`. */
  status: JobStatus;
  held?: true;
  queue: string;
  driver: string;
  host: string;
  device_type: string | null;
  /** Inventory name of the device, if requested by name. */
  device?: string;
  operation: OperationKind;
  /** Nothing was, or will be, changed on the device. */
  dry_run?: true;
  submitted_by: Submitter;
  created_at: string;
  enqueued_at: string;
  started_at: string | null;
  ended_at: string | null;
  duration: number | null;
  queue_time: number | null;
  worker: string | null;
  attempt: number;
  result: JobResult | null;
  /** Report of a push with checks. */
  checks?: CheckReport;
  /** The request without secrets; in lists its first line. */
  command?: unknown;
  config?: unknown;
  request?: v.InferOutput<typeof requestSize>;
  label?: string;
  ticket?: string;
  note?: string;
  tags?: string[];
  priority?: Priority;
  /** Why a job waits; only for a single job. */
  waits_for?: JobWait;
  bulk_id?: string;
  /** Error type of a failed job. */
  error_type?: string;
  /** Earliest start. */
  not_before?: string;
  /** Id of the retried job. */
  retry_of?: string;
  warnings?: string[];
  webhook?: WebhookState;
  /** File transfer progress, while the job runs on this node. */
  progress?: { bytes_transferred: number; total_bytes: number };
}

const fields: Readonly<Record<keyof JobRecord, true>> = {
  ...({ id: true, status: true, held: true, queue: true, driver: true, host: true } as const),
  ...({ device_type: true, operation: true, created_at: true, enqueued_at: true } as const),
  ...({ started_at: true, ended_at: true, duration: true, queue_time: true, worker: true } as const),
  ...({ attempt: true, result: true, checks: true } as const),
  ...({ command: true, config: true, request: true, label: true } as const),
  ...({ ticket: true, note: true, tags: true, priority: true, waits_for: true, bulk_id: true } as const),
  ...({ error_type: true, not_before: true, retry_of: true, warnings: true, webhook: true } as const),
  ...({ progress: true, device: true, dry_run: true, submitted_by: true } as const),
};
/** Field names of a record. */
export const jobFields: readonly string[] = Object.keys(fields);

/** Why a job is held; `held` waits for a release, as after a restore. */
export const holdReasons = ["held", "not_before", "window", "concurrency"] as const;
export type HoldReason = (typeof holdReasons)[number];

/** What a waiting job waits for. */
export interface JobWait {
  /**
   * `turn`: others are first; `host`: a job runs on its host; `not_before`: its time; `window`: the maintenance window;
   * `concurrency`: the limit of its bulk; `held`: a release.
   */
  reason: "turn" | "host" | HoldReason;
  /** Position among jobs waiting for the same, from 1. */
  position: number;
  queue: string;
  /** For `host`. */
  host?: string;
  /** For `not_before` and `window`. */
  until?: string;
}

export interface WebhookState {
  status: "pending" | "delivered" | "failed";
  attempts: { at: string; status: number | null; error?: string }[];
  next_attempt_at: string | null;
}

/** A record being sent: the result is still raw JSON text. */
export type ListedJob = Omit<JobRecord, "result" | "checks"> & {
  result: JobResult | RawJson | null;
  checks?: CheckReport | RawJson;
};

/** The short form returned by a submission. */
export interface JobTicket {
  id: string;
  status: JobStatus;
  queue: string;
  created_at: string;
  dry_run?: true;
  warnings?: string[];
}
