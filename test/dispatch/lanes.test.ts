/** The order in which lanes take turns. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createLanes, type LaneJobs } from "../../src/dispatch/lanes.ts";

const fifo = (share: string, count: number, bulkId: string | null = null): LaneJobs => ({
  lane: `fifo/${share}/${bulkId ?? ""}`,
  strategy: "fifo",
  share,
  bulkId,
  count,
});
const pinned = (host: string, share = "a", count = 1): LaneJobs => ({
  lane: `pinned_${host}`,
  strategy: "pinned",
  share,
  bulkId: null,
  count,
});

test("a bulk of thousands does not delay another caller's ten jobs", () => {
  const lanes = createLanes();
  lanes.add(fifo("a", 5_000));
  lanes.recordClaim("fifo/a/", 0, 0);
  for (let round = 0; round < 10; round++) {
    lanes.pick(20);
    lanes.recordClaim("fifo/a/", 20, 20);
  }
  lanes.add(fifo("b", 10));
  const { fifo: picked } = lanes.pick(20);
  expect(Object.fromEntries(picked.map((lane) => [lane.lane, lane.count]))).toEqual({
    "fifo/b/": 10,
    "fifo/a/": 10,
  });
});

test("a single job goes before the rest of a bulk of the same caller", () => {
  const lanes = createLanes();
  lanes.add(fifo("a", 10_000, "bulk"));
  lanes.pick(50);
  lanes.recordClaim("fifo/a/bulk", 50, 50);
  lanes.add(fifo("a", 1));
  expect(lanes.pick(1).fifo).toEqual([{ lane: "fifo/a/", count: 1 }]);
});

test("a caller that was idle gets no credit for that time", () => {
  const lanes = createLanes();
  lanes.add(fifo("a", 1_000));
  for (let round = 0; round < 5; round++) {
    lanes.pick(100);
    lanes.recordClaim("fifo/a/", 100, 100);
  }
  lanes.add(fifo("b", 500));
  const counts = { a: 0, b: 0 };
  for (let round = 0; round < 20; round++) {
    for (const { lane, count } of lanes.pick(10).fifo) {
      counts[lane === "fifo/a/" ? "a" : "b"] += count;
      lanes.recordClaim(lane, count, count);
    }
  }
  expect(counts).toEqual({ a: 100, b: 100 });
});

test("a pinned lane is picked once until it is released", () => {
  const lanes = createLanes();
  lanes.add(pinned("r1", "a", 3));
  lanes.add(pinned("r2"));
  expect(lanes.pick(10).pinned).toEqual(["pinned_r1", "pinned_r2"]);
  expect(lanes.pick(10).pinned).toEqual([]);
  lanes.recordClaim("pinned_r1", 1, 1);
  lanes.recordClaim("pinned_r2", 1, 1);
  expect(lanes.pick(10).pinned).toEqual([]);
  lanes.release("pinned_r1");
  lanes.release("pinned_r2");
  expect(lanes.pick(10).pinned).toEqual(["pinned_r1"]);
});

test("a lane whose host another node owns is deferred, then tried again", () => {
  let now = 0;
  const lanes = createLanes(() => now);
  lanes.add(pinned("r1"));
  lanes.pick(1);
  lanes.defer("pinned_r1", 100);
  expect(lanes.nextDue()).toBe(100);
  expect(lanes.pick(1).pinned).toEqual([]);
  now = 100;
  expect(lanes.pick(1).pinned).toEqual(["pinned_r1"]);
});

test("ten thousand deferred hosts do not slow down a pick", () => {
  let now = 0;
  let looks = 0;
  const lanes = createLanes(() => {
    looks++;
    return now;
  });
  for (let host = 0; host < 10_000; host++) {
    lanes.add(pinned(`r${host}`));
    lanes.defer(`pinned_r${host}`, 20_000 - host);
  }
  lanes.add(fifo("b", 1));
  looks = 0;
  expect(lanes.pick(5)).toEqual({ fifo: [{ lane: "fifo/b/", count: 1 }], pinned: [] });
  expect(lanes.nextDue()).toBe(10_001);
  expect(looks).toBeLessThan(10);
  now = 10_002;
  expect(lanes.pick(5).pinned).toEqual(["pinned_r9999", "pinned_r9998"]);
  expect(lanes.nextDue()).toBe(10_003);
});

test("the last deferral of a lane counts, and removing the lane ends it", () => {
  let now = 0;
  const lanes = createLanes(() => now);
  lanes.add(pinned("r1"));
  lanes.defer("pinned_r1", 100);
  lanes.defer("pinned_r1", 300);
  lanes.defer("pinned_r1", 200);
  expect(lanes.nextDue()).toBe(200);
  now = 200;
  lanes.remove("pinned_r1", 1);
  expect(lanes.has("pinned_r1")).toBe(false);
  expect(lanes.nextDue()).toBeUndefined();
  lanes.add(pinned("r1"));
  lanes.defer("pinned_r1", 400);
  now = 300;
  expect(lanes.pick(1).pinned).toEqual([]);
  now = 400;
  expect(lanes.pick(1).pinned).toEqual(["pinned_r1"]);
});

test("jobs added during a claim are kept if the claim finds fewer jobs than expected", () => {
  const lanes = createLanes();
  lanes.add(fifo("a", 5));
  lanes.pick(5);
  lanes.add(fifo("a", 2));
  lanes.recordClaim("fifo/a/", 5, 3);
  expect(lanes.queued()).toBe(2);
  expect(lanes.pick(10).fifo).toEqual([{ lane: "fifo/a/", count: 2 }]);
});

describe("for any sequence of steps", () => {
  type Step = { kind: "add" | "finish" | "cancel"; host: number; caller: number; count: number };
  const step = fc.record<Step>({
    kind: fc.constantFrom("add", "add", "finish", "cancel"),
    host: fc.nat(4),
    caller: fc.nat(2),
    count: fc.integer({ min: 1, max: 5 }),
  });

  test("every job is picked exactly once, pinned ones one at a time, and nothing stalls", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), fc.integer({ min: 1, max: 6 }), (steps, slots) => {
        const lanes = createLanes();
        const waiting = new Map<string, number>();
        const busy = new Set<string>();
        let running = 0;
        const claim = () => {
          const picked = lanes.pick(slots - running);
          for (const { lane, count } of [
            ...picked.fifo,
            ...picked.pinned.map((lane) => ({ lane, count: 1 })),
          ]) {
            expect(busy.has(lane)).toBe(false);
            const got = Math.min(count, waiting.get(lane) ?? 0);
            expect(got).toBe(count);
            waiting.set(lane, (waiting.get(lane) ?? 0) - got);
            running += got;
            if (lane.startsWith("pinned") && got > 0) busy.add(lane);
            lanes.recordClaim(lane, count, got);
          }
          expect(running).toBeLessThanOrEqual(slots);
        };
        const finish = () => {
          const [lane] = busy;
          if (running === 0) return;
          running--;
          if (lane === undefined) return;
          busy.delete(lane);
          lanes.release(lane);
        };
        for (const { kind, host, caller, count } of steps) {
          const jobs =
            host < 2
              ? fifo(`c${caller}`, count, host === 0 ? null : "b")
              : pinned(`h${host}`, `c${caller}`, count);
          if (kind === "add") {
            lanes.add(jobs);
            waiting.set(jobs.lane, (waiting.get(jobs.lane) ?? 0) + count);
          } else if (kind === "cancel") {
            const some = Math.min(count, waiting.get(jobs.lane) ?? 0);
            lanes.remove(jobs.lane, some);
            waiting.set(jobs.lane, (waiting.get(jobs.lane) ?? 0) - some);
          } else finish();
          claim();
        }
        for (let turn = 0; turn < 2_000 && [...waiting.values()].some((count) => count > 0); turn++) {
          finish();
          claim();
        }
        expect([...waiting.values()].reduce((sum, count) => sum + count, 0)).toBe(0);
        expect(lanes.queued()).toBe(0);
      }),
    );
  });
});

describe("a recount of queued jobs from the store", () => {
  test("does not discard jobs added after the count was taken", () => {
    let now = 100_000;
    const lanes = createLanes(() => now);
    lanes.add(pinned("r1"));
    now += 60_000;
    // Handed to the writer, and not counted yet.
    lanes.add(fifo("a", 10_000, "bulk"));
    lanes.add(pinned("r1"));
    lanes.resync([pinned("r1")]);
    expect(lanes.queuedIn("fifo/a/bulk")).toBe(10_000);
    expect(lanes.queuedIn("pinned_r1")).toBe(2);
    expect(lanes.pick(3)).toEqual({
      fifo: [{ lane: "fifo/a/bulk", count: 2 }],
      pinned: ["pinned_r1"],
    });
  });

  test("removes jobs claimed by other nodes and adds jobs submitted to them", () => {
    let now = 100_000;
    const lanes = createLanes(() => now);
    lanes.add(pinned("r1", "a", 3));
    lanes.add(pinned("r2"));
    now += 60_000;
    lanes.resync([pinned("r1"), pinned("r3", "b", 2)]);
    expect(["r1", "r2", "r3"].map((host) => lanes.queuedIn(`pinned_${host}`))).toEqual([1, 0, 2]);
    expect(lanes.queued()).toBe(3);
  });
});
