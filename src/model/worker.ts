/** The record of a worker, as GET /worker shows it. */
import type { JobStatus } from "./job.ts";

export const workerStatuses = ["idle", "busy", "suspended", "dead"] as const;
export type WorkerStatus = (typeof workerStatuses)[number];

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
  status?: WorkerStatus;
}

export interface JobFilter {
  id?: string;
  status?: JobStatus;
  queue?: string;
  host?: string;
  driver?: string;
  bulk_id?: string;
  /** ISO 8601; jobs created at or after. */
  since?: string;
}
