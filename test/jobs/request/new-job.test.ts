/** From an operation to the stored row: its queue and lane, and the hosts its key may reach. */
import { expect, test } from "vitest";
import { createMasker } from "../../../src/base/secrets/mask.ts";
import { failedJob, type JobIdentity, newJob } from "../../../src/jobs/request/new-job.ts";
import type { Operation } from "../../../src/jobs/request/operation.ts";
import { admin } from "../../support/requests.ts";

const operation: Operation = {
  driver: "netmiko",
  host: "2001:DB8::1",
  deviceType: "cisco_ios",
  operation: "query",
  dryRun: false,
  strategy: "pinned",
  priority: "normal",
  notBefore: undefined,
  masker: createMasker([]),
  payload: { connection: { host: "2001:DB8::1" }, operation: "query", commands: ["show a"], driverArgs: {} },
  ttlMs: 300_000,
  resultTtlMs: 60_000,
  retries: 0,
  warnings: [],
  summary: { asked: "{}", request: null, audit: "{}", purpose: { label: "night" } },
  secrets: [],
  webhook: {
    receiver: "https://hooks.example",
    content: {
      webhook: "basic",
      options: {},
      plan: { retries: 3, intervals: [10], timeout: 5, includeResult: true },
    },
    checked: {},
  },
};
const identity = (more: Partial<JobIdentity> = {}): JobIdentity => ({
  id: "j1",
  bulkId: null,
  caller: admin,
  reach: [],
  fingerprint: (text) => `${text.length}`.padEnd(64, "f"),
  ...more,
});

test("a pinned job is put in the queue of its host, however the host is spelt", () => {
  const job = newJob(operation, identity());
  expect(job).toMatchObject({ queue: "pinned_2001:db8::1", lane: job.queue, hostKey: "2001:db8::1" });
  expect(newJob({ ...operation, host: "2001:db8:0::1" }, identity()).queue).toBe(job.queue);
});

test("a fifo job gets a lane by caller, bulk and priority", () => {
  const fifo = { ...operation, strategy: "fifo" } as const;
  expect(newJob(fifo, identity())).toMatchObject({ queue: "fifo", lane: "fifo/k1/" });
  expect(newJob(fifo, identity({ bulkId: "b1" })).lane).toBe("fifo/k1/b1");
  expect(newJob({ ...fifo, priority: "low" }, identity({ bulkId: "b1" })).lane).toBe("fifo/k1/b1/low");
});

test("all keys and sessions of a person share a lane, so that many keys take no more turns than one", () => {
  const person = { id: "p1", name: "anna" };
  const caller = { ...identity().caller, person };
  const fifo = { ...operation, strategy: "fifo" } as const;
  for (const keyId of ["laptop", "script", "p1"]) {
    const own = identity({ caller: { ...caller, keyId } });
    expect(newJob(fifo, own).lane).toBe("fifo/p1/");
    expect(failedJob({ ...fifo, config: false, reason: "no" }, own, 1_000).lane).toBe("fifo/p1/");
  }
});

test("the hosts that a limited key may reach are stored with its job and webhook", () => {
  const hosts = ["10.0.0.0/8"];
  const limited = newJob(operation, identity({ reach: hosts }));
  expect(JSON.parse(limited.payload).reach).toEqual(hosts);
  expect(JSON.parse(limited.webhook?.content ?? "{}").reach).toEqual(hosts);
  const free = newJob(operation, identity());
  expect(JSON.parse(free.payload)).not.toHaveProperty("reach");
  expect(free.webhook?.receiver).toHaveLength(32);
});

test("a rejected device of a bulk is stored as a failed job with the reason, without a payload", () => {
  const refused = {
    driver: "netmiko",
    host: "r1",
    deviceType: null,
    config: true,
    dryRun: false,
    reason: "config.0: no",
  };
  const job = failedJob(refused, identity({ bulkId: "b1" }), 60_000);
  expect(job).toMatchObject({ operation: "config", lane: "fifo/k1/b1", payload: "{}" });
  expect(JSON.parse(job.failure ?? "")).toEqual({
    type: "failed",
    retval: null,
    error: { type: "Validation", message: "config.0: no" },
  });
});
