/** The words of a job: statuses, the moves between them, its record and its result. */
import type { ErrorKind } from "../base/errors.ts";
import type { RawJson } from "../base/json.ts";
import type { CheckReport } from "./checks.ts";

export const jobStatuses = ["queued", "held", "running", "finished", "failed", "cancelled"] as const;
export type JobStatus = (typeof jobStatuses)[number];

/** Words of older clients. */
export const statusAliases = ["started", "canceled"] as const;
const aliased = { started: "running", canceled: "cancelled" } as const;

export function statusNamed(word: JobStatus | (typeof statusAliases)[number]): JobStatus {
  return word === "started" || word === "canceled" ? aliased[word] : word;
}

/** Nothing leaves a final state. A running query may go back to the queue when its worker was lost. */
const moves: Record<JobStatus, readonly JobStatus[]> = {
  queued: ["running", "held", "cancelled", "failed"],
  // It waits for a word or a time, never for a worker.
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

/** Among the jobs of one API key in the fifo queue. */
export const priorities = ["high", "normal", "low"] as const;
export type Priority = (typeof priorities)[number];

/** What a job gave. `retval` maps each command text to its output. */
export type JobResult =
  /** `partial`: some of `retval` are `{error: {type, message}}`. */
  | { type: "success"; retval: Record<string, unknown>; error: null; partial?: true }
  | { type: "failed"; retval: Record<string, unknown> | null; error: JobFailure };

export interface JobFailure {
  type: ErrorKind;
  message: string;
  command?: string;
  outcome?: "unknown";
  sent?: string[];
  [key: string]: unknown;
}

/** What GET /job shows; times are ISO 8601, durations seconds. Never a password, key or secret. */
export interface JobRecord {
  id: string;
  /** A held job shows as `queued` with `held`, as callers of 0.2 know no such status, unless `held` was asked for. */
  status: JobStatus;
  held?: true;
  queue: string;
  driver: string;
  host: string;
  device_type: string | null;
  /** Name of the device in the inventory that it was asked for by. */
  device?: string;
  operation: OperationKind;
  created_at: string;
  enqueued_at: string;
  started_at: string | null;
  ended_at: string | null;
  duration: number | null;
  queue_time: number | null;
  worker: string | null;
  attempt: number;
  result: JobResult | null;
  /** Of a push with checks that has come to them. */
  checks?: CheckReport;
  /** What was asked, without secrets; in a list its first line. */
  command?: unknown;
  config?: unknown;
  /** Bytes and SHA-256 of its lines, and whether less of it is shown. */
  request?: { length: number; sha256: string; cut?: true };
  label?: string;
  ticket?: string;
  note?: string;
  tags?: string[];
  priority?: Priority;
  /** Of a job that waits, where one job is asked for. */
  waits_for?: JobWait;
  bulk_id?: string;
  /** Of a job that failed: the type of its error. */
  error_type?: string;
  /** It begins no sooner. */
  not_before?: string;
  /** Id of the job that this one does again. */
  retry_of?: string;
  warnings?: string[];
  webhook?: WebhookState;
  /** Of a file transfer, while the job runs on the node that is asked. */
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
  ...({ progress: true, device: true } as const),
};
/** Names of the fields of a record. */
export const jobFields: readonly string[] = Object.keys(fields);

/** Why a job is held: `held` waits for a word, as jobs of a copied directory do. */
export const holdReasons = ["held", "not_before", "window", "concurrency"] as const;
export type HoldReason = (typeof holdReasons)[number];

/** What a waiting job waits for. */
export interface JobWait {
  /** `turn`: others go before it; `host`: a job runs on its host; `not_before`: its time; `window`: that of its group; `concurrency`: its bulk; `held`: a word. */
  reason: "turn" | "host" | HoldReason;
  /** Its place among the jobs that wait for the same, from 1. */
  position: number;
  queue: string;
  /** Of `host`. */
  host?: string;
  /** Of `not_before` and `window`. */
  until?: string;
}

export interface WebhookState {
  status: "pending" | "delivered" | "failed";
  attempts: { at: string; status: number | null; error?: string }[];
  next_attempt_at: string | null;
}

/** The record on its way to the caller: a result stays the text it was stored as. */
export type ListedJob = Omit<JobRecord, "result" | "checks"> & {
  result: JobResult | RawJson | null;
  checks?: CheckReport | RawJson;
};

/** The short form a submission answers with. */
export interface JobTicket {
  id: string;
  status: JobStatus;
  queue: string;
  created_at: string;
  warnings?: string[];
}
