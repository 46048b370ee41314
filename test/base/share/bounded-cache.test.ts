/** An LRU keeps the most recent items up to its limit; a cache reserves no memory for unused entries. */
import { expect, test } from "vitest";
import { createBoundedCache } from "../../../src/base/share/bounded-cache.ts";

test("a bounded cache keeps the most recently used entries, up to its limit", () => {
  const recent = createBoundedCache<number>(10);
  for (let index = 0; index < 1_000; index++) {
    recent.set(`k${index}`, index);
    for (let back = 0; back < Math.min(10, index + 1); back++)
      expect(recent.has(`k${index - back}`)).toBe(true);
    expect([...recent.keys()].length).toBeLessThanOrEqual(10);
  }
});

test("an entry that is used often stays in the cache", () => {
  const recent = createBoundedCache<number>(10);
  recent.set("kept", 1);
  for (let index = 0; index < 1_000; index++) {
    recent.set(`k${index}`, index);
    expect(recent.get("kept")).toBe(1);
  }
  expect(recent.get("k0")).toBeUndefined();
});

test("setting an entry again replaces its value; deleted and cleared entries are gone", () => {
  const recent = createBoundedCache<number>(3);
  for (const [value, key] of ["a", "b", "c", "a", "b"].entries()) recent.set(key, value);
  expect(["a", "b", "c"].map((key) => recent.get(key))).toEqual([3, 4, 2]);
  recent.delete("a");
  expect([recent.has("a"), recent.get("a")]).toEqual([false, undefined]);
  recent.clear();
  expect([...recent.keys()]).toEqual([]);
});

test("a cache allocates memory for its entries only, not for its limit", () => {
  expect(createBoundedCache<number>(50_000).max).toBe(0);
});
