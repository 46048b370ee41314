/** From the counts of a bulk to its record: rate, remaining time, and omitted fields. */
import { expect, test } from "vitest";
import { type SeenBulk, toBulkRecord } from "../../../src/jobs/bulk/bulk-record.ts";
import type { BulkCount, StoredBulk } from "../../../src/store/port.ts";

const iso = (ms: number) => `t${ms}`;
const bulk: StoredBulk = {
  ...{
    seq: 1,
    id: "b1",
    createdAt: 100_000,
    caller: "k1",
    driver: "netmiko",
    operation: "config",
    total: 100,
  },
  ...{ label: null, ticket: null, note: null, tags: null, concurrency: null, maxFailures: null, order: null },
  ...{
    retryOf: null,
    selector: null,
    revision: null,
    stoppedBecause: null,
    stoppedAt: null,
    changeId: null,
    changePart: null,
  },
  ...{ dryRun: null, submitterKind: "key", submitter: "ops" },
};
const counted = (more: Partial<BulkCount>): BulkCount => ({
  ...{ status: "finished", errorType: null, count: 0, lastEndedAt: null, recent: 0, ...more },
});

function recordAt(now: number, counts: readonly BulkCount[], more: Partial<SeenBulk> = {}) {
  return toBulkRecord(
    { bulk, tally: { counts, withWarnings: 3, withRefusals: 2 }, whole: true, ...more },
    now,
    iso,
  );
}

test("the rate of a bulk is that of its last 30 seconds, or of the time since its start if shorter", () => {
  const counts = [
    counted({ count: 30, recent: 30, lastEndedAt: 109_000 }),
    counted({ status: "queued", count: 65 }),
    counted({ status: "running", count: 5 }),
  ];
  expect(recordAt(110_000, counts)).toMatchObject({
    rate: 3,
    eta_seconds: 24,
    ended_at: null,
    with_warnings: 3,
    with_refusals: 2,
  });
  expect(recordAt(900_000, counts)).toMatchObject({ rate: 1, eta_seconds: 70, status: "running" });
  expect(recordAt(100_001, counts)).toMatchObject({ rate: 30 });
  const silent = counts.map((one) => ({ ...one, recent: 0 }));
  expect(recordAt(900_000, silent)).toMatchObject({ rate: 0, eta_seconds: null });
});

test("a bulk is ended after its last job, and stopped even while jobs still run", () => {
  const counts = [
    counted({ count: 3, lastEndedAt: 107_000 }),
    counted({ status: "failed", errorType: "ReadTimeout", count: 2, lastEndedAt: 108_000 }),
    counted({ status: "failed", errorType: null, count: 1, lastEndedAt: 105_000 }),
  ];
  const ended = recordAt(900_000, counts);
  expect(ended).toMatchObject({ status: "ended", ended_at: "t108000", eta_seconds: null, total: 100 });
  expect(ended.counts).toEqual({ queued: 0, held: 0, running: 0, finished: 3, failed: 3, cancelled: 0 });
  expect(ended.error_types).toEqual({ ReadTimeout: 2 });
  const stopped = { bulk: { ...bulk, stoppedBecause: "3 failed" } };
  expect(recordAt(900_000, counts, stopped)).toMatchObject({
    status: "stopped",
    stopped_because: "3 failed",
  });
  const running = [...counts, counted({ status: "running", count: 1 })];
  expect(recordAt(900_000, running, stopped)).toMatchObject({ status: "stopped", ended_at: null });
  expect(recordAt(900_000, running, { ...stopped, whole: false })).toMatchObject({
    ...{ total: 7, stopped_because: "It was stopped." },
  });
});

test("a bulk record leaves out fields that were not set", () => {
  const settings = {
    label: "night",
    tags: ["core"],
    concurrency: 5,
    maxFailures: 2,
    order: "host",
    retryOf: "b0",
  };
  expect(recordAt(1, [], { bulk: { ...bulk, ...settings } })).toMatchObject({
    ...{ label: "night", tags: ["core"], concurrency: 5, max_failures: 2, order: "host", retry_of: "b0" },
  });
  const names = Object.keys(recordAt(1, []));
  for (const name of ["label", "note", "tags", "concurrency", "max_failures", "order", "retry_of"])
    expect(names).not.toContain(name);
  expect(names).not.toContain("stopped_because");
});
