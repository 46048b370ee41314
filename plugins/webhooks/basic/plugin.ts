/** Webhook `basic`: one HTTP request for each ended job, signed when a secret is given. */
import type { WebhookPlugin } from "patchbay/plugin";
import { options } from "./options.ts";

export default {
  api: 1,
  kind: "webhook",
  name: "basic",
  options,
  load: () => import("./webhook.ts"),
} satisfies WebhookPlugin;
