/** Failing receivers rest for as long as their attempt took, and share half of the places of their key. */
import { expect, test } from "vitest";
import { createFailingReceivers, failingLimits } from "../../src/webhooks/failing.ts";

function failing(more: Partial<typeof failingLimits> = {}) {
  const clock = { now: 1_000 };
  return { clock, ...createFailingReceivers(() => clock.now, { ...failingLimits, ...more }) };
}

test("a receiver rests as long as its failed attempt took, within limits", () => {
  const { clock, failed, setAside, nextMs } = failing();
  failed("a".repeat(32), 0);
  failed("b".repeat(32), 5_000);
  failed("c".repeat(32), 120_000);
  expect(setAside([])).toHaveLength(3);
  expect(nextMs()).toBe(50);
  clock.now += 50;
  expect(nextMs()).toBe(4_950);
  clock.now += 4_950;
  expect(setAside([])).toEqual(["c".repeat(32)]);
  clock.now += 25_000;
  expect(setAside([])).toEqual([]);
  expect(nextMs()).toBeUndefined();
});

test("a receiver that answers again has no rest", () => {
  const { failed, answered, setAside } = failing();
  failed("a".repeat(32), 5_000);
  answered("a".repeat(32));
  expect(setAside([])).toEqual([]);
});

test("rested receivers of a key wait while as many failing ones of it are served as may be", () => {
  const { clock, failed, setAside } = failing({ ofKey: 2 });
  const all = ["key-one-a", "key-one-b", "key-one-c", "key-two-a"];
  for (const receiver of all) failed(receiver, 0);
  clock.now += 50;
  expect(setAside(["key-one-a"])).toEqual([]);
  expect(setAside(["key-one-a", "key-one-new"])).toEqual([]);
  expect(setAside(["key-one-a", "key-one-b"]).toSorted()).toEqual(["key-one-a", "key-one-b", "key-one-c"]);
});

test("no more receivers are remembered than may be", () => {
  const { failed, setAside } = failing({ known: 100 });
  for (let at = 0; at < 1_000; at++) failed(`key-one-${at}`, 1_000);
  expect(setAside([])).toHaveLength(100);
});
