/** `pprint` formats values as Python does; expected results are Python 3.11's. */
import { expect, test } from "vitest";
import { parseJson } from "../json/read.ts";
import { Meter } from "../limits.ts";
import { prettyPrint } from "../text/pprint.ts";
import { PyDict, PySet } from "../values/dict.ts";

const pretty = (json: string, step?: number): string => prettyPrint(parseJson(json), new Meter(), step);

test("pprint keeps an empty string on its line even without room", () => {
  const key = "k".repeat(80);
  expect(pretty(JSON.stringify({ [key]: "", z: 1 }))).toBe(`{'${key}': '',\n 'z': 1}`);
});

test("pprint supports an indent of four, as TTP uses it", () => {
  const words = "word ".repeat(20);
  expect(pretty(JSON.stringify({ b: [words], a: 1 }), 4)).toBe(
    [
      "{   'a': 1,",
      "    'b': [   'word word word word word word word word word word word word word '",
      "             'word word word word word word word ']}",
    ].join("\n"),
  );
});

test("pprint sorts unorderable keys by type", () => {
  const mixed = PyDict.from([
    ["b", 1],
    [2, 1],
    ["a", 1],
    [1, 1],
  ]);
  expect(prettyPrint(mixed, new Meter())).toBe("{1: 1, 2: 1, 'a': 1, 'b': 1}");
});

test("an empty set prints as set(), and a wide set prints one sorted item per line", () => {
  const [a, b] = ["a".repeat(40), "b".repeat(40)];
  const value = PyDict.from([
    ["empty", new PySet()],
    ["wide", new PySet([b, a])],
  ]);
  expect(prettyPrint(value, new Meter())).toBe(`{'empty': set(),\n 'wide': {'${a}',\n          '${b}'}}`);
});
