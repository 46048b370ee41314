/** OpenAPI description of the exports. */
import { bytes } from "./openapi-schema.ts";
import { bulkExportQuery, exportQuery } from "./query.ts";

const stream = ["text/csv", "application/jsonl", "application/zip"] as const;
const data = {
  ...bytes,
  description: "By `format`: one CSV row per output, one JSON record per line, or one text file per job",
};

export const exportPaths = {
  "/job/export": {
    get: {
      summary: "Export jobs as CSV, JSON lines or a zip, newest first",
      data,
      stream,
      query: exportQuery,
      fails: ["400", "422"],
    },
  },
  "/bulk/{name}/export": {
    get: {
      summary: "Export the jobs of a bulk as CSV, JSON lines or a zip; `name` is its id",
      data,
      stream,
      query: bulkExportQuery,
      fails: ["400", "404", "422"],
    },
  },
} as const;
