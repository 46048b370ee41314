/** The record of a worker, as GET /worker shows it, and how workers are named. */
import { fifoQueue } from "./identity.ts";
import type { HoldReason, JobStatus, OperationKind } from "./job.ts";

export const workerStatuses = ["idle", "busy", "suspended", "dead"] as const;
export type WorkerStatus = (typeof workerStatuses)[number];

/** `<node>.fifo.<n>` serve the queue of all, `<node>.pinned_<host>` that of a host: a prefix, and a number or the queue. */
export function workerPrefix(node: string, strategy: "fifo" | "pinned"): string {
  return strategy === "fifo" ? `${node}.${fifoQueue}.` : `${node}.`;
}

export function fifoWorker(node: string, index: number): string {
  return `${workerPrefix(node, "fifo")}${index}`;
}

export function pinnedWorker(node: string, queue: string): string {
  return `${workerPrefix(node, "pinned")}${queue}`;
}

/** The queue of a pinned worker of this node. */
export function queueOfWorker(node: string, worker: string): string {
  return worker.slice(workerPrefix(node, "pinned").length);
}

export interface WorkerRecord {
  /** `<node>.fifo.<n>` or `<node>.pinned_<host>`. */
  name: string;
  status: WorkerStatus;
  pid: number;
  hostname: string;
  node: string;
  queues: string[];
  current_job: string | null;
  last_heartbeat: string;
  birth_at: string;
  successful_job_count: number;
  failed_job_count: number;
}

export interface WorkerFilter {
  name?: string;
  queue?: string;
  node?: string;
  host?: string;
  /** A selector: of the hosts of these devices. */
  select?: string;
  status?: WorkerStatus;
}

/** What a list of jobs goes by; all of it must hold. */
export interface JobFilter {
  id?: string;
  status?: JobStatus;
  /** Held jobs alone: those that this holds. */
  reason?: HoldReason;
  queue?: string;
  host?: string;
  /** Name of a device of the inventory. */
  device?: string;
  /** A selector: of the hosts of these devices. */
  select?: string;
  driver?: string;
  bulk_id?: string;
  operation?: OperationKind;
  /** Type of the error of a job that failed. */
  error_type?: string;
  label?: string;
  ticket?: string;
  /** One of its tags. */
  tag?: string;
  /** ISO 8601; jobs created at or after. */
  since?: string;
  /** ISO 8601; jobs created before. */
  until?: string;
}
