/**
 * How long this node may act: counted from the request, never shortened by a late response, and over when it
 * is ended.
 */
import { expect, test } from "vitest";
import { monotonicMs } from "../../src/base/monotonic.ts";
import { createLeaseClock } from "../../src/scheduler/lease-clock.ts";

const minute = 60_000;

test("a lease lasts from when its renewal was sent", () => {
  const clock = createLeaseClock(false);
  expect([clock.isValid(), clock.leftMs()]).toEqual([false, 0]);
  clock.extend(monotonicMs() - minute, 2 * minute);
  expect(clock.isValid()).toBe(true);
  expect(clock.leftMs()).toBeLessThanOrEqual(minute);
  clock.extend(monotonicMs() - 2 * minute, minute);
  expect(clock.leftMs()).toBeGreaterThan(0);
});

test("threads see the same end, and nothing is left when it is ended", () => {
  const clock = createLeaseClock(false);
  clock.extend(monotonicMs(), minute);
  const onThread = new Float64Array(clock.validUntil);
  expect(onThread[0]).toBeGreaterThan(monotonicMs());
  clock.end();
  expect([onThread[0], clock.isValid(), clock.leftMs()]).toEqual([0, false, 0]);
});

test("where nobody else can take over it has no end", () => {
  const clock = createLeaseClock(true);
  clock.extend(monotonicMs(), 1);
  expect(clock.leftMs()).toBe(Number.POSITIVE_INFINITY);
});
