/** Free disk space: below the limit nothing is accepted until clearly more is free. */
import { expect, test } from "vitest";
import { createDiskReserve } from "../../../src/base/files/disk-reserve.ts";

const mib = 1024 * 1024;

function disk(leastMib: number) {
  const state = { freeMib: 100 as number | undefined, at: 0, looks: 0 };
  const room = createDiskReserve({
    folder: "/data",
    leastBytes: leastMib * mib,
    now: () => state.at,
    freeBytes() {
      state.looks++;
      if (state.freeMib === undefined) throw new Error("EIO");
      return state.freeMib * mib;
    },
  });
  const at = (freeMib: number | undefined) => {
    state.freeMib = freeMib;
    state.at += 1_000;
    return room.reason();
  };
  return { room, at, state };
}

test("below the reserve no work is accepted until clearly more space is free", () => {
  const { room, at } = disk(64);
  expect(at(64)).toBeUndefined();
  room.require();
  expect(at(63)).toBe(
    "the disk has 63 MiB free, and 64 are reserved for running work (PATCHBAY_MIN_FREE_MB)",
  );
  expect(() => room.require()).toThrow(/Nothing new is stored now: the disk has 63 MiB free/);
  expect(at(70)).toBeDefined();
  expect(at(72)).toBeUndefined();
  expect(at(70)).toBeUndefined();
});

test("no limit, or an unknown amount of free space, rejects nothing", () => {
  expect(disk(0).at(0)).toBeUndefined();
  const { at } = disk(64);
  expect(at(10)).toBeDefined();
  expect(at(undefined)).toBeUndefined();
});

test("many concurrent requests share one reading of the free space", () => {
  const { room, state } = disk(64);
  for (let time = 0; time < 100; time++) room.reason();
  expect(state.looks).toBe(1);
});
