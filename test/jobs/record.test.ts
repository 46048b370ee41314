/** From a stored job to the record of GET /job. */
import { expect, test } from "vitest";
import { jsonWithRaw } from "../../src/base/json/json-pieces.ts";
import { readableBy, toRecord, toTicket, toWait, webhookState } from "../../src/jobs/record.ts";
import type { StoredJob } from "../../src/store/port.ts";

const iso = (ms: number) => `t${ms}`;
const stored: StoredJob = {
  seq: 1,
  id: "j1",
  bulkId: null,
  status: "finished",
  strategy: "pinned",
  queue: "pinned_r1",
  lane: "pinned_r1",
  host: "r1",
  hostKey: "r1",
  driver: "netmiko",
  deviceType: null,
  operation: "query",
  ...{ dryRun: null, submitterKind: "key", submitter: "ops" },
  caller: "k1",
  createdAt: 1,
  enqueuedAt: 2,
  startedAt: 3,
  endedAt: 4,
  queueMs: 1_500,
  durationMs: 250,
  worker: "n1.pinned_r1",
  attempt: 1,
  warnings: null,
  label: null,
  ticket: null,
  tags: null,
  errorType: null,
  notBefore: null,
  windowEnd: null,
  dueT: null,
  retryOf: null,
  device: null,
  hasWebhook: false,
  result: '{"retval":{"b":1.0,"10":1e3}}',
  asked: null,
  request: null,
  whole: false,
};

test("a record has times as strings, durations in seconds and the result exactly as stored", () => {
  const record = toRecord(stored, iso);
  expect(record).toMatchObject({ created_at: "t1", ended_at: "t4", queue_time: 1.5, duration: 0.25 });
  expect(jsonWithRaw(record)).toContain('"result":{"retval":{"b":1.0,"10":1e3}}');
});

test("a record omits fields that were not set", () => {
  for (const field of ["held", "bulk_id", "warnings", "webhook", "command", "priority"])
    expect(toRecord(stored, iso)).not.toHaveProperty(field);
  const waiting = toRecord({ ...stored, startedAt: null, durationMs: null, result: null }, iso);
  expect(waiting).toMatchObject({ started_at: null, duration: null, result: null });
});

test("a held job is shown as queued unless the client knows the status held", () => {
  const held = { ...stored, status: "held" } as const;
  expect(toRecord(held, iso)).toMatchObject({ status: "queued", held: true });
  expect(toRecord(held, iso, undefined, true)).toMatchObject({ status: "held", held: true });
});

test("a webhook is pending until delivered or failed; a skipped one is not shown", () => {
  const attempts = [{ at: 5, status: null, error: "refused" }];
  expect(webhookState({ state: "pending", attempts, nextInMs: 10 }, 100, iso)).toEqual({
    status: "pending",
    attempts: [{ at: "t5", status: null, error: "refused" }],
    next_attempt_at: "t110",
  });
  expect(webhookState({ state: "failed", attempts: [], nextInMs: null }, 100, iso)?.status).toBe("failed");
  expect(webhookState({ state: "skipped", attempts: [], nextInMs: null }, 100, iso)).toBeUndefined();
});

test("a ticket has warnings only if there are any", () => {
  const ticket = { id: "j1", status: "queued", queue: "fifo", created_at: "t1" };
  expect(toTicket({ id: "j1", queue: "fifo", warnings: [] }, "t1")).toEqual(ticket);
  expect(toTicket({ id: "j1", queue: "fifo", warnings: ["w"] }, "t1")).toEqual({
    ...ticket,
    warnings: ["w"],
  });
});

test("a queued job shows the reason it waits, by host, queue or time", () => {
  const place = { before: 4, queueRuns: true };
  const common = { position: 5, queue: "pinned_r1" };
  const waitOf = (more: Partial<StoredJob>, queueRuns = true) =>
    toWait({ ...stored, status: "queued", ...more }, { ...place, queueRuns }, 50, iso);
  expect(waitOf({})).toEqual({ reason: "host", ...common, host: "r1" });
  expect(waitOf({}, false)).toEqual({ reason: "turn", ...common });
  expect(waitOf({ strategy: "fifo" })).toEqual({ reason: "turn", ...common });
  expect(waitOf({ status: "held" })).toEqual({ reason: "held", ...common });
  expect(waitOf({ status: "held", dueT: 0, notBefore: 60 })).toEqual({ reason: "concurrency", ...common });
  expect(waitOf({ status: "held", dueT: 9, notBefore: 60 })).toEqual({
    reason: "not_before",
    ...common,
    until: "t60",
  });
  // In a copied directory: only a caller can release it.
  expect(waitOf({ status: "held", dueT: null, notBefore: 60 })).toEqual({ reason: "held", ...common });
});

test("a key limited to hosts reads no other host in the error of a job, and every byte of its result", () => {
  const message = "Connection refused by 10.9.9.9:22";
  const retval = '{"b":1.0,"show ip route":"via 10.9.9.9:22"}';
  const result = `{"type":"failed","retval":${retval},"error":{"type":"ConnectionRefused","message":"${message}"}}`;
  const job: StoredJob = { ...stored, status: "failed", errorType: "ConnectionRefused", result };
  const limited = { keyId: "k2", hosts: ["r1"] };
  expect(readableBy(limited, job).result).toBe(result.replace(message, "Connection refused by [host]:22"));
  expect(readableBy({ keyId: "k2", hosts: [] }, job)).toBe(job);
  expect(readableBy({ keyId: "k2", hosts: ["r1", "10.0.0.0/8"] }, job)).toBe(job);
});
