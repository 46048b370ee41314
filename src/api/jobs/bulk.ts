/** Bulks: the jobs of one request for many devices, with the totals of these jobs. */
import * as v from "valibot";
import { described, integer, moment, named, text, texts } from "../schema.ts";
import { dryRun, jobStatuses, jobTicket, operations, submitter } from "./job.ts";

export const bulkStatuses = ["running", "ended", "stopped"] as const;
export type BulkStatus = (typeof bulkStatuses)[number];

const counts = v.object(v.entriesFromList(jobStatuses, integer));
const errorTypes = described(v.record(text, integer), "Failed jobs by error type");

/** What became of a bulk, in short. Counts the jobs still stored. */
export const bulkResult = v.object({
  status: v.picklist(["running", "ended"]),
  counts,
  error_types: errorTypes,
});
export type BulkResult = v.InferOutput<typeof bulkResult>;

const entries = {
  id: text,
  status: described(
    v.picklist(bulkStatuses),
    "`stopped`: waiting jobs were cancelled; `ended_at` shows whether all jobs have ended",
  ),
  driver: text,
  operation: v.picklist(operations),
  dry_run: v.exactOptional(dryRun),
  submitted_by: submitter,
  created_at: moment,
  ended_at: described(v.nullable(moment), "When the last job ended; null until all have ended"),
  label: v.exactOptional(text),
  ticket: v.exactOptional(text),
  note: v.exactOptional(text),
  tags: v.exactOptional(texts),
  retry_of: v.exactOptional(described(text, "Id of the bulk that this one retries")),
  select: v.exactOptional(
    described(text, "The selector that chose its devices; only if the key may see all of them"),
  ),
  inventory_revision: v.exactOptional(
    described(integer, "Inventory revision that the selector was applied to"),
  ),
  total: described(integer, "Number of jobs created; `counts` has those still stored"),
  counts,
  error_types: errorTypes,
  with_warnings: integer,
  with_refusals: described(integer, "Finished jobs with a command that the device refused"),
  rate: described(v.number(), "Jobs that ended per second, over the last 30 seconds"),
  eta_seconds: described(
    v.nullable(integer),
    "Time left at that rate; null if nothing is left or the rate is 0",
  ),
  concurrency: v.exactOptional(integer),
  max_failures: v.exactOptional(integer),
  order: v.exactOptional(text),
  stopped_because: v.exactOptional(text),
};

/** As in GET /bulk. Counts only jobs visible to the caller. */
export const bulkRecord = named("Bulk", v.object(entries));
export type BulkRecord = v.InferOutput<typeof bulkRecord>;

/** As in GET /bulk/{name}. */
export const bulkDetail = named(
  "BulkDetail",
  v.object({
    ...entries,
    first_failures: described(
      v.array(
        v.object({
          id: text,
          device: v.exactOptional(text),
          host: text,
          error: v.object({ type: text, message: text }),
        }),
      ),
      "The first failures in order, at most 10",
    ),
    without_result: described(
      v.object({ count: integer, hosts: texts }),
      "Jobs that have not finished, and at most 100 of their hosts",
    ),
  }),
);
export type BulkDetail = v.InferOutput<typeof bulkDetail>;

/** Answer of DELETE /bulk/{name}. */
export const cancelledBulk = named(
  "CancelledBulk",
  v.object({
    cancelled: described(integer, "Number of cancelled waiting jobs"),
    stopping: described(integer, "Number of running jobs being stopped"),
  }),
);
export type CancelledBulk = v.InferOutput<typeof cancelledBulk>;

/** The answer to a bulk; each device is listed once. */
export const bulkAnswer = named(
  "BulkAnswer",
  v.object({
    succeeded: v.array(jobTicket),
    failed: described(texts, "Hosts whose job could not be submitted."),
    failed_jobs: described(
      v.array(v.object({ device: v.exactOptional(text), host: text, id: text, reason: text })),
      "The same, with the stored failed job and the reason",
    ),
    bulk_id: text,
    retry_of: v.exactOptional(described(text, "The bulk that this one retries.")),
    warnings: jobTicket.entries.warnings,
  }),
);
export type BulkAnswer = v.InferOutput<typeof bulkAnswer>;
