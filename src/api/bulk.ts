/** The record of a bulk, as in GET /bulk: totals of its jobs. */
import * as v from "valibot";
import { type JobStatus, jobStatuses, type OperationKind, type Submitter } from "./job.ts";
import { described, integer, text } from "./schema.ts";

/** `stopped`: waiting jobs were cancelled; `ended_at` tells whether all jobs have ended. */
export const bulkStatuses = ["running", "ended", "stopped"] as const;
export type BulkStatus = (typeof bulkStatuses)[number];

/** Counts only jobs visible to the caller. */
export interface BulkRecord {
  id: string;
  status: BulkStatus;
  driver: string;
  operation: OperationKind;
  dry_run?: true;
  submitted_by: Submitter;
  created_at: string;
  /** End of the last job; null until all have ended. */
  ended_at: string | null;
  label?: string;
  ticket?: string;
  note?: string;
  tags?: string[];
  /** Id of the retried bulk. */
  retry_of?: string;
  /** The selector; only if the caller may see all jobs. */
  select?: string;
  /** Inventory revision at the selection. */
  inventory_revision?: number;
  /** Number of jobs at submission; `counts` covers those still stored. */
  total: number;
  counts: Record<JobStatus, number>;
  /** Number of failed jobs by error type. */
  error_types: Record<string, number>;
  with_warnings: number;
  /** Finished jobs with a command that the device refused. */
  with_refusals: number;
  /** Jobs per second over the last 30 seconds. */
  rate: number;
  /** Estimated remaining time; null if nothing is left or the rate is 0. */
  eta_seconds: number | null;
  concurrency?: number;
  max_failures?: number;
  order?: string;
  stopped_because?: string;
}

const counts = v.object(v.entriesFromList(jobStatuses, integer));
const errorTypes = described(v.record(text, integer), "Failed jobs by error type");

/** What became of a bulk, in short. Counts the jobs still stored. */
export const bulkResult = v.object({
  status: v.picklist(["running", "ended"]),
  counts,
  error_types: errorTypes,
});
export type BulkResult = v.InferOutput<typeof bulkResult>;

export interface BulkDetail extends BulkRecord {
  /** The first 10 failures, in order. */
  first_failures: { id: string; device?: string; host: string; error: { type: string; message: string } }[];
  /** Jobs that have not finished, with at most 100 hosts. */
  without_result: { count: number; hosts: string[] };
}

export interface BulkFilter {
  /** First characters of the id. */
  id_prefix?: string;
  status?: BulkStatus;
  label?: string;
  ticket?: string;
  /** One of its tags. */
  tag?: string;
  driver?: string;
  dry_run?: boolean;
  /** `<name>`, `<kind>:<name>`, or `me`: the key of the caller. */
  submitted_by?: string;
  /** ISO 8601: created at or after `since`, before `until`. */
  since?: string;
  until?: string;
}
