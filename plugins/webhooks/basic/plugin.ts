/** Webhook `basic`: one HTTP request per ended job, signed if a secret is set. */
import { defineWebhook } from "patchbay/plugin";
import { options } from "./options.ts";

export default defineWebhook({
  name: "basic",
  default: true,
  options,
  plan: ({ url, max_retries, retry_intervals, timeout, events, include_result }) => ({
    receiver: new URL(url).origin,
    retries: max_retries,
    intervals: retry_intervals,
    timeout,
    events,
    includeResult: include_result,
  }),
  load: () => import("./webhook.ts"),
});
