/** Garbage is collected when a process grows, but not more often than useful. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createGarbageCollector } from "../../src/runtime/collect.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const MiB = 1024 * 1024;

function process() {
  const state = { bytes: 100 * MiB, heapBytes: 20 * MiB, collections: 0, waitedFor: 0 };
  const garbage = createGarbageCollector({
    freeBytes: 256 * MiB,
    residentBytes: () => state.bytes,
    heapBytes: () => state.heapBytes,
    collectGarbage(now) {
      state.collections++;
      if (now) state.waitedFor++;
    },
  });
  return {
    garbage,
    collections: () => state.collections,
    waitedFor: () => state.waitedFor,
    holds(mib: number, forMs = 1_000) {
      state.bytes = mib * MiB;
      vi.advanceTimersByTime(forMs);
    },
    holdsHeap(mib: number) {
      state.heapBytes = mib * MiB;
    },
    heapHolds(mib: number) {
      state.heapBytes = mib * MiB;
      vi.advanceTimersByTime(10_000);
    },
  };
}

test("a small process is not collected, a grown one is", () => {
  const { holds, collections } = process();
  for (const mib of [120, 200, 250, 180, 270]) holds(mib);
  expect(collections()).toBe(0);
  holds(300);
  expect(collections()).toBe(1);
});

test("uncollectable memory is not collected again, new growth is", () => {
  const { holds, collections } = process();
  holds(400);
  holds(400);
  holds(430);
  expect(collections()).toBe(1);
  holds(450);
  expect(collections()).toBe(2);
  holds(300);
  holds(340);
  expect(collections()).toBe(3);
});

test("many requests to collect at once cause at most two collections", () => {
  const { garbage, collections } = process();
  for (let at = 0; at < 10; at++) garbage.collect();
  vi.advanceTimersByTime(0);
  expect(collections()).toBe(1);
  for (let at = 0; at < 10; at++) garbage.collect();
  vi.advanceTimersByTime(100);
  expect(collections()).toBe(1);
  vi.advanceTimersByTime(1_000);
  expect(collections()).toBe(2);
});

test("an ever-growing process spends a limited share of its time on collection", () => {
  const { holds, collections } = process();
  for (let at = 0; at < 1_200; at++) holds(265 + (at % 200 < 100 ? 0 : 50), 1);
  expect(collections()).toBeGreaterThan(1);
  expect(collections()).toBeLessThan(5);
});

test("a very large process waits for each collection", () => {
  const { holds, collections, waitedFor } = process();
  holds(310);
  expect(waitedFor()).toBe(0);
  for (let mib = 380; mib < 600; mib += 60) holds(mib, 100);
  expect(waitedFor()).toBe(4);
  expect(collections()).toBe(5);
});

test("a growing heap in a small process is collected in the background", () => {
  const { heapHolds, collections, waitedFor } = process();
  for (const mib of [20, 24, 27]) heapHolds(mib);
  expect(collections()).toBe(0);
  heapHolds(29);
  expect(collections()).toBe(1);
  // None of it was garbage.
  for (const mib of [29, 36]) heapHolds(mib);
  expect(collections()).toBe(1);
  for (const mib of [21, 28]) heapHolds(mib);
  expect(collections()).toBe(1);
  heapHolds(30);
  expect(collections()).toBe(2);
  expect(waitedFor()).toBe(0);
});

test("a stopped collector does nothing", () => {
  const { garbage, holds, heapHolds, collections } = process();
  garbage.collect();
  garbage.stop();
  holds(900);
  heapHolds(90);
  expect(collections()).toBe(0);
});

test("within long work a heap that grew much is collected as a whole, a smaller one as ever", () => {
  const { garbage, heapHolds, waitedFor, collections, holdsHeap } = process();
  heapHolds(30);
  const before = collections();
  holdsHeap(50);
  garbage.collectGrown();
  expect([collections() - before, waitedFor()]).toEqual([0, 0]);
  holdsHeap(80);
  garbage.collectGrown();
  expect(waitedFor()).toBe(1);
  // What it holds now is not garbage.
  garbage.collectGrown();
  expect(waitedFor()).toBe(1);
});
