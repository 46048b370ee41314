/** Retries, as OpenAPI describes them. */
import { bulkRetryRequest, jobRetryRequest } from "../api/retry.ts";
import { refTo } from "./openapi-schema.ts";

const submission = {
  headers: ["Prefer", "Idempotency-Key"],
  fails: ["400", "404", "409", "413", "415", "422"],
} as const;

export const retryPaths = {
  "/job/{name}/retry": {
    post: {
      summary: "Retry a failed or cancelled job; `name` is its id",
      data: {
        anyOf: [refTo("JobTicket"), refTo("Job")],
        description: "With `Prefer: wait`, the whole record.",
      },
      body: jobRetryRequest,
      created: true,
      refusable: true,
      gives: { Location: "Path of the job", "Preference-Applied": "The wait that was applied" },
      ...submission,
    },
  },
  "/bulk/{name}/retry": {
    post: {
      summary: "Retry the failed or cancelled jobs of a bulk; `name` is its id",
      data: refTo("BulkAnswer"),
      body: bulkRetryRequest,
      gives: { "Preference-Applied": "The wait that was applied" },
      ...submission,
    },
  },
} as const;
