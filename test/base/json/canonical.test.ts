/** Canonical JSON is the same for the same value, whatever order its members came in. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { type CanonicalValue, canonicalJson } from "../../../src/base/json/canonical.ts";

test("as the examples of RFC 8785 are", () => {
  const sample = {
    numbers: [Number("333333333.33333329"), 1e30, 4.5, 2e-3, 0.000000000000000000000000001, -0],
    string: "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"/",
    literals: [null, true, false],
  };
  expect(canonicalJson(sample)).toBe(
    String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27,0],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
  );
  const names = ["\u20ac", "\r", "\ufb33", "1", "\ud83d\ude00", "\u0080", "\u00f6"];
  const sorted = Object.keys(JSON.parse(canonicalJson(Object.fromEntries(names.map((name) => [name, 1])))));
  // Numbers come first in any object, here as well.
  expect(sorted).toEqual(["1", "\r", "\u0080", "\u00f6", "\u20ac", "\ud83d\ude00", "\ufb33"]);
  expect(() => canonicalJson(Number.NaN)).toThrow(TypeError);
  expect(canonicalJson({ a: undefined, b: "\ud800" })).toBe('{"b":"\ufffd"}');
});

const { value } = fc.letrec<{ value: CanonicalValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    fc.string({ unit: "grapheme" }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(true, false, null),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.string({ unit: "grapheme" }), tie("value"), { maxKeys: 5 }),
  ),
}));

test("it is what is parsed from it, and the same for members in any order", () => {
  fc.assert(
    fc.property(value, (any) => {
      const text = canonicalJson(any);
      expect(canonicalJson(JSON.parse(text))).toBe(text);
      expect(canonicalJson(turned(any))).toBe(text);
      expect(text).not.toMatch(/^\s|[{,:]\s*\n/);
    }),
  );
});

function turned(value: CanonicalValue): CanonicalValue {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, member]) => [name, turned(member ?? null)]),
  );
}
