/** Webhooks of which there are none. */

import type { WebhookRecord } from "../../../src/api/webhooks/webhook.ts";
import { ServiceError } from "../../../src/base/errors.ts";
import type { Webhooks } from "../../../src/webhooks/port.ts";

const notThere = () => Promise.reject(new ServiceError("NotFound", "There is no webhook with that name."));

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

export const noWebhooks: Webhooks = {
  list: async () => [],
  read: notThere,
  add: async () => webhookRecord,
  change: notThere,
  remove: notThere,
  test: notThere,
};
