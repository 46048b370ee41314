/** Patterns with excessive backtracking get the right result or a clear error, never a silent "no match". */
import { describe, expect, test } from "vitest";
import { compilePython } from "../../regex/pattern.ts";

const a = (count: number) => "a".repeat(count);

describe("a pattern with excessive backtracking", () => {
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
  ])("is decided: %s does not match", (pattern, text) => {
    expect(compilePython(pattern).match(text)).toBeNull();
  });

  test.each([
    ["^(a+)+$", a(5000), 5000],
    ["(?:a|aa)+$", a(3000), 3000],
    ["a?".repeat(30) + a(30), a(30), 30],
    ["(a?){40}a{40}", a(40), 40],
    ["^(a+)+b", `${a(5000)}b`, 5001],
  ])("is decided: %s matches", (pattern, text, end) => {
    expect(compilePython(pattern).match(text)?.span()).toEqual([0, end]);
  });

  test.each([
    ["(?:(a)|b){1500,3000}(?(1)x|y)", "ab".repeat(1000), "x", 2001],
    ["(?:(a)|b){1500,3000}?(?(1)x|y)", "b".repeat(1600), "y", 1601],
    ["(?:(a)|b){1500,3000}(?(1)x|y)", "ab".repeat(700), "x", undefined],
    ["(?:(a)|b?){1500,3000}(?(1)x|y)", "b".repeat(100), "y", 101],
  ])("with a high repetition count runs on the linear matcher: %s", (pattern, rounds, end, length) => {
    const found = compilePython(pattern).match(rounds + end);
    expect(found?.end()).toBe(length);
  });

  test("in a negative lookahead is decided correctly", () => {
    expect(compilePython("^(?!(?:a+)+$)a").match(a(5000))).toBeNull();
    expect(
      compilePython("^(?!(?:a+)+$)a")
        .match(`${a(3000)}b`)
        ?.group(),
    ).toBe("a");
  });
});

describe("a pattern beyond the limits", () => {
  test("fails as TemplateLimit: a backreference that backtracks too much", () => {
    const pattern = compilePython(String.raw`(a?)(?:(a+)+\1)+(?(1)b|c)$`, { steps: 200_000 });
    expect(() => pattern.match(`${a(60)}d`)).toThrowError(
      expect.objectContaining({
        kind: "TemplateLimit",
        message: expect.stringContaining("backtracks too much"),
      }),
    );
  });

  test("fails as TemplateLimit: excessive nesting", () => {
    expect(() => compilePython("(".repeat(5000))).toThrowError(
      expect.objectContaining({ kind: "TemplateLimit" }),
    );
  });

  test("of the native engine runs on the linear matcher: a huge repetition count", () => {
    expect(compilePython("a{3,4000000000}").match(a(10))?.span()).toEqual([0, 10]);
    expect(compilePython("(?:ab){2,100000}").match("ab".repeat(5))?.span()).toEqual([0, 10]);
  });
});

test("finding all matches at once equals finding them one by one", () => {
  const text = `\n${"x ab12 cd\n".repeat(70)}${"a".repeat(60)}!\n`;
  const sources = ["x (\\w+)", "(\\S+ {1})+?\\S+", "(a+)+$", "(a|aa)+b", "x (?P<n>\\w+) (?=c)"];
  for (const source of sources) {
    const { matcher } = compilePython(`\\n${source}`);
    const place = matcher.places[1] ?? 0;
    const together = matcher.all(text, 0, "\n").map((answer) => [answer.index, answer[0], answer[place]]);
    const other: unknown[] = [];
    for (let at = text.indexOf("\n"); at >= 0; ) {
      const found = matcher.find(text, at, "match");
      if (found !== undefined) other.push([found.start, found.group(0), found.group(1) ?? undefined]);
      at = text.indexOf("\n", found?.end ?? at + 1);
    }
    expect(together).toEqual(other);
  }
});
