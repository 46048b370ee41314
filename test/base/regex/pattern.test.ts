import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { linearPattern, type TextPattern } from "../../../src/base/regex/linear.ts";
import { boundedPattern, patternFault, userPattern } from "../../../src/base/regex/pattern.ts";

describe("a regular expression of a caller", () => {
  test.each([
    "#",
    "R1\\(config\\)#",
    "[>#]\\s*$",
    "(?:confirm|yes/no)",
    "Destination filename \\[.*\\]\\?",
    "^% (?:Invalid|Incomplete|Ambiguous)",
    "\\d{1,3}(?:\\.\\d{1,3}){3}",
    "(?=R1)R1#",
    "(a+)+$",
    "(.*)*z",
    ".*.*.*=.*;",
  ])("is accepted: %s", (source) => {
    expect(patternFault(source)).toBeUndefined();
  });

  test.each([
    ["(a)\\1", "back reference"],
    ["(?<n>a)\\k<n>", "back reference"],
    ["(?=a+)a+b", "look-around"],
    ["(?:a{500}){500}", "too large"],
    ["(", "is not a regular expression"],
    ["", "must not be empty"],
    ["a".repeat(600), "must not be longer"],
  ])("is rejected: %s", (source, why) => {
    expect(patternFault(source)).toContain(why);
    expect(() => userPattern(source, "expect_string")).toThrow(/^expect_string: /);
  });

  test.each([
    ["(?i)confirm", "Proceed? [CONFIRM]", true],
    ["(?i)(?:[a-k]+o)+N[^f]irm", "CONfirm", false],
    ["(?i)(?:[a-k]+o)+N[f]irm", "CONFIRM", true],
    ["(?s)(?:a.)+b", "a\nb", true],
    ["(?:a.)+b", "a\nb", false],
    ["(?m)^% Invalid", "x\n% Invalid", true],
    ["^% Invalid", "x\n% Invalid", false],
    ["(?P<who>R\\d)[>#]\\Z", "R1#", true],
    ["\\AR1", "x R1", false],
    ["[(?P<]\\\\A", "P\\A", true],
  ])("has Python's meaning: %s on %j gives %s", (source, text, matches) => {
    expect(userPattern(source, "expect_string").test(text)).toBe(matches);
  });

  test.each(["(a+)+$", "(a|a)*b", "(x+x+)+y", ".*.*.*.*=.*;", "(?:.*,){20}P", "(\\w+\\s?)+:$"])(
    "matches hostile text in bounded time: %s",
    (source) => {
      const pattern = userPattern(source, "x");
      for (const text of ["a".repeat(4096), "x".repeat(4096), `${"ab,".repeat(1365)}!`]) pattern.test(text);
    },
  );
});

describe("a regular expression with quadratic time", () => {
  const long = `${"\n".repeat(20_000)}x`;

  /** Records the texts it is tested on. */
  class Noted extends RegExp {
    readonly lengths: number[] = [];
    override exec(text: string): RegExpExecArray | null {
      this.lengths.push(text.length);
      return super.exec(text);
    }
  }

  test("runs on the linear matcher for long text", () => {
    const native = new Noted("^\\s*(?:% ?Invalid|Error)\\b", "im");
    const pattern = boundedPattern(native);
    expect(pattern.test(long)).toBe(false);
    expect(pattern.exec(`${long}\n error`)).not.toBeNull();
    expect(native.lengths).toEqual([]);
    expect(pattern.exec("\n% invalid")?.index).toBe(0);
    expect(native.lengths).toEqual([10]);
  });

  test("runs natively if the linear matcher does not support it", () => {
    const native = new Noted("(?=x)x");
    expect(boundedPattern(native).test(long)).toBe(true);
    expect(native.lengths).toEqual([long.length]);
  });

  test("of a caller runs on the linear matcher", () => {
    const pattern = userPattern("^\\s*%", "error_pattern", { multiline: true });
    expect(pattern).not.toBeInstanceOf(RegExp);
    expect(pattern.test(long)).toBe(false);
  });
});

/** A grammar of expressions, so that most are valid; groups are rare enough that most are short. */
const { expression } = fc.letrec<{ expression: string; atom: string; piece: string }>((tie) => ({
  atom: fc.oneof(
    { maxDepth: 3, depthSize: "small", withCrossShrink: true },
    {
      weight: 4,
      arbitrary: fc.constantFrom(
        "a",
        "b",
        "R",
        "1",
        "#",
        " ",
        ".",
        "\\d",
        "\\w",
        "\\s",
        "\\S",
        "\\W",
        "[ab]",
        "[^a]",
        "[a-z\\d]",
        "[\\]x-]",
        "\\.",
        "\\n",
        "\\x61",
        "\\u0062",
        "\\b",
        "\\B",
        "^",
        "$",
      ),
    },
    { weight: 1, arbitrary: tie("expression").map((inner) => `(${inner})`) },
    { weight: 1, arbitrary: tie("expression").map((inner) => `(?:${inner})`) },
    { weight: 1, arbitrary: tie("expression").map((inner) => `(?<n${inner.length}>${inner})`) },
  ),
  piece: fc
    .tuple(
      tie("atom"),
      fc.constantFrom("", "", "", "*", "+", "?", "*?", "+?", "{2}", "{1,3}", "{0,2}?", "{1,}"),
    )
    .map(([atom, times]) => (/^(?:\^|\$|\\b|\\B)$/.test(atom) ? atom : atom + times)),
  expression: fc
    .array(
      fc.array(tie("piece"), { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join("")),
      { minLength: 1, maxLength: 3 },
    )
    .map((parts) => parts.join("|")),
}));
/** Long ones usually exceed the limit. */
const short = expression.filter((source) => source.length <= 40);
const text = fc
  .array(fc.constantFrom("a", "b", "R1#", " ", "\n", "1", "x", "é", "."), { maxLength: 14 })
  .map((parts) => parts.join(""));

test("the linear matcher finds the same matches as the runtime", () => {
  let compared = 0;
  fc.assert(
    fc.property(short, text, fc.boolean(), (source, sample, multiline) => {
      let native: RegExp;
      try {
        native = new RegExp(source, multiline ? "m" : "");
      } catch {
        return;
      }
      let linearMatcher: TextPattern;
      try {
        linearMatcher = linearPattern(source, { multiline });
      } catch (error) {
        expect(String(error)).toContain("too large");
        return;
      }
      const expected = native.exec(sample);
      const found = linearMatcher.exec(sample);
      compared++;
      expect({ source, sample, index: found?.index }).toEqual({ source, sample, index: expected?.index });
      expect(linearMatcher.test(sample)).toBe(expected !== null);
    }),
    { numRuns: 2000 },
  );
  expect(compared).toBeGreaterThan(1000);
});
