/** The message sent to a webhook when a job has ended: the section `webhooks` of the document. */
import { webhookMessage } from "../../api/webhook-content.ts";
import { type JsonSchema, withComponents } from "../../base/json/json-schema.ts";
import { anyObject, text } from "./schema.ts";

/** Adds the message to the components. */
export const webhooksOf = (components: Record<string, JsonSchema>) => ({
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
        content: { "application/json": { schema: withComponents(webhookMessage, components) } },
      },
      responses: {
        "2XX": { description: "Delivered" },
        "4XX": { description: "The delivery is retried", content: { "*/*": { schema: anyObject } } },
      },
    },
  },
});

export const webhookTag = { name: "Webhooks", description: "Requests sent by the service." };
