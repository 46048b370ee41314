/** Exports, as OpenAPI describes them. */
import { bytes } from "./openapi-files.ts";
import { bulkExportQuery, exportQuery } from "./query.ts";

const stream = ["text/csv", "application/jsonl", "application/zip"] as const;
const data = {
  ...bytes,
  description: "By `format`: a line of CSV for each output, a record a line, or a text file for each job",
};

export const exportPaths = {
  "/job/export": {
    get: {
      summary: "Jobs as CSV, JSON lines or a zip, newest first",
      data,
      stream,
      query: exportQuery,
      fails: ["400", "422"],
    },
  },
  "/bulk/{name}/export": {
    get: {
      summary: "Jobs of a bulk as CSV, JSON lines or a zip; `name` is its id",
      data,
      stream,
      query: bulkExportQuery,
      fails: ["400", "404", "422"],
    },
  },
} as const;
