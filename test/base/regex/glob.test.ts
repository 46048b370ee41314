/** Patterns with wildcards match what a regular expression of them matches, and never take longer for hostile ones. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { hostMatches } from "../../../src/base/net/host-match.ts";
import { anyChar, anyChars, type GlobParts, globOf } from "../../../src/base/regex/glob.ts";
import { runs } from "../../support/runs.ts";

const letters = fc.string({
  unit: fc.constantFrom("a", "b", "\u00fc", "\u{1f600}", "."),
  minLength: 1,
  maxLength: 3,
});
const parts = fc.array(fc.oneof(letters, fc.constant(anyChars), fc.constant(anyChar)), { maxLength: 8 });
const texts = fc.string({ unit: fc.constantFrom("a", "b", "\u00fc", "\u{1f600}", "."), maxLength: 12 });

function expressionOf(glob: GlobParts): RegExp {
  const source = glob.map((part) =>
    part === anyChars ? ".*" : part === anyChar ? "." : part.toString().replaceAll(".", "\\."),
  );
  return new RegExp(`^${source.join("")}$`, "su");
}

test("a pattern matches what its regular expression matches", () => {
  fc.assert(
    fc.property(parts, texts, (glob, text) => {
      expect(globOf(glob)(text)).toBe(expressionOf(glob).test(text));
    }),
    { numRuns: runs(2_000) },
  );
});

const many = Array.from({ length: 500 }, (): GlobParts => [anyChars, "v"]).flat();

test("the steps of a pattern of many wildcards grow with its length, not with its square", () => {
  const count = { steps: 0 };
  expect(globOf([...many, anyChars, "x", anyChars], count)("v".repeat(1_000))).toBe(false);
  expect(count.steps).toBeLessThan(1_100);
});

test("a host pattern of many wildcards is matched as any other", () => {
  // A regular expression would try more ways than there are atoms.
  expect(hostMatches(`${"*a".repeat(100)}*b`, "a".repeat(250))).toBe(false);
  expect(hostMatches(`${"*a".repeat(100)}*b`, `${"a".repeat(250)}b`)).toBe(true);
  expect(hostMatches("10.1.*", "10.1.2.3")).toBe(true);
});
