/** Statistics of the change log: for a bounded period, limited to what the caller may see. */
import { describe, expect, test } from "vitest";
import { createStatistics } from "../../src/admin/statistics.ts";
import { statisticsLimits } from "../../src/api/admin/statistics.ts";
import type { Caller } from "../../src/auth/port.ts";
import { yieldToEventLoop } from "../../src/base/time/yield.ts";
import type { EndedJob } from "../../src/store/port.ts";
import { admin } from "../support/requests.ts";

const now = Date.parse("2026-01-31T08:00:00Z");
const end = (minutesAgo: number, given: Partial<EndedJob> = {}): EndedJob => ({
  ...{ at: now - minutesAgo * 60_000, host: "r1", caller: "other", status: "finished", errorType: null },
  ...{ durationMs: 100, queueMs: 5, ...given },
});

/** A log of ended jobs, oldest first. */
function statisticsOver(log: readonly EndedJob[]) {
  const rangesRead: [after: number, upTo: number][] = [];
  const events = {
    last: async () => ({ n: log.length, jobId: "" }),
    async ends(after: number, upTo: number) {
      rangesRead.push([after, upTo]);
      const found = log.slice(after, upTo);
      return { ends: found.toReversed(), oldestAt: found[0]?.at };
    },
  };
  const store = { events, clock: { wall: () => now } } as unknown as Parameters<
    typeof createStatistics
  >[0]["store"];
  const { statistics } = createStatistics({ store, iso: (ms) => new Date(ms).toISOString() });
  return { statistics, asked: rangesRead };
}

describe("the statistics", () => {
  test("count the jobs that ended in the period by status, error type and minute", async () => {
    const failed = { status: "failed", errorType: "ReadTimeout", durationMs: 3_000 } as const;
    const { statistics } = statisticsOver([end(90), end(30), end(30, failed), end(1, { durationMs: null })]);
    const record = await statistics(60, admin);
    expect(record).toMatchObject({
      complete: true,
      step_seconds: 60,
      counts: { finished: 2, failed: 1, cancelled: 0 },
      error_types: { ReadTimeout: 1 },
      run: { p50: 3, max: 3 },
      wait: { p50: 0.005 },
    });
    expect(record.steps).toHaveLength(60);
    expect(record.steps[30]).toMatchObject({ finished: 1, failed: 1, run_p95: 3 });
    expect(record.steps[59]).toMatchObject({ finished: 1, run_p50: null });
  });

  test("of a limited key cover its hosts and its own submissions", async () => {
    const limited: Caller = { ...admin, keyId: "k1", scope: "read", hosts: ["10.*"] };
    const { statistics } = statisticsOver([
      end(3),
      end(2, { host: "10.0.0.1" }),
      end(1, { host: "r2", caller: "k1" }),
      end(1, { status: "failed", errorType: "Hidden" }),
    ]);
    const record = await statistics(60, limited);
    expect(record).toMatchObject({ counts: { finished: 2, failed: 0 }, error_types: {} });
  });

  test("read a limited number of changes, and are marked incomplete beyond it", async () => {
    const { statistics, asked } = statisticsOver(
      Array.from({ length: statisticsLimits.changes + 5_000 }, () => end(1)),
    );
    const record = await statistics(60, admin);
    expect(record.complete).toBe(false);
    expect(record.counts.finished).toBe(statisticsLimits.changes);
    expect(asked).toHaveLength(20);
  });

  test("stop reading where the period begins", async () => {
    const { statistics, asked } = statisticsOver([...Array.from({ length: 1_500 }, () => end(200)), end(1)]);
    expect(await statistics(60, admin)).toMatchObject({ complete: true, counts: { finished: 1 } });
    expect(asked).toHaveLength(1);
    expect(await statisticsOver([]).statistics(60, admin)).toMatchObject({
      complete: true,
      run: { p50: null },
    });
  });

  test("of a limited key are filtered in chunks, without blocking the event loop", async () => {
    const limited: Caller = { ...admin, keyId: "k1", scope: "read", hosts: ["10.*"] };
    let hostsRead = 0;
    const log = Array.from({ length: 3_000 }, () => ({
      ...end(1),
      get host() {
        hostsRead++;
        // As long as matching a key with many patterns takes.
        for (const until = performance.now() + 0.02; performance.now() < until; );
        return "r1";
      },
    }));
    const { statistics } = statisticsOver(log);
    let most = 0;
    let before = 0;
    let isOver = false;
    const turn = () => {
      most = Math.max(most, hostsRead - before);
      before = hostsRead;
      if (!isOver) setImmediate(turn);
    };
    // The turn that the test before has opened would resume a chunk before the first look.
    await yieldToEventLoop();
    turn();
    await statistics(60, limited);
    isOver = true;
    most = Math.max(most, hostsRead - before);
    expect(hostsRead).toBe(3_000);
    expect(most).toBeLessThanOrEqual(1_000);
  });
});
