/**
 * How long this node may act: counted from the request, never shortened by a late response, and over when it
 * is ended.
 */
import { expect, test } from "vitest";
import { monotonicMs } from "../../../src/base/time/monotonic.ts";
import { createLeaseClock } from "../../../src/dispatch/node/lease-clock.ts";

const minute = 60_000;

test("a lease is measured from the time its renewal was sent", () => {
  const clock = createLeaseClock(false);
  expect([clock.isValid(), clock.leftMs()]).toEqual([false, 0]);
  clock.extend(monotonicMs() - minute, 2 * minute);
  expect(clock.isValid()).toBe(true);
  expect(clock.leftMs()).toBeLessThanOrEqual(minute);
  clock.extend(monotonicMs() - 2 * minute, minute);
  expect(clock.leftMs()).toBeGreaterThan(0);
});

test("device threads see the same lease end, and a lease that was ended is invalid at once", () => {
  const clock = createLeaseClock(false);
  clock.extend(monotonicMs(), minute);
  const onThread = new Float64Array(clock.validUntil);
  expect(onThread[0]).toBeGreaterThan(monotonicMs());
  clock.end();
  expect([onThread[0], clock.isValid(), clock.leftMs()]).toEqual([0, false, 0]);
});

test("a lease that no other node can take over never expires", () => {
  const clock = createLeaseClock(true);
  clock.extend(monotonicMs(), 1);
  expect(clock.leftMs()).toBe(Number.POSITIVE_INFINITY);
});
