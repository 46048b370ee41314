/** Stored webhooks. */
import * as v from "valibot";
import { writerFilter } from "../../../api/filters.ts";
import { described, text } from "../../../api/schema.ts";
import { newWebhook, webhookChange, webhookRecord, webhookTest } from "../../../api/webhooks/webhook.ts";
import { route } from "../../route.ts";

export const webhookRoutes = [
  route({
    id: "listWebhooks",
    method: "GET",
    path: "/webhook",
    scope: "admin",
    summary: "List webhooks by name, with their last delivery",
    query: writerFilter,
    answer: v.array(webhookRecord),
    handle: ({ options, caller }, query) => options.webhooks.list(caller, query),
  }),
  route({
    id: "addWebhook",
    method: "POST",
    path: "/webhook",
    grows: true,
    scope: "admin",
    summary: "Create a webhook",
    body: newWebhook,
    answer: webhookRecord,
    created: true,
    fails: ["409"],
    handle: async (call) => call.options.webhooks.add(await call.body(), call.caller),
  }),
  route({
    id: "readWebhook",
    method: "GET",
    path: "/webhook/:name",
    scope: "admin",
    summary: "Read a webhook, with its latest deliveries",
    answer: webhookRecord,
    handle: ({ options, name = "", caller }) => options.webhooks.read(name, caller),
  }),
  route({
    id: "changeWebhook",
    method: "PATCH",
    path: "/webhook/:name",
    grows: true,
    scope: "admin",
    summary: "Change fields of a webhook; null removes one",
    body: webhookChange,
    answer: webhookRecord,
    async handle(call) {
      const { options, name = "", caller } = call;
      return options.webhooks.change(name, await call.body(), caller);
    },
  }),
  route({
    id: "removeWebhook",
    method: "DELETE",
    path: "/webhook/:name",
    scope: "admin",
    summary: "Remove a webhook with its undelivered messages",
    answer: described(text, "Its name"),
    handle: ({ options, name = "", caller }) => options.webhooks.remove(name, caller),
  }),
  route({
    id: "testWebhook",
    method: "POST",
    path: "/webhook/:name/test",
    grows: true,
    scope: "admin",
    summary: "Send a message of its form; its result is in `deliveries`",
    answer: webhookTest,
    refusable: true,
    handle: ({ options, name = "", caller }) => options.webhooks.test(name, caller),
  }),
];
