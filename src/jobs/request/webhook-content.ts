/** What is stored of the webhook of a job until the job ends. */
import * as v from "valibot";
import { keptPlan } from "../../plugin/delivery-plan.ts";

/** Sealed in the store: what the message contains besides the job record. */
const webhookContent = v.object({
  webhook: v.string(),
  options: v.record(v.string(), v.unknown()),
  plan: keptPlan,
  /** The whole message, of a stored webhook; absent: it is built from the job. */
  message: v.optional(v.string()),
  /** Of a stored webhook: id of the key that gave its address. */
  owner: v.optional(v.string()),
  command: v.optional(v.unknown()),
  config: v.optional(v.unknown()),
  /** Host patterns of the key; undefined: all hosts. */
  reach: v.optional(v.array(v.string())),
});
export type WebhookContent = v.InferOutput<typeof webhookContent>;

export function readWebhookContent(text: string): WebhookContent {
  return v.parse(webhookContent, JSON.parse(text));
}
