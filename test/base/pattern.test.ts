import fc from "fast-check";
import { expect, test } from "vitest";
import { patternFault, userPattern } from "../../src/base/pattern.ts";

test.each([
  "#",
  "R1\\(config\\)#",
  "[>#]\\s*$",
  "(?:confirm|yes/no)",
  "Destination filename \\[.*\\]\\?",
  "^% (?:Invalid|Incomplete|Ambiguous)",
  "\\d{1,3}(?:\\.\\d{1,3}){3}",
  "(?:ab)+",
  "a{2}b?",
  "[(]+x[)]*",
])("%s may be used", (source) => {
  expect(patternFault(source)).toBeUndefined();
});

test.each([
  "(a+)+$",
  "(a*)*",
  "(?:a+b?)*c",
  "(a|a)*b",
  "(a|b|ab)+c",
  "((a+))+",
  "(a+){2,}",
  "(?:a{1,}){5}",
  "(x+x+)+y",
  "(.*)*z",
  "(a)\\1",
  "(?<n>a)\\k<n>",
])("%s is refused", (source) => {
  expect(patternFault(source)).toContain("repeats");
  expect(() => userPattern(source, "expect_string")).toThrow(/^expect_string: /);
});

test("whatever is let through stops soon on what is hard for it", () => {
  const part = fc.constantFrom(
    "a",
    "b",
    ".",
    "a+",
    "b*",
    "(a|b)",
    "(ab)",
    "[ab]",
    "\\w+",
    "a?",
    "{2}",
    "+",
    "*",
    "$",
    "(a+)",
  );
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 8 }).map((parts) => parts.join("")),
      (source) => {
        if (patternFault(source) !== undefined) return;
        const pattern = userPattern(source, "x");
        // It ends: the runner's own limit is the proof. Exponential ones would need years.
        pattern.test(`${"a".repeat(60)}!`);
        pattern.test(`${"ab".repeat(40)}!`);
      },
    ),
    { numRuns: 2000 },
  );
});
