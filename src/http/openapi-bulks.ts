/** Description of /bulk: its routes and what they answer. */

import type { CancelledBulk } from "../jobs/port.ts";
import { type BulkDetail, type BulkRecord, bulkStatuses } from "../model/bulk.ts";
import { jobStatuses, operations } from "../model/job.ts";
import { integer, listOf, moment, number, orNull, record, refTo, text, texts } from "./openapi-schema.ts";
import { bulkQuery, cancelBulkQuery } from "./query.ts";

const counts = {
  type: "object",
  required: [...jobStatuses],
  properties: Object.fromEntries(jobStatuses.map((status) => [status, integer])),
};

const fields: Record<keyof BulkRecord, object> = {
  id: text,
  status: {
    type: "string",
    enum: bulkStatuses,
    description: "`stopped`: what waited was cancelled; whether all of it has ended, `ended_at` tells",
  },
  driver: text,
  operation: { type: "string", enum: operations },
  created_at: moment,
  ended_at: orNull({ ...moment, description: "When the last job ended; null until all have" }),
  ...{ label: text, ticket: text, note: text, tags: texts },
  retry_of: { ...text, description: "Id of the bulk that this one does again" },
  select: { ...text, description: "The selector that chose its devices; only where all of them are shown" },
  inventory_revision: { ...integer, description: "Of the inventory when its devices were chosen" },
  total: { ...integer, description: "Jobs that it was made of" },
  counts,
  error_types: {
    type: "object",
    additionalProperties: integer,
    description: "How many failed, by the type of their error",
  },
  with_warnings: integer,
  rate: { ...number, description: "Jobs that ended a second, over the last 30 seconds" },
  eta_seconds: orNull({ ...integer, description: "How long the rest takes at that rate" }),
  concurrency: integer,
  max_failures: integer,
  order: text,
  stopped_because: text,
};
const optional = [
  ...(["label", "ticket", "note", "tags", "retry_of", "concurrency", "max_failures", "order"] as const),
  ...(["select", "inventory_revision", "stopped_because"] as const),
];

const failure = {
  type: "object",
  required: ["id", "host", "error"],
  properties: {
    id: text,
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
        description: "At most 10, in the order in which they failed",
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
    cancelled: { ...integer, description: "Jobs that waited" },
    stopping: { ...integer, description: "Jobs that run and were asked to stop" },
  }),
};

export const bulkPaths = {
  "/bulk": {
    get: {
      summary: "Bulks with the counts of their jobs, newest first",
      data: listOf(refTo("Bulk")),
      query: bulkQuery,
      gives: { "X-Next-Cursor": "Cursor of the next page; absent on the last" },
      fails: ["400", "422"],
    },
  },
  "/bulk/{name}": {
    get: {
      summary: "What becomes of the jobs of one bulk; `name` is its id",
      data: refTo("BulkDetail"),
      fails: ["404", "422"],
    },
    delete: {
      summary: "Cancel what waits of a bulk and, by force, stop what runs",
      data: refTo("CancelledBulk"),
      query: cancelBulkQuery,
      fails: ["404", "422"],
    },
  },
} as const;
