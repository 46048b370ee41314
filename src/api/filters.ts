/** Filters of lists as query parameters: jobs, bulks, workers; all conditions of one must match. */
import * as v from "valibot";
import { workerStatuses } from "./admin/worker.ts";
import { queueNamed } from "./identity.ts";
import { bulkStatuses } from "./jobs/bulk.ts";
import { holdReasons, jobStatuses, operations, statusAliases, statusNamed } from "./jobs/job.ts";
import { isoMomentOf } from "./time.ts";

/** No maximum length: the runtime limits URLs far below, and an id that is too long is simply unknown. */
export const textParameter = v.optional(v.pipe(v.string(), v.nonEmpty("must not be empty")));
export const momentParameter = v.optional(
  v.pipe(
    v.string(),
    // An unencoded `+02:00` arrives with a space.
    v.transform((value) => isoMomentOf(value.replace(/ (?=\d\d(:?\d\d)?$)/, "+")) ?? ""),
    v.nonEmpty("must be a time in ISO 8601, such as 2026-01-31T08:00:00Z"),
  ),
);
export const oneOf = <const T extends readonly string[]>(values: T) =>
  v.optional(v.picklist(values, `must be one of ${values.join(", ")}`));

export const truths = ["true", "false", "1", "0"] as const;
export const isTrue = (word: (typeof truths)[number] | undefined): boolean => word === "true" || word === "1";
/** Absent, or either value. */
export const truthCondition = v.optional(
  v.pipe(
    v.picklist(truths, `must be one of ${truths.join(", ")}`),
    v.transform((word) => isTrue(word)),
  ),
);
/** Also accepts the spelling of older clients. */
const queue = v.optional(v.pipe(v.string(), v.nonEmpty("must not be empty"), v.transform(queueNamed)));
const status = v.optional(
  v.pipe(
    v.picklist([...jobStatuses, ...statusAliases], `must be one of ${jobStatuses.join(", ")}`),
    v.transform(statusNamed),
  ),
);
/** Ids are lower-case UUIDs. */
const idPrefix = v.optional(
  v.pipe(
    v.string(),
    v.regex(/^[0-9a-f-]{4,36}$/i, "must be the first 4 to 36 characters of an id"),
    v.transform((prefix) => prefix.toLowerCase()),
  ),
);
/** Those of jobs and of bulks. `tag`: one of theirs; `submitted_by`: `<name>`, `<kind>:<name>`, or `me`. */
const common = {
  driver: textParameter,
  dry_run: truthCondition,
  submitted_by: textParameter,
  label: textParameter,
  ticket: textParameter,
  tag: textParameter,
  /** Created at or after, and before. */
  since: momentParameter,
  until: momentParameter,
};

/** Of what is kept: whose it is. */
export const writerFilter = v.object({ submitted_by: textParameter });
export type WriterFilter = v.InferOutput<typeof writerFilter>;

export const jobFilter = v.object({
  id: textParameter,
  status,
  /** Only held jobs with this reason. */
  reason: oneOf(holdReasons),
  queue,
  host: textParameter,
  /** Inventory name of the device. */
  device: textParameter,
  /** A selector: of the hosts of these devices. */
  select: textParameter,
  bulk_id: textParameter,
  operation: oneOf(operations),
  error_type: textParameter,
  ...common,
});
export const listedJobFilter = v.object({ ...jobFilter.entries, id_prefix: idPrefix });
export type JobFilter = v.InferOutput<typeof listedJobFilter>;

export const releaseFilter = v.object({
  ...v.pick(jobFilter, ["id", "reason", "queue", "host", "device", "select", "driver", "bulk_id"]).entries,
  /** Alone: all held jobs. */
  status: oneOf(["held"]),
});

export const bulkFilter = v.object({ id_prefix: idPrefix, status: oneOf(bulkStatuses), ...common });
export type BulkFilter = v.InferOutput<typeof bulkFilter>;

export const workerFilter = v.object({
  name: textParameter,
  node: textParameter,
  ...v.pick(jobFilter, ["queue", "host", "select"]).entries,
  status: oneOf(workerStatuses),
});
export type WorkerFilter = v.InferOutput<typeof workerFilter>;
