/** What was used last is remembered, and never more than twice as many as asked for. */
import { expect, test } from "vitest";
import { createRecent } from "../../src/base/recent.ts";

test("the entries used last are there, whatever else came before", () => {
  const recent = createRecent<number>(10);
  for (let index = 0; index < 1_000; index++) {
    recent.set(`k${index}`, index);
    for (let back = 0; back < Math.min(10, index + 1); back++)
      expect(recent.has(`k${index - back}`)).toBe(true);
    expect(recent.keys().length).toBeLessThanOrEqual(20);
  }
});

test("one that is asked for again and again stays, and the others go", () => {
  const recent = createRecent<number>(10);
  recent.set("kept", 1);
  for (let index = 0; index < 1_000; index++) {
    recent.set(`k${index}`, index);
    expect(recent.get("kept")).toBe(1);
  }
  expect(recent.get("k0")).toBeUndefined();
  expect(new Set(recent.keys()).size).toBe(recent.keys().length);
});

test("one that is set again has its new value in either generation; deleted and cleared ones are gone", () => {
  const recent = createRecent<number>(2);
  for (const [value, key] of ["a", "b", "c", "a", "b"].entries()) recent.set(key, value);
  expect(recent.keys().map((key) => [key, recent.get(key)])).toEqual(
    expect.arrayContaining([
      ["a", 3],
      ["b", 4],
      ["c", 2],
    ]),
  );
  recent.delete("a");
  expect([recent.has("a"), recent.get("a")]).toEqual([false, undefined]);
  recent.clear();
  expect(recent.keys()).toEqual([]);
});
