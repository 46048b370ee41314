/** The results of Python's `re`, recorded by expectations.py, equal ours. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { PythonMatch } from "../../regex/match.ts";
import { parsePattern } from "../../regex/parse/parse.ts";
import { compilePython, escapePython } from "../../regex/pattern.ts";
import { createMachine } from "../../regex/run/machine.ts";
import { buildProgram } from "../../regex/run/program.ts";

type Spans = number[][] | null;
/** Text, match, search, fullmatch, spans of finditer, sub, split. */
type Row = [string, Spans, Spans, Spans, number[][], string, (string | null)[]];
type Line =
  | { kind: "case"; pattern: string; groups: number; rows: Row[] }
  | { kind: "error"; pattern: string; message: string }
  | { kind: "sub"; pattern: string; template: string; text: string; result?: string; error?: string }
  | { kind: "escape"; text: string; escaped: string };
const lines: Line[] = readFileSync(new URL("./expectations.jsonl", import.meta.url), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line));
const ofKind = <K extends Line["kind"]>(kind: K) =>
  lines.filter((line): line is Extract<Line, { kind: K }> => line.kind === kind);

/** Python counts code points, JavaScript counts code units. */
const points = (text: string) => (unit: number) => (unit < 0 ? unit : Array.from(text.slice(0, unit)).length);

function spansOf(text: string, match: PythonMatch | null, groups: number): Spans {
  if (match === null) return null;
  return Array.from({ length: groups + 1 }, (_, group) => match.span(group).map(points(text)));
}

describe("the spans of all matches equal Python's", () => {
  for (const { pattern, groups, rows } of ofKind("case")) {
    test(JSON.stringify(pattern), () => {
      const compiled = compilePython(pattern);
      expect(compiled.groups).toBe(groups);
      for (const row of rows) {
        const [text] = row;
        const answer: Row = [
          text,
          spansOf(text, compiled.match(text), groups),
          spansOf(text, compiled.search(text), groups),
          spansOf(text, compiled.fullmatch(text), groups),
          [...compiled.finditer(text)].map((match) => match.span().map(points(text))),
          compiled.sub("<>", text),
          compiled.split(text),
        ];
        expect(answer).toEqual(row);
      }
    });
  }
});

describe("the spans of the linear matcher equal Python's", () => {
  for (const { pattern, groups, rows } of ofKind("case")) {
    test(JSON.stringify(pattern), () => {
      const machine = createMachine(buildProgram(parsePattern(pattern).root, groups), 1_000_000);
      for (const [text, match] of rows) {
        machine.begin(text, /[\ud800-\udfff]/.test(text));
        const spans = machine.matchAt(0, "any");
        const at = points(text);
        const pairs =
          spans === undefined
            ? null
            : Array.from({ length: groups + 1 }, (_, group) =>
                (spans[2 * group + 1] ?? -1) < 0
                  ? [-1, -1]
                  : [at(spans[2 * group] ?? -1), at(spans[2 * group + 1] ?? -1)],
              );
        expect({ text, match: pairs }).toEqual({ text, match });
      }
    });
  }
});

describe("the error of a pattern equals Python's", () => {
  for (const { pattern, message } of ofKind("error")) {
    test(JSON.stringify(pattern), () => {
      expect(() => compilePython(pattern)).toThrowError(expect.objectContaining({ message }));
    });
  }
});

describe("the result of sub equals Python's", () => {
  for (const { pattern, template, text, result, error } of ofKind("sub")) {
    test(`${pattern} ${template}`, () => {
      const run = () => compilePython(pattern).sub(template, text);
      if (error === undefined) expect(run()).toBe(result);
      else expect(run).toThrowError(expect.objectContaining({ message: error }));
    });
  }

  test("with a function as replacement", () => {
    const pattern = compilePython(String.raw`(?P<n>\d+)`);
    expect(pattern.sub((match) => String(Number(match.group("n")) * 2), "a1 b20")).toBe("a2 b40");
    expect(pattern.subn("x", "1 2 3", 2)).toEqual(["x x 3", 2]);
  });
});

describe("the interface equals that of Python's re:", () => {
  test("groups by number and name, absent ones, groupdict in order", () => {
    const match = compilePython("(?P<b>x)(?P<a>y)?").search("..x..");
    expect(match?.span()).toEqual([2, 3]);
    expect(match?.group("b")).toBe("x");
    expect(match?.group(2)).toBeNull();
    expect(match?.span("a")).toEqual([-1, -1]);
    expect(match?.groups("none")).toEqual(["x", "none"]);
    expect([...(match?.groupdict() ?? [])]).toEqual([
      ["b", "x"],
      ["a", null],
    ]);
    expect(() => match?.group("c")).toThrowError("no such group");
  });

  test("pos and endpos bound the text", () => {
    const pattern = compilePython(String.raw`\w+$`);
    expect(pattern.search("ab cd", 0, 2)?.group()).toBe("ab");
    expect(compilePython("^b").match("ab", 1)).toBeNull();
    expect(compilePython("b").match("ab", 1)?.span()).toEqual([1, 2]);
    expect(compilePython("").match("ab", 3)).toBeNull();
  });

  test("findall returns strings, one group, or tuples", () => {
    expect(compilePython("a.").findall("abac")).toEqual(["ab", "ac"]);
    expect(compilePython("a(.)?").findall("aba")).toEqual(["b", ""]);
    expect(compilePython("(a)(b)?").findall("aba")).toEqual([
      ["a", "b"],
      ["a", ""],
    ]);
  });

  test("escape returns Python's result", () => {
    for (const { text, escaped } of ofKind("escape")) expect(escapePython(text)).toBe(escaped);
  });
});
