/** The size of the queue: a reservation is never granted twice, in any order of events. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createBacklog } from "../../src/limits/backlog.ts";

describe("the backlog", () => {
  test("never reserves the same room twice, and frees reserved room that was not used", () => {
    const backlog = createBacklog({ maxQueued: 300, maxQueuedPerKey: 200 });
    const first = backlog.reserve("a", 150);
    expect(() => backlog.reserve("a", 150)).toThrow(/API key or person is full/);
    const second = backlog.reserve("b", 150);
    expect(() => backlog.reserve("c", 1)).toThrow(/queue is full/);
    first.shrinkTo(100);
    expect(backlog.ofShare("a")).toBe(100);
    first.commit();
    first.release();
    second.release();
    expect([backlog.total(), backlog.ofShare("a"), backlog.ofShare("b")]).toEqual([100, 100, 0]);
  });

  test("counts correctly if a claim is announced before its job is committed", () => {
    const backlog = createBacklog({ maxQueued: 10, maxQueuedPerKey: 10 });
    const room = backlog.reserve("a", 1);
    backlog.add("a", -1);
    room.commit();
    expect(backlog.total()).toBe(0);
  });

  test("keeps reservations when the store's count is applied", () => {
    const backlog = createBacklog({ maxQueued: 10, maxQueuedPerKey: 10 });
    backlog.reserve("a", 4);
    backlog.reset(new Map([["a", 3]]));
    expect(backlog.ofShare("a")).toBe(7);
  });

  test("never exceeds its limits, for any sequence of events", () => {
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
          for (const caller of ["a", "b", "c"]) expect(backlog.ofShare(caller)).toBeLessThanOrEqual(50);
        }
      }),
    );
  });
});
