/** What one key's outputs hold in memory: the less room is left, the fewer of its devices are read. */
import { expect, test } from "vitest";
import { createGate } from "../../src/executor/gate.ts";
import { createOutputShares, type OutputShare } from "../../src/executor/output-shares.ts";

const mib = 1024 * 1024;

function device(share: OutputShare) {
  let holders = 0;
  const forget = share.reads({
    hold() {
      holders++;
      return () => void holders--;
    },
  });
  return { isRead: () => holders === 0, forget };
}

function devices(count: number, limit: number) {
  const shares = createOutputShares(limit);
  return Array.from({ length: count }, () => {
    const share = shares.enter("many");
    return { share, ...device(share) };
  });
}

const readOf = (list: readonly { isRead(): boolean }[]) => list.map(({ isRead }) => isRead());

test("outputs of a usual size are all read at the same time", () => {
  const all = devices(100, 32 * mib);
  for (const { share } of all) share.took(200 * 1024);
  expect(readOf(all)).toEqual(all.map(() => true));
});

test("fewer are read as the room shrinks, each of which may double, and all of them end", () => {
  const all = devices(100, 32 * mib);
  const outputs = new Map(all.map((one) => [one, 600 * 1024]));
  let peak = 0;
  let rounds = 0;
  while (outputs.size > 0) {
    const reading = [...outputs].filter(([one]) => one.isRead());
    rounds++;
    for (const [one, left] of reading) {
      const piece = Math.min(left, 32 * 1024);
      one.share.took(piece);
      outputs.set(one, left - piece);
    }
    peak = Math.max(
      peak,
      [...outputs].reduce((sum, [, left]) => sum + 600 * 1024 - left, 0),
    );
    for (const [one, left] of outputs) {
      if (left > 0) continue;
      one.share.ended();
      one.share.release();
      outputs.delete(one);
    }
  }
  expect(peak).toBeLessThan(34 * mib);
  // Without limit 19; two at a time 550.
  expect(rounds).toBeLessThan(100);
});

test("beyond it the two furthest along are read, then the next, until there is room", () => {
  const all = devices(5, 10 * mib);
  const [one, two, three, four, five] = all.map(({ share }) => share);
  for (const [at, { share }] of all.entries()) share.took((at + 1) * mib);
  expect(readOf(all)).toEqual([false, false, false, true, true]);
  five?.took(3 * mib);
  five?.ended();
  // It is about to be stored: nothing more is read until that makes room.
  expect(readOf(all)).toEqual([false, false, false, false, true]);
  five?.release();
  // No room for both to double.
  expect(readOf(all)).toEqual([false, false, true, true, true]);
  four?.release();
  three?.release();
  expect(readOf(all)).toEqual([true, true, true, true, true]);
  expect([one, two].map((share) => (share?.heldMs() ?? 0) > 0)).toEqual([true, true]);
});

test("small outputs, other keys and stopped tasks are not held", () => {
  const shares = createOutputShares(4 * mib);
  const small = shares.enter("many");
  const large = [2, 3, 4].map((size) => ({ size, share: shares.enter("many") }));
  const other = shares.enter("one");
  const all = [small, ...large.map(({ share }) => share), other].map(device);
  for (const { size, share } of large) share.took(size * mib);
  small.took(1024);
  other.took(3 * mib);
  expect(readOf(all)).toEqual([true, false, true, true, true]);
  all[1]?.forget();
  expect(readOf(all)).toEqual([true, true, true, true, true]);
});

test("what is read later by a held task is held too", () => {
  const shares = createOutputShares(2 * mib);
  const before = [3, 2].map((size) => ({ size, share: shares.enter("many") }));
  const second = shares.enter("many");
  for (const { size, share } of before) share.took(size * mib);
  second.took(mib);
  const late = device(second);
  expect(late.isRead()).toBe(false);
  for (const { share } of before) share.release();
  expect(late.isRead()).toBe(true);
  second.release();
  second.took(5 * mib);
  expect(late.isRead()).toBe(true);
});

test("a gate lets pieces through once nobody holds it, or the task is stopped", async () => {
  const gate = createGate();
  expect(gate.passed(new AbortController().signal)).toBeUndefined();
  const open = gate.hold();
  const stop = new AbortController();
  const passed: string[] = [];
  const waiting = gate.passed(new AbortController().signal)?.then(() => passed.push("held"));
  const stopped = gate.passed(stop.signal)?.then(() => passed.push("stopped"));
  stop.abort();
  await stopped;
  expect(passed).toEqual(["stopped"]);
  open();
  await waiting;
  expect(passed).toEqual(["stopped", "held"]);
  expect(gate.heldMs()).toBe(gate.heldMs());
});
