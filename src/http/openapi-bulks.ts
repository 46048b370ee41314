/** OpenAPI description of /bulk: routes and responses. */

import { type BulkDetail, type BulkRecord, bulkStatuses } from "../api/bulk.ts";
import { jobStatuses, operations } from "../api/job.ts";
import type { FailureGroup, GroupedDevice, OutputGroup, ResultGroups } from "../api/result-groups.ts";
import type { CancelledBulk } from "../jobs/port.ts";
import {
  dryRun,
  integer,
  listOf,
  moment,
  number,
  orNull,
  record,
  refTo,
  submitter,
  text,
  texts,
} from "./openapi-schema.ts";
import { bulkQuery, cancelBulkQuery, resultsQuery } from "./query.ts";

const counts = {
  type: "object",
  required: [...jobStatuses],
  properties: Object.fromEntries(jobStatuses.map((status) => [status, integer])),
};

const errorTypes = {
  type: "object",
  additionalProperties: integer,
  description: "Failed jobs by error type",
};

const fields: Record<keyof BulkRecord, object> = {
  id: text,
  status: {
    type: "string",
    enum: bulkStatuses,
    description: "`stopped`: waiting jobs were cancelled; `ended_at` shows whether all jobs have ended",
  },
  driver: text,
  operation: { type: "string", enum: operations },
  dry_run: dryRun,
  submitted_by: submitter,
  created_at: moment,
  ended_at: orNull({ ...moment, description: "When the last job ended; null until all have ended" }),
  ...{ label: text, ticket: text, note: text, tags: texts },
  retry_of: { ...text, description: "Id of the bulk that this one retries" },
  select: {
    ...text,
    description: "The selector that chose its devices; only if the key may see all of them",
  },
  inventory_revision: { ...integer, description: "Inventory revision that the selector was applied to" },
  total: { ...integer, description: "Number of jobs created" },
  counts,
  error_types: errorTypes,
  with_warnings: integer,
  with_refusals: { ...integer, description: "Finished jobs with a command that the device refused" },
  rate: { ...number, description: "Jobs that ended per second, over the last 30 seconds" },
  eta_seconds: orNull({ ...integer, description: "Time left at that rate" }),
  concurrency: integer,
  max_failures: integer,
  order: text,
  stopped_because: text,
};
const optional = [
  ...(["label", "ticket", "note", "tags", "retry_of", "concurrency", "max_failures", "order"] as const),
  ...(["select", "inventory_revision", "stopped_because", "dry_run"] as const),
];

const failure = {
  type: "object",
  required: ["id", "host", "error"],
  properties: {
    id: text,
    device: text,
    host: text,
    error: {
      type: "object",
      required: ["type", "message"],
      properties: { type: text, message: text },
    },
  },
};

export const bulkSchemas = {
  Bulk: record<BulkRecord>(fields, [...optional]),
  BulkDetail: record<BulkDetail>(
    {
      ...fields,
      first_failures: {
        ...listOf(failure),
        description: "The first failures in order, at most 10",
      },
      without_result: {
        type: "object",
        required: ["count", "hosts"],
        properties: { count: integer, hosts: texts },
        description: "Jobs that have not finished, and at most 100 of their hosts",
      },
    },
    [...optional],
  ),
  CancelledBulk: record<CancelledBulk>({
    cancelled: { ...integer, description: "Number of cancelled waiting jobs" },
    stopping: { ...integer, description: "Number of running jobs being stopped" },
  }),
};

const grouped = record<GroupedDevice>(
  { id: { ...text, description: "Id of the job" }, device: text, host: text },
  ["device"],
);
const groupFields = {
  count: { ...integer, description: "Number of devices" },
  devices: { ...listOf(grouped), description: "The first of them" },
};

export const resultGroupSchemas = {
  ResultGroups: record<ResultGroups>(
    {
      jobs: { ...integer, description: "Jobs with a result" },
      without_result: { ...integer, description: "Jobs that wait or run" },
      commands: texts,
      groups: listOf(
        record<OutputGroup>(
          {
            command: text,
            sha256: { ...text, description: "Of the output, without white space at its end" },
            ...groupFields,
            output: { ...text, description: "At most 16,384 characters; a parsed output is JSON text" },
            cut: { const: true, description: "The output is longer" },
            parsed: { const: true, description: "`output` is the JSON of a parsed output" },
          },
          ["cut", "parsed"],
        ),
      ),
      failures: listOf(record<FailureGroup>({ error_type: text, message: text, ...groupFields })),
      more_groups: { ...integer, description: "Groups that `limit` leaves out" },
      incomplete: { const: true, description: "Too many different outputs: numbers are lower bounds" },
    },
    ["incomplete"],
  ),
};

export const bulkPaths = {
  "/bulk": {
    get: {
      summary: "List bulks with their job counts, newest first",
      data: listOf(refTo("Bulk")),
      query: bulkQuery,
      gives: { "X-Next-Cursor": "Cursor of the next page; absent on the last" },
      fails: ["400", "422"],
    },
  },
  "/bulk/{name}/results": {
    get: {
      summary: "The results of a bulk, equal outputs as one; `name` is its id",
      data: refTo("ResultGroups"),
      query: resultsQuery,
      fails: ["404", "422"],
    },
  },
  "/bulk/{name}": {
    get: {
      summary: "Progress and outcome of one bulk; `name` is its id",
      data: refTo("BulkDetail"),
      fails: ["404", "422"],
    },
    delete: {
      summary: "Cancel the waiting jobs of a bulk and, with `force`, stop the running ones",
      data: refTo("CancelledBulk"),
      query: cancelBulkQuery,
      fails: ["404", "422"],
    },
  },
} as const;
