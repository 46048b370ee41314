/** Bodies of POST /job/{id}/retry and /bulk/{id}/retry. */
import * as v from "valibot";
import { members } from "../base/json/objects.ts";
import { operationOptions } from "./request.ts";

/** Overrides for the kept request, such as its secrets. */
const overlay = v.optional(v.nullable(members));
const { label, ticket, note, tags, not_before, priority, ttl } = operationOptions.entries;

const fields = {
  connection_args: overlay,
  driver_args: overlay,
  /** Credential reference instead of passwords. */
  credential: overlay,
  /** Secrets of a template context. */
  config: overlay,
  /** Also retries pushes with an unknown outcome. */
  force: v.optional(v.nullable(v.boolean())),
  options: v.optional(
    v.nullable(v.strictObject({ label, ticket, note, tags, not_before, priority, ttl, webhook: overlay })),
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
  only: v.optional(v.nullable(v.picklist(["failed", "cancelled", "unfinished"])), "failed"),
  /** `unknown`: only pushes with an unknown outcome, with `force`. `known`: all others. */
  outcome: v.optional(v.nullable(v.picklist(retriedOutcomes))),
  error_type: v.optional(v.nullable(v.union([errorType, v.pipe(v.array(errorType), v.maxLength(50))]))),
});
export type BulkRetryRequest = v.InferOutput<typeof bulkRetryRequest>;
