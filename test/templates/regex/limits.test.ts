/** Patterns that backtrack badly get the right answer or a clear refusal, never a silent "no match". */
import { describe, expect, test } from "vitest";
import { compilePython } from "../../../plugins/templates/python/regex/index.ts";

const a = (count: number) => "a".repeat(count);

describe("answers where the engine underneath gives up", () => {
  test.each([
    ["^(a+)+$", `${a(5000)}b`],
    ["^(?:a|a)*$", `${a(3000)}b`],
    ["^(a|aa)+$", `${a(2000)}b`],
    ["(x+x+)+y", "x".repeat(2000)],
    ["^(([a-z])+.)+[A-Z]([a-z])+$", a(1000)],
    ["((a*)*)*b", a(300)],
    ["(.*)(.*)(.*)(.*)(.*)=", a(2000)],
    [String.raw`^(\s*-*)*\s*$`, `${" ".repeat(2000)}x`],
    [String.raw`^(\w+\s?)*$`, `${"word ".repeat(300)}!`],
  ])("%s does not match", (pattern, text) => {
    expect(compilePython(pattern).match(text)).toBeNull();
  });

  test.each([
    ["^(a+)+$", a(5000), 5000],
    ["(?:a|aa)+$", a(3000), 3000],
    ["a?".repeat(30) + a(30), a(30), 30],
    ["(a?){40}a{40}", a(40), 40],
    ["^(a+)+b", `${a(5000)}b`, 5001],
  ])("%s matches", (pattern, text, end) => {
    expect(compilePython(pattern).match(text)?.span()).toEqual([0, end]);
  });

  test.each([
    ["(?:(a)|b){1500,3000}(?(1)x|y)", "ab".repeat(1000), "x", 2001],
    ["(?:(a)|b){1500,3000}?(?(1)x|y)", "b".repeat(1600), "y", 1601],
    ["(?:(a)|b){1500,3000}(?(1)x|y)", "ab".repeat(700), "x", undefined],
    ["(?:(a)|b?){1500,3000}(?(1)x|y)", "b".repeat(100), "y", 101],
  ])("a loop counted high, done by the own matcher: %s", (pattern, rounds, end, length) => {
    const found = compilePython(pattern).match(rounds + end);
    expect(found?.end()).toBe(length);
  });

  test("a negative look-ahead is not taken for true", () => {
    expect(compilePython("^(?!(?:a+)+$)a").match(a(5000))).toBeNull();
    expect(
      compilePython("^(?!(?:a+)+$)a")
        .match(`${a(3000)}b`)
        ?.group(),
    ).toBe("a");
  });
});

describe("refusals", () => {
  test("back-references that backtrack too much", () => {
    const pattern = compilePython(String.raw`(a?)(?:(a+)+\1)+(?(1)b|c)$`, { steps: 200_000 });
    expect(() => pattern.match(`${a(60)}d`)).toThrowError(
      expect.objectContaining({
        kind: "TemplateLimit",
        message: expect.stringContaining("backtracks too much"),
      }),
    );
  });

  test("nesting without end", () => {
    expect(() => compilePython("(".repeat(5000))).toThrowError(
      expect.objectContaining({ kind: "TemplateLimit" }),
    );
  });

  test("a count that the engine underneath refuses is done by the own matcher", () => {
    expect(compilePython("a{3,4000000000}").match(a(10))?.span()).toEqual([0, 10]);
    expect(compilePython("(?:ab){2,100000}").match("ab".repeat(5))?.span()).toEqual([0, 10]);
  });
});

test("many places of one text: the same answers as one by one, also where the engine gives up", () => {
  const text = `${"x ab12 cd\n".repeat(200)}${"a".repeat(60)}!\n`;
  const starts = [...text.matchAll(/^/gm)].map(({ index }) => index);
  for (const source of ["x (\\w+)", "(\\S+ {1})+?\\S+", "(a+)+$", "(a|aa)+b", "x (?P<n>\\w+) (?=c)"]) {
    const { matcher } = compilePython(source);
    const findAt = matcher.finder(text, "match");
    for (const from of starts) {
      const [one, other] = [findAt(from), matcher.find(text, from, "match")];
      expect([one?.start, one?.end, one?.group(1)]).toEqual([other?.start, other?.end, other?.group(1)]);
    }
  }
});
