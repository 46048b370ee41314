/** Dictionaries compared with a list of pairs: keys keep their insertion order under any operation. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { readJson, SharedKeys } from "../json/read.ts";
import { PyDict } from "../values/dict.ts";
import type { Value } from "../values/values.ts";

type Step = { do: "set" | "delete" | "copy"; key: string | number; value: number };

const step: fc.Arbitrary<Step> = fc.record({
  do: fc.constantFrom("set", "set", "set", "set", "delete", "copy"),
  key: fc.oneof(
    fc.constantFrom("a", "b", "c", "10", "9", "__proto__", "constructor"),
    fc.integer({ min: 0, max: 60 }).map((n) => `k${n}`),
    fc.integer({ min: 0, max: 3 }),
  ),
  value: fc.integer(),
});

function check(start: PyDict, pairs: [Value, Value][], steps: readonly Step[]): void {
  let dict = start;
  for (const { do: what, key, value } of steps) {
    const at = pairs.findIndex(([known]) => known === key);
    if (what === "delete") {
      expect(dict.delete(key)).toBe(at >= 0);
      if (at >= 0) pairs.splice(at, 1);
    } else if (what === "set") {
      dict.set(key, value);
      if (at >= 0) pairs[at] = [key, value];
      else pairs.push([key, value]);
    } else {
      const before = dict;
      dict = dict.copy();
      before.set("only in the first", 1);
    }
    expect(dict.get(key)).toBe(pairs.find(([known]) => known === key)?.[1]);
    expect(dict.has(key)).toBe(pairs.some(([known]) => known === key));
  }
  expect(dict.size).toBe(pairs.length);
  expect(dict.entries()).toEqual(pairs);
  expect(dict.keys()).toEqual(pairs.map(([key]) => key));
  const seen: [Value, Value][] = [];
  dict.each((key, value) => {
    seen.push([key, value]);
  });
  expect(seen).toEqual(pairs);
}

test("a dictionary filled key by key keeps insertion order", () => {
  fc.assert(fc.property(fc.array(step, { maxLength: 80 }), (steps) => check(new PyDict(), [], steps)));
});

test("a dictionary read from JSON keeps insertion order under any operation", () => {
  const keys = new SharedKeys();
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const dict = readJson('{"b":1,"a":2}', keys);
      if (!(dict instanceof PyDict)) throw new Error("no dictionary");
      check(
        dict,
        [
          ["b", 1],
          ["a", 2],
        ],
        steps,
      );
    }),
  );
});

test("after 10,000 unique keys, numeric text keys still keep insertion order", () => {
  for (let n = 0; n < 10_000; n++) new PyDict().set(`once ${n}`, n);
  const dict = PyDict.from([
    ["20", 1],
    ["10", 2],
  ]);
  expect(dict.entries()).toEqual([
    ["20", 1],
    ["10", 2],
  ]);
});
