/** OpenAPI description of what is seen of a job beside its record: event streams, and what a push sent. */
import { refTo, text } from "./openapi-schema.ts";
import { bulkEventQuery, eventQuery } from "./query.ts";

const stream = {
  data: text,
  stream: "text/event-stream",
  headers: ["Last-Event-ID"],
  resumable: true,
} as const;

export const eventPaths = {
  "/job/{name}/events": {
    get: {
      summary: "Watch a job: status changes and live output, as Server-Sent Events; `name` is its id",
      ...stream,
      fails: ["400", "404"],
    },
  },
  "/job/{name}/sent": {
    get: {
      summary: "What a push sent and received, kept as long as the audit trail; `name` is the id of the job",
      data: refTo("Transcript"),
      fails: ["404"],
    },
  },
  "/bulk/{name}/events": {
    get: {
      summary: "Watch a bulk: counts and status changes of its jobs, as Server-Sent Events; `name` is its id",
      query: bulkEventQuery,
      ...stream,
      fails: ["400", "404", "422"],
    },
  },
  "/events": {
    get: {
      summary: "Watch status changes of all jobs, as Server-Sent Events",
      query: eventQuery,
      ...stream,
      fails: ["400", "422"],
    },
  },
} as const;
