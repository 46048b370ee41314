/** Content of a webhook: the job's record in short, the request, and the result as stored. */
import { expect, test } from "vitest";
import type { WebhookContent } from "../../src/jobs/request/webhook-content.ts";
import type { DueDelivery, StoredJob } from "../../src/store/port.ts";
import { webhookMessage } from "../../src/webhooks/message.ts";

const job = {
  id: "j1",
  status: "finished",
  queue: "fifo",
  host: "r1",
  device: "ber-1",
  deviceType: "cisco_ios",
  driver: "netmiko",
  startedAt: 1,
  endedAt: 1_501,
  durationMs: 1_500,
  result: '{"retval":{"b":1.0,"10":1e3,"a":1}}',
} as StoredJob;
const content: WebhookContent = {
  webhook: "basic",
  options: { url: "https://h/x", secret: "canary" },
  plan: { retries: 3, intervals: [10], timeout: 5, includeResult: true },
  command: ["show a"],
};
const due = { jobId: "j1", event: "job.finished", tries: 1 } as DueDelivery;
const options = { includeResult: true, iso: (ms: number) => `t${ms}`, now: 9 };

test("a webhook message has the result as stored, with its numbers and key order", () => {
  const text = webhookMessage(job, content, due, options);
  expect(text.endsWith(`,"result":${job.result}}`)).toBe(true);
  expect(text).not.toContain("canary");
  expect(JSON.parse(text)).toMatchObject({
    id: "j1",
    event: "job.finished",
    timestamp: "t9",
    device: { name: "ber-1", host: "r1", device_type: "cisco_ios" },
    command: ["show a"],
    ended_at: "t1501",
    duration: 1.5,
    delivery: { id: "j1", attempt: 2 },
  });
});

test("a webhook message of a job that never started has no times; the result is optional", () => {
  const waiting = { ...job, startedAt: null, endedAt: null, durationMs: null, result: null };
  expect(JSON.parse(webhookMessage(waiting, content, due, options))).toMatchObject({
    started_at: null,
    duration: null,
    result: null,
  });
  expect(webhookMessage(job, content, due, { ...options, includeResult: false })).not.toContain("retval");
});
