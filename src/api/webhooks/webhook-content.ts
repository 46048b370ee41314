/** The webhook of a job: what is stored until the job ends, and the message then. */
import * as v from "valibot";
import { jobRecord } from "../jobs/job.ts";
import { described, integer, moment, named, text } from "../schema.ts";

/**
 * Over the body, with a time; `signature` of plugins/webhooks/basic/webhook.ts makes it, and has the name for itself: a plugin
 * imports the plugin API only.
 */
export const signatureHeader = "X-Patchbay-Signature";

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

const {
  status,
  queue,
  host,
  device_type,
  driver,
  dry_run,
  submitted_by,
  started_at,
  ended_at,
  duration,
  result,
  checks,
} = jobRecord.entries;
const request = v.exactOptional(described(v.unknown(), "The request, without secrets"));

export const webhookMessage = named(
  "WebhookMessage",
  v.object({
    id: described(text, "Id of the job"),
    event: v.picklist(["job.finished", "job.failed", "job.cancelled"]),
    status,
    timestamp: described(moment, "When it was sent"),
    queue,
    device: v.object({
      name: v.exactOptional(described(text, "The inventory device, if the request names one")),
      host,
      device_type,
    }),
    driver,
    dry_run,
    submitted_by,
    command: request,
    config: request,
    started_at,
    ended_at,
    duration,
    delivery: v.object({ id: described(text, "The same for each attempt"), attempt: integer }),
    result: v.exactOptional(result),
    checks,
  }),
);
/** Without the result, which is raw JSON text. */
export type WebhookMessageHead = Omit<v.InferOutput<typeof webhookMessage>, "event" | "result" | "checks"> & {
  event: string;
};
