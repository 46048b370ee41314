/** Webhooks of which there are none. */

import type { WebhookRecord } from "../../../src/api/webhooks/webhook.ts";
import type { Webhooks } from "../../../src/webhooks/port.ts";
import { doubleOf } from "./double.ts";

const webhookRecord: WebhookRecord = {
  ...{
    name: "noc",
    state: "active",
    receiver: "https://hooks.example",
    signed: true,
    events: ["bulk.ended"],
  },
  ...{ format: "slack", enabled: true, owner: { kind: "key", key_id: "id-admin", name: "name-admin" } },
  created_at: "2026-01-01T00:00:00.000+00:00",
  changed_at: "2026-01-01T00:00:00.000+00:00",
  deliveries: [],
};

export const noWebhooks = doubleOf<Webhooks>({
  list: async () => [],
  add: async () => webhookRecord,
});
