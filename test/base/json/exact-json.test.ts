/** JSON keeps the types of its numbers, all digits, and the order of its keys. */
import fc from "fast-check";
import * as v from "valibot";
import { expect, test } from "vitest";
import {
  ExactNumber,
  isInexact,
  isSameExact,
  orderedEntries,
  orderedRecord,
  parseExact,
  plain,
  stringifyExact,
} from "../../../src/base/json/exact-json.ts";
import { runs } from "../../support/runs.ts";

const numberText = fc.oneof(
  fc.integer().map(String),
  fc.bigInt().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.constantFrom("9.0", "-0.0", "0.0", "1e3", "1E+3", "1.50", "12345678901234567890", "1e400", "-1.0e-7"),
);
const key = fc.oneof(
  fc.nat({ max: 40 }).map(String),
  fc.constantFrom("a", "b", "__proto__", "4294967295", ""),
);
/** JSON texts without blanks; keys are unique. */
const { text } = fc.letrec<{ text: string }>((tie) => ({
  text: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    numberText,
    fc.string().map((value) => JSON.stringify(value)),
    fc.constantFrom("true", "false", "null"),
    fc.array(tie("text"), { maxLength: 4 }).map((items) => `[${items.join(",")}]`),
    fc
      .uniqueArray(fc.tuple(key, tie("text")), { maxLength: 5, selector: ([name]) => name })
      .map((members) => `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(",")}}`),
  ),
}));

test("any JSON is written again with the same types, digits and order", () => {
  fc.assert(
    fc.property(text, (json) => {
      const written = stringifyExact(parseExact(json));
      // Floats may be spelled otherwise, as long as they remain floats.
      expect(written.replace(/\d[\d.eE+-]*/g, "0")).toBe(json.replace(/\d[\d.eE+-]*/g, "0"));
      expect(stringifyExact(parseExact(written))).toBe(written);
      expect(isSameExact(parseExact(json), parseExact(written))).toBe(true);
      expect(plain(parseExact(json))).toEqual(JSON.parse(json));
      expect(stringifyExact(parseExact(stringifyExact(parseExact(json), 2)))).toBe(written);
    }),
    { numRuns: runs(500) },
  );
});

test("what JSON.parse is trusted with is what a text that it is not trusted with is read as", () => {
  const digits = fc.stringMatching(/^-?(?:0|[1-9]\d{0,20})(?:\.\d{1,20})?(?:[eE][+-]?\d{1,3})?$/);
  const json = fc.oneof(
    text,
    fc.tuple(digits, digits).map(([one, other]) => `{"a": ${one}, "b":[ ${other}]}`),
  );
  fc.assert(
    fc.property(json, (one) => {
      const [, read] = v.parse(v.tuple([v.unknown(), v.unknown()]), parseExact(`[1.0,${one}]`));
      expect(isSameExact(parseExact(one), read)).toBe(true);
    }),
    { numRuns: runs(2_000) },
  );
});

test.each([
  ["9.0", "9.0"],
  ["1e3", "1000.0"],
  ["1.50", "1.5"],
  ["12345678901234567890", "12345678901234567890"],
  ['{"20":2.0,"10":1}', '{"20":2.0,"10":1}'],
  [' { "b" : [ 1 , 2.0 ] , "7" : { } } ', '{"b":[1,2.0],"7":{}}'],
  ['{"a":1,"a":2.0}', '{"a":2.0}'],
  ['{"\\u0032":1,"1":2}', '{"2":1,"1":2}'],
])("%s is kept", (json, written) => {
  expect(stringifyExact(parseExact(json))).toBe(written);
});

test("indented text is that of JSON.stringify", () => {
  const indented = stringifyExact(parseExact('{"a":[1,{"20":{},"10":[9.0]}],"b":{"c":[]},"d":[]}'), 2);
  const json = JSON.stringify({ a: [1, { x: {}, y: [0] }], b: { c: [] }, d: [] }, null, 2);
  expect(indented).toBe(json.replace('"x"', '"20"').replace('"y"', '"10"').replace("0\n", "9.0\n"));
});

test("what JavaScript holds by itself stays as it is", () => {
  for (const json of ['{"a":[1,-2,1.5,"9.0"],"b":{"c":null}}', "12", '{"1":0,"2":0}'])
    expect(isInexact(parseExact(json))).toBe(false);
  expect(parseExact("9.0")).toEqual(new ExactNumber("9.0"));
  expect(JSON.stringify(parseExact('{"b":9.0,"1":1}'))).toBe('{"1":1,"b":9}');
});

test("a copy keeps the order, and a comparison sees it", () => {
  const record = orderedRecord([
    ["20", 1],
    ["10", 2],
  ]);
  expect(orderedEntries({ ...record })).toEqual([
    ["20", 1],
    ["10", 2],
  ]);
  expect(orderedEntries({ ...record, new: 3 }).map(([name]) => name)).toEqual(["20", "10", "new"]);
  expect(isSameExact(record, { "10": 2, "20": 1 })).toBe(false);
});
