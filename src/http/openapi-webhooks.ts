/** OpenAPI description of /webhook: routes and responses. */
import {
  newWebhook,
  type WebhookDeliveryRecord,
  type WebhookRecord,
  webhookChange,
  webhookEventNames,
  webhookFormats,
} from "../api/webhook.ts";
import type { WebhookTest } from "../webhooks/port.ts";
import { boolean, integer, listOf, moment, orNull, record, refTo, text } from "./openapi-schema.ts";

const delivery = record<WebhookDeliveryRecord>({
  id: { ...text, description: "The same for each attempt; in messages of the format `json`" },
  event: text,
  state: { type: "string", enum: ["pending", "delivered", "failed"] },
  attempts: listOf({
    type: "object",
    required: ["at", "status"],
    properties: { at: moment, status: orNull({ ...integer, description: "HTTP status" }), error: text },
  }),
});

const webhook = record<WebhookRecord>(
  {
    name: text,
    receiver: { ...text, description: "Scheme, host and port of its address: the path may be a secret" },
    signed: { ...boolean, description: "Whether `config` has a `secret`" },
    events: listOf({ type: "string", enum: webhookEventNames }),
    format: { type: "string", enum: webhookFormats },
    enabled: boolean,
    ...{ console_url: text, to: text, from: text },
    owner: {
      type: "object",
      description: "API key that gave its address",
      properties: { key_id: text, name: text },
    },
    ...{ created_at: moment, changed_at: moment },
    deliveries: {
      ...listOf(refTo("WebhookDelivery")),
      description: "Newest first; in a list only the newest",
    },
  },
  ["console_url", "to", "from"],
);

const test = record<WebhookTest>({ delivery: { ...text, description: "Id of its delivery" } });

export const webhookRouteSchemas = { StoredWebhook: webhook, WebhookDelivery: delivery, WebhookTest: test };

const withBody = ["400", "413", "415", "422"] as const;
const answer = { data: refTo("StoredWebhook") } as const;

export const webhookPaths = {
  "/webhook": {
    get: { summary: "List webhooks by name, with their last delivery", data: listOf(refTo("StoredWebhook")) },
    post: {
      summary: "Create a webhook",
      ...answer,
      body: newWebhook,
      created: true,
      fails: ["409", ...withBody],
    },
  },
  "/webhook/{name}": {
    get: { summary: "Read a webhook, with its latest deliveries", ...answer, fails: ["404"] },
    patch: {
      summary: "Change fields of a webhook; null removes one",
      ...answer,
      body: webhookChange,
      fails: ["404", ...withBody],
    },
    delete: {
      summary: "Remove a webhook with its undelivered messages",
      data: { ...text, description: "Its name" },
      fails: ["404"],
    },
  },
  "/webhook/{name}/test": {
    post: {
      summary: "Send a message of its form; its result is in `deliveries`",
      data: refTo("WebhookTest"),
      fails: ["404"],
    },
  },
} as const;
