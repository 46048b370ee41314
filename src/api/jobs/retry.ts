/** Bodies of POST /job/{id}/retry and /bulk/{id}/retry. */
import * as v from "valibot";
import { members } from "../../base/json/objects.ts";
import { described, field } from "../schema.ts";
import { operationOptions, requestWords } from "./request.ts";

/** Overrides for the kept request, such as its secrets. */
const overlay = field(members);
const { label, ticket, note, tags, not_before, priority, ttl } = operationOptions.entries;

const fields = {
  connection_args: described(overlay, "Overrides fields of the kept `connection_args`, such as secrets"),
  driver_args: described(overlay, "Overrides arguments of the driver"),
  credential: described(overlay, requestWords.credential),
  config: described(overlay, "Overrides fields of a template context, such as secrets"),
  force: described(field(v.boolean()), "Also retry configurations with an unknown outcome"),
  options: described(
    v.optional(
      v.nullable(v.strictObject({ label, ticket, note, tags, not_before, priority, ttl, webhook: overlay })),
    ),
    "Overrides options of the job",
  ),
};

/** Strict, because a misspelt field would be a missing secret. */
export const jobRetryRequest = v.strictObject(fields);
export type JobRetryRequest = v.InferOutput<typeof jobRetryRequest>;

export const retriedStatuses = {
  failed: ["failed"],
  cancelled: ["cancelled"],
  unfinished: ["failed", "cancelled"],
} as const;

export const retriedOutcomes = ["known", "unknown"] as const;

const errorType = v.pipe(v.string(), v.nonEmpty("must not be empty"), v.maxLength(64));

export const bulkRetryRequest = v.strictObject({
  ...fields,
  only: described(
    v.optional(v.nullable(v.picklist(["failed", "cancelled", "unfinished"])), "failed"),
    "Which jobs: failed, cancelled, or both",
  ),
  outcome: described(
    field(v.picklist(retriedOutcomes)),
    "Only pushes with an unknown outcome, with `force`, or only the other jobs",
  ),
  error_type: described(
    field(v.union([errorType, v.pipe(v.array(errorType), v.maxLength(50))])),
    "Only failed jobs with one of these error types",
  ),
});
export type BulkRetryRequest = v.InferOutput<typeof bulkRetryRequest>;
