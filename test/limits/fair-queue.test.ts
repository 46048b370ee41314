/** Fair shares, at a cost that does not depend on the number of participants. */
import { expect, test } from "vitest";
import { createLanes } from "../../src/dispatch/lanes.ts";

const flows = 20_000;

test("with thousands of bulks of one caller, each pick fills all slots and each bulk gets a turn", () => {
  const lanes = createLanes();
  for (let at = 0; at < flows; at++)
    lanes.add({ lane: `fifo/k1/${at}`, strategy: "fifo", share: "k1", bulkId: `b${at}`, count: 1 });
  const seen = new Set<string>();
  for (let round = 0; round < flows / 100; round++) {
    for (const { lane, count } of lanes.pick(100).fifo) {
      seen.add(lane);
      lanes.recordClaim(lane, count, count);
    }
  }
  expect(seen.size).toBe(flows);
  expect(lanes.queued()).toBe(0);
});

test("a caller that joins later shares equally, without debt or credit", () => {
  const lanes = createLanes();
  const add = (caller: string, count: number) =>
    lanes.add({ lane: `fifo/${caller}/`, strategy: "fifo", share: caller, bulkId: null, count });
  const take = (slots: number) => {
    const picked = new Map<string, number>();
    for (const { lane, count } of lanes.pick(slots).fifo) {
      picked.set(lane, count);
      lanes.recordClaim(lane, count, count);
    }
    return picked;
  };
  add("k1", 1_000);
  take(500);
  add("k2", 100);
  const both = take(100);
  expect(Math.abs((both.get("fifo/k1/") ?? 0) - (both.get("fifo/k2/") ?? 0))).toBeLessThanOrEqual(2);
});
