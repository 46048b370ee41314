/** The message sent to a webhook when a job has ended: the section `webhooks` of the document. */
import { jobStatuses } from "../api/job.ts";
import {
  anyObject,
  dryRun,
  integer,
  moment,
  number,
  orNull,
  refTo,
  submitter,
  text,
} from "./openapi-schema.ts";

export const webhookSchemas = {
  WebhookMessage: {
    type: "object",
    required: [
      ...["id", "event", "status", "timestamp", "queue", "device", "driver", "submitted_by"],
      ...["started_at", "ended_at", "duration", "delivery"],
    ],
    properties: {
      id: { ...text, description: "Id of the job" },
      event: { type: "string", enum: ["job.finished", "job.failed", "job.cancelled"] },
      status: { type: "string", enum: jobStatuses },
      timestamp: { ...moment, description: "When it was sent" },
      queue: text,
      device: {
        type: "object",
        required: ["host", "device_type"],
        properties: {
          name: { ...text, description: "The inventory device, if the request names one" },
          host: text,
          device_type: orNull(text),
        },
      },
      driver: text,
      dry_run: dryRun,
      submitted_by: submitter,
      command: { description: "The request, without secrets" },
      config: { description: "The request, without secrets" },
      started_at: orNull(moment),
      ended_at: orNull(moment),
      duration: orNull({ ...number, description: "Seconds" }),
      delivery: {
        type: "object",
        required: ["id", "attempt"],
        properties: { id: { ...text, description: "The same for each attempt" }, attempt: integer },
      },
      result: orNull(refTo("JobResult")),
      checks: refTo("JobChecks"),
    },
  },
};

export const webhooks = {
  jobEnded: {
    post: {
      operationId: "jobEnded",
      tags: ["Webhooks"],
      summary: "A job has ended",
      description:
        "Sent to `options.webhook.url` at least once; a 2xx answer confirms delivery, otherwise it is retried.",
      security: [],
      parameters: [
        {
          name: "X-Patchbay-Signature",
          in: "header",
          description: '`t=<unix>,v1=<hex HMAC-SHA256 of "t.body">`, with `options.webhook.secret`',
          schema: text,
        },
      ],
      requestBody: {
        required: true,
        content: { "application/json": { schema: refTo("WebhookMessage") } },
      },
      responses: {
        "2XX": { description: "Delivered" },
        "4XX": { description: "The delivery is retried", content: { "*/*": { schema: anyObject } } },
      },
    },
  },
};
export const webhookTag = { name: "Webhooks", description: "Requests sent by the service." };
