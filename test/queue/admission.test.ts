/** What one API key may take at once and over time, counted; no clock is asked but one that stands still. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createBacklog } from "../../src/queue/backlog.ts";
import { createFairSemaphore } from "../../src/queue/fair-semaphore.ts";
import { createInFlightSubmissions } from "../../src/queue/in-flight.ts";
import { createQuota } from "../../src/queue/quota.ts";
import { createRateLimiter } from "../../src/queue/rate-limiter.ts";

const signal = new AbortController().signal;

describe("the backlog", () => {
  test("room that is reserved is not given twice, and comes back when nothing was queued", () => {
    const backlog = createBacklog({ maxQueued: 300, maxQueuedPerKey: 200 });
    const first = backlog.reserve("a", 150);
    expect(() => backlog.reserve("a", 150)).toThrow(/API key is full/);
    const second = backlog.reserve("b", 150);
    expect(() => backlog.reserve("c", 1)).toThrow(/queue is full/);
    first.shrinkTo(100);
    expect(backlog.ofCaller("a")).toBe(100);
    first.commit();
    first.release();
    second.release();
    expect([backlog.total(), backlog.ofCaller("a"), backlog.ofCaller("b")]).toEqual([100, 100, 0]);
  });

  test("a claim that is told before the storing of its job loses no count", () => {
    const backlog = createBacklog({ maxQueued: 10, maxQueuedPerKey: 10 });
    const room = backlog.reserve("a", 1);
    backlog.add("a", -1);
    room.commit();
    expect(backlog.total()).toBe(0);
  });

  test("a count of the store leaves what is reserved", () => {
    const backlog = createBacklog({ maxQueued: 10, maxQueuedPerKey: 10 });
    backlog.reserve("a", 4);
    backlog.reset(new Map([["a", 3]]));
    expect(backlog.ofCaller("a")).toBe(7);
  });

  test("never takes more than its limits, whatever comes in whatever order", () => {
    const step = fc.record({
      caller: fc.constantFrom("a", "b", "c"),
      count: fc.integer({ min: 1, max: 40 }),
      end: fc.constantFrom("queued", "released", "open"),
      failed: fc.integer({ min: 0, max: 40 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const backlog = createBacklog({ maxQueued: 100, maxQueuedPerKey: 50 });
        for (const { caller, count, end, failed } of steps) {
          try {
            const room = backlog.reserve(caller, count);
            room.shrinkTo(Math.max(0, count - failed));
            if (end === "queued") room.commit();
            if (end !== "open") room.release();
          } catch (error) {
            expect(error).toMatchObject({ kind: "TooManyRequests" });
          }
          expect(backlog.total()).toBeLessThanOrEqual(100);
          for (const one of ["a", "b", "c"]) expect(backlog.ofCaller(one)).toBeLessThanOrEqual(50);
        }
      }),
    );
  });
});

describe("shares", () => {
  test("a key has its part, all have the whole, and what is given back can be taken again", () => {
    const shares = createQuota("things", { inAll: 5, perKey: 3 });
    const back = shares.take("a", 3);
    expect(() => shares.take("a")).toThrow(/This API key/);
    shares.take("b", 2);
    expect(() => shares.take("c")).toThrow(/The service/);
    back();
    back();
    expect(shares.held()).toBe(2);
    shares.take("a", 3);
  });

  test("what is there already is counted above the limit, and keeps out what comes next", () => {
    const shares = createQuota("bytes", { inAll: 10, perKey: 10 });
    const back = shares.hold("a", 25);
    expect(() => shares.take("a")).toThrow();
    back();
    shares.take("a");
  });

  test("what can be made again is refused beside half a share, and passes alone whatever its size", () => {
    const shares = createQuota("bytes", { inAll: 100, perKey: 10 });
    const back = shares.holdIfRoom("a", 25);
    expect(() => shares.holdIfRoom("a", 1)).toThrow(/This API key/);
    shares.holdIfRoom("b", 5);
    shares.holdIfRoom("b", 9);
    expect(() => shares.holdIfRoom("b", 1)).toThrow(/This API key/);
    back();
    shares.holdIfRoom("a", 25);
  });
});

describe("the rate of a key", () => {
  test("what was used comes back with time, and the wait that is told is the true one", () => {
    let now = 0;
    const rates = createRateLimiter({ perSecond: 10, burst: 20 }, () => now);
    rates.spend("a", 20);
    const refused = refusalOf(() => rates.spend("a", 5));
    expect(refused.detail.retryAfter).toBe(0.5);
    rates.spend("b", 20);
    now = 499;
    expect(() => rates.spend("a", 5)).toThrow();
    now = 500;
    rates.spend("a", 5);
  });

  test("what costs more than the bucket holds passes when it is full, and is paid off", () => {
    let now = 0;
    const rates = createRateLimiter({ perSecond: 10, burst: 20 }, () => now);
    rates.spend("a", 100);
    expect(refusalOf(() => rates.spend("a", 1)).detail.retryAfter).toBeCloseTo(8.1);
    now = 8_100;
    rates.spend("a", 1);
  });

  test("a charge after the fact delays what comes next", () => {
    const rates = createRateLimiter({ perSecond: 10, burst: 20 }, () => 0);
    rates.charge("a", 30);
    expect(refusalOf(() => rates.spend("a", 1)).detail.retryAfter).toBeCloseTo(1.1);
  });
});

describe("turns", () => {
  test("one at a time, and a key with one task waits for one task of a key with many", async () => {
    const turns = createFairSemaphore({ atOnce: 1, perKey: 1 });
    const order: string[] = [];
    let inside = 0;
    const work = (name: string) => async () => {
      expect(++inside).toBe(1);
      await Promise.resolve();
      inside--;
      order.push(name);
    };
    const all = Array.from({ length: 50 }, () => turns.run("many", signal, work("many")));
    all.push(turns.run("one", signal, work("one")));
    await Promise.all(all);
    expect(order.indexOf("one")).toBeLessThanOrEqual(2);
    expect(order).toHaveLength(51);
  });

  test("who left while it waited does nothing, and a failure keeps nobody out", async () => {
    const turns = createFairSemaphore({ atOnce: 1, perKey: 1 });
    const leaving = new AbortController();
    const fault = turns.run("a", signal, () => Promise.reject(new Error("broken")));
    let ran = false;
    const left = turns.run("a", leaving.signal, () => {
      ran = true;
    });
    leaving.abort();
    await expect(fault).rejects.toThrow("broken");
    await expect(left).rejects.toMatchObject({ kind: "Cancelled" });
    expect(ran).toBe(false);
    expect(await turns.run("a", signal, () => 7)).toBe(7);
  });
});

describe("a repeated Idempotency-Key", () => {
  const submission = { caller: "k", key: "once", endpoint: "bulk", text: "{}" };

  test("waits for the first one's answer; the work is done once", async () => {
    const flights = createInFlightSubmissions();
    let done = 0;
    const gate = Promise.withResolvers<void>();
    const work = async () => {
      done++;
      await gate.promise;
      return { id: done };
    };
    const all = Array.from({ length: 100 }, () => flights.run(submission, work));
    gate.resolve();
    expect(new Set((await Promise.all(all)).map((answer) => answer.id))).toEqual(new Set([1]));
    expect(done).toBe(1);
  });

  test("is told that the first one is under way when that takes too long", async () => {
    const flights = createInFlightSubmissions(1);
    const gate = Promise.withResolvers<number>();
    const first = flights.run(submission, () => gate.promise);
    await expect(flights.run(submission, async () => 2)).rejects.toMatchObject({ kind: "InProgress" });
    gate.resolve(1);
    expect(await first).toBe(1);
  });

  test("that comes just after the answer gets it again from memory; a failure is not kept", async () => {
    const flights = createInFlightSubmissions();
    const failing = () => Promise.reject(new Error("not stored"));
    await expect(flights.run(submission, failing)).rejects.toThrow("not stored");
    expect(await flights.run(submission, async () => 1)).toBe(1);
    expect(await flights.run(submission, async () => 2)).toBe(1);
    const other = flights.run({ ...submission, text: "[]" }, async () => 3);
    await expect(other).rejects.toMatchObject({ kind: "Conflict" });
  });

  test("with another body, or to another endpoint, is refused at once; another key's is its own", async () => {
    const flights = createInFlightSubmissions();
    const gate = Promise.withResolvers<number>();
    const first = flights.run(submission, () => gate.promise);
    const never = async () => 2;
    await expect(flights.run({ ...submission, text: "[]" }, never)).rejects.toMatchObject({
      kind: "Conflict",
    });
    await expect(flights.run({ ...submission, endpoint: "execute" }, never)).rejects.toMatchObject({
      kind: "Conflict",
    });
    expect(await flights.run({ ...submission, caller: "other" }, never)).toBe(2);
    gate.resolve(1);
    await first;
  });
});

function refusalOf(work: () => void): { detail: { retryAfter: number } } {
  try {
    work();
  } catch (error) {
    return error as { detail: { retryAfter: number } };
  }
  throw new Error("it was not refused");
}
