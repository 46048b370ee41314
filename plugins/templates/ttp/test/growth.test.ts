/** Parsing a hostile template takes linear time, counted in calls that scan its text. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { runs } from "../../../../test/support/runs.ts";
import { bracesOf, withoutBraces } from "../template/braces.ts";

const EXPRESSION = /\{\{([\s\S]+?)\}\}/g;

test("braces are found as by the regular expression", () => {
  const text = fc
    .array(fc.constantFrom("{{", "}}", "{", "}", " ", "a", "|", "\n"), { maxLength: 30 })
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, (line) => {
      expect(bracesOf(line).map(({ source }) => source)).toEqual(
        Array.from(line.matchAll(EXPRESSION), (match) => match[1]),
      );
      expect(withoutBraces(line)).toBe(line.replace(EXPRESSION, ""));
    }),
    { numRuns: runs(2000) },
  );
});

test("each brace is scanned once, however many are open", () => {
  let looked = 0;
  const text = "{{".repeat(5_000);
  const counting = new Proxy(Object(text), {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        looked++;
        return Reflect.apply(value, text, args);
      };
    },
  });
  expect(bracesOf(counting)).toEqual([]);
  expect(looked).toBeLessThan(5);
});
