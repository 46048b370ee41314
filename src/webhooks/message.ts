/** Builds the webhook message of an ended job. */

import type { WebhookMessageHead } from "../api/webhooks/webhook-message.ts";
import { splitResult } from "../checks/report.ts";
import type { WebhookContent } from "../jobs/request/webhook-content.ts";
import type { DueDelivery, StoredJob } from "../store/port.ts";

export interface MessageOptions {
  readonly includeResult: boolean;
  readonly iso: (ms: number) => string;
  readonly now: number;
}

/** JSON text that embeds the stored result verbatim, to keep number formats and key order. */
export function webhookMessage(
  job: StoredJob,
  content: WebhookContent,
  delivery: DueDelivery,
  { includeResult, iso, now }: MessageOptions,
): string {
  const at = (ms: number | null) => (ms === null ? null : iso(ms));
  const message: WebhookMessageHead = {
    id: job.id,
    event: delivery.event,
    status: job.status,
    timestamp: iso(now),
    queue: job.queue,
    device: {
      ...(job.device === null ? {} : { name: job.device }),
      host: job.host,
      device_type: job.deviceType,
    },
    driver: job.driver,
    ...(job.dryRun === true ? { dry_run: true } : {}),
    submitted_by: { kind: job.submitterKind, name: job.submitter },
    ...(content.command === undefined ? {} : { command: content.command }),
    ...(content.config === undefined ? {} : { config: content.config }),
    started_at: at(job.startedAt),
    ended_at: at(job.endedAt),
    duration: job.durationMs === null ? null : job.durationMs / 1000,
    delivery: { id: job.id, attempt: delivery.tries + 1 },
  };
  const head = JSON.stringify(message);
  if (!includeResult) return head;
  const { result, checks } = job.result === null ? { result: "null" } : splitResult(job.result);
  const ofChecks = checks === undefined ? "" : `,"checks":${checks}`;
  return `${head.slice(0, -1)},"result":${result}${ofChecks}}`;
}
