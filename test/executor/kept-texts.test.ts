/** Texts kept between searches: within the limit, and those that searches use stay. */
import { expect, test } from "vitest";
import { createKeptTexts } from "../../src/executor/text/kept-texts.ts";

test("what is used stays, what fits no more is not kept, and what was replaced gives way after a minute", () => {
  let now = 0;
  const kept = createKeptTexts(30, () => now);
  const keep = (...keys: string[]) => {
    for (const key of keys) kept.keep(key, key.repeat(10));
  };
  const held = (...keys: string[]) => keys.filter((key) => kept.get(key) !== undefined);
  keep("a", "b", "c", "d");
  expect(held("a", "b", "c", "d")).toEqual(["a", "b", "c"]);
  now += 59_000;
  expect(held("b", "c")).toEqual(["b", "c"]);
  now += 2_000;
  keep("d", "e");
  expect(held("a", "b", "c", "d", "e")).toEqual(["b", "c", "d"]);
  expect(kept.get("b")).toBe("bbbbbbbbbb");
});

test("characters beyond ASCII count twice, a text above the limit is not kept, and the newer one of a name is", () => {
  const kept = createKeptTexts(30);
  kept.keep("long", "x".repeat(31));
  kept.keep("wide", "é".repeat(16));
  kept.keep("narrow", "é".repeat(15));
  kept.keep("narrow", { base: "é".repeat(10), delta: "[]" });
  expect(kept.get("narrow")).toEqual({ base: "é".repeat(10), delta: "[]" });
  kept.keep("narrow", "é".repeat(15));
  expect(["long", "wide", "narrow"].map((key) => kept.get(key))).toEqual([
    ...[undefined, undefined],
    "é".repeat(15),
  ]);
  const none = createKeptTexts(0);
  none.keep("a", "a");
  expect(none.get("a")).toBeUndefined();
});
