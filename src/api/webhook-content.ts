/** The stored part of a webhook until its job ends. */
import * as v from "valibot";

/** Sealed in the store: what the message contains besides the job record. */
export const webhookContent = v.object({
  webhook: v.string(),
  options: v.record(v.string(), v.unknown()),
  /** The delivery plan of the plugin, in seconds. */
  plan: v.object({
    retries: v.number(),
    intervals: v.pipe(v.array(v.number()), v.nonEmpty()),
    timeout: v.number(),
    includeResult: v.boolean(),
  }),
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
