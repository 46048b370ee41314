/** The record of a bulk, as GET /bulk shows it: what becomes of its jobs, without any of them. */
import type { JobStatus, OperationKind } from "./job.ts";

/** `stopped`: what waited was cancelled; whether all of it has ended, `ended_at` tells. */
export const bulkStatuses = ["running", "ended", "stopped"] as const;
export type BulkStatus = (typeof bulkStatuses)[number];

/** Of the jobs that its reader may see. */
export interface BulkRecord {
  id: string;
  status: BulkStatus;
  driver: string;
  operation: OperationKind;
  created_at: string;
  /** When the last job ended; null until all have. */
  ended_at: string | null;
  label?: string;
  ticket?: string;
  note?: string;
  tags?: string[];
  /** Id of the bulk that this one does again. */
  retry_of?: string;
  /** The selector that chose its devices; only where all of it is shown. */
  select?: string;
  /** Of the inventory when they were chosen. */
  inventory_revision?: number;
  /** Jobs that it was made of; `counts` has those that are still there. */
  total: number;
  counts: Record<JobStatus, number>;
  /** How many failed, by the type of their error. */
  error_types: Record<string, number>;
  with_warnings: number;
  /** Jobs that ended a second, over the last 30 seconds. */
  rate: number;
  /** How long the rest takes at that rate; null when nothing is left, or nothing ends. */
  eta_seconds: number | null;
  concurrency?: number;
  max_failures?: number;
  order?: string;
  stopped_because?: string;
}

export interface BulkDetail extends BulkRecord {
  /** At most 10, in the order in which they failed. */
  first_failures: { id: string; host: string; error: { type: string; message: string } }[];
  /** Jobs that have not finished: they wait, run, failed or were cancelled. At most 100 hosts are named. */
  without_result: { count: number; hosts: string[] };
}

export interface BulkFilter {
  status?: BulkStatus;
  label?: string;
  ticket?: string;
  /** One of its tags. */
  tag?: string;
  driver?: string;
  /** ISO 8601; created at or after, and before. */
  since?: string;
  until?: string;
}
