/** What is kept of a webhook until its job has ended. */
import * as v from "valibot";

/** Sealed in the store; what the message tells besides the job's record. */
export const webhookContent = v.object({
  webhook: v.string(),
  options: v.record(v.string(), v.unknown()),
  /** How it is delivered, as its plugin said: seconds where there are times. */
  plan: v.object({
    retries: v.number(),
    intervals: v.pipe(v.array(v.number()), v.nonEmpty()),
    timeout: v.number(),
    includeResult: v.boolean(),
  }),
  command: v.optional(v.unknown()),
  config: v.optional(v.unknown()),
  /** What the key of its caller may reach; absent: everything. */
  reach: v.optional(v.array(v.string())),
});
export type WebhookContent = v.InferOutput<typeof webhookContent>;
