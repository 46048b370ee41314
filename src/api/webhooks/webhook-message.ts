/** The message of a webhook of a job. */
import * as v from "valibot";
import { jobRecord } from "../jobs/job.ts";
import { described, integer, moment, named, text } from "../schema.ts";

/**
 * Over the body, with a time; `signature` of plugins/webhooks/basic/webhook.ts makes it, and has the name for itself: a plugin
 * imports the plugin API only.
 */
export const signatureHeader = "X-Patchbay-Signature";

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
