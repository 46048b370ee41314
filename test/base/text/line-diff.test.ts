/** Differences of texts: what they say leads from one text to the other, and the shortest one is found. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareLines, type LineChange, unifiedLines } from "../../../src/base/text/line-diff.ts";
import { runs } from "../../support/runs.ts";

/** The second text, made of the first one and the changes. */
function applied(before: readonly string[], after: readonly string[], changes: readonly LineChange[]) {
  let at = 0;
  const lines = changes.flatMap(({ oldFrom, oldTo, newFrom, newTo }) => {
    const equal = before.slice(at, oldFrom);
    at = oldTo;
    return [...equal, ...after.slice(newFrom, newTo)];
  });
  return [...lines, ...before.slice(at)];
}

const edits = (changes: readonly LineChange[]) =>
  changes.reduce((sum, { oldFrom, oldTo, newFrom, newTo }) => sum + oldTo - oldFrom + newTo - newFrom, 0);

/** Length of the longest common subsequence. */
function common(a: readonly string[], b: readonly string[]): number {
  let row: number[] = b.map(() => 0);
  for (const line of a) {
    let [left, corner] = [0, 0];
    row = b.map((other, at) => {
      const above = row[at] ?? 0;
      left = line === other ? corner + 1 : Math.max(above, left);
      corner = above;
      return left;
    });
  }
  return row.at(-1) ?? 0;
}

describe("the difference of two texts", () => {
  test("gives both texts back, and is the shortest", () => {
    const text = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 30 });
    fc.assert(
      fc.property(text, text, (before, after) => {
        const { changes, approximate } = compareLines(before, after);
        expect(approximate).toBe(false);
        expect(applied(before, after, changes)).toEqual(after);
        expect(edits(changes)).toBe(before.length + after.length - 2 * common(before, after));
      }),
      { numRuns: runs(2_000) },
    );
  });

  test("is in unified format", () => {
    const before = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];
    const after = ["a", "b", "C", "d", "e", "f", "g", "h", "i", "j", "l"];
    expect(unifiedLines(before.join("\n"), after.join("\n"))).toEqual([
      ...["@@ -1,6 +1,6 @@", " a", " b", "-c", "+C", " d", " e", " f"],
      ...["@@ -8,5 +8,4 @@", " h", " i", " j", "-k", " l"],
    ]);
    expect(unifiedLines("a\nb", "a\nb")).toEqual([]);
    expect(unifiedLines("a", "b")).toEqual(["@@ -1 +1 @@", "-a", "+b"]);
  });

  test("starts at a heading where it could equally start before", () => {
    const block = (name: string) => [`interface ${name}`, " no shutdown", "!"];
    const before = [...block("A"), ...block("C")];
    const after = [...block("A"), ...block("B"), ...block("C")];
    expect(compareLines(before, after).changes).toEqual([{ oldFrom: 3, oldTo: 3, newFrom: 3, newTo: 6 }]);
    const unit = (name: string) => [`  ${name} {`, "    disable;", "  }"];
    const braces = compareLines(
      ["x {", ...unit("a"), ...unit("c"), "}"],
      ["x {", ...unit("a"), ...unit("b"), ...unit("c"), "}"],
    );
    expect(braces.changes).toEqual([{ oldFrom: 4, oldTo: 4, newFrom: 4, newTo: 7 }]);
  });

  test("of texts that have nothing in common is all of both, without the work of comparing them", () => {
    const before = Array.from({ length: 50_000 }, (_, at) => `old ${at}`);
    const after = Array.from({ length: 50_000 }, (_, at) => `new ${at}`);
    const { changes, work } = compareLines(["same", ...before], ["same", ...after]);
    expect(changes).toEqual([{ oldFrom: 1, oldTo: 50_001, newFrom: 1, newTo: 50_001 }]);
    expect(work).toBe(0);
  });
});

describe("the work of a difference is bounded, and the difference correct", () => {
  const many = 100_000;
  const lines = (of: (at: number) => string, length = many) => Array.from({ length }, (_, at) => of(at));
  /** Pseudo-random, the same each time. */
  const random = (seed: number) => (at: number) => {
    const mixed = Math.imul((at + seed * 1_000_003) ^ (seed << 20), 0x2c1b3c6d);
    return `${(Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39) >>> 9) % 1_000}`;
  };
  test.each([
    ["equal lines, one more at the front", lines(() => "a"), ["b", ...lines(() => "a"), "a"]],
    ["half as many equal lines", lines(() => "a"), lines(() => "a", many / 2)],
    ["alternating lines, the other way round", lines((at) => `${at % 2}`), lines((at) => `${(at + 1) % 2}`)],
    ["two lines in other rhythms", lines((at) => `${at % 3 === 0}`), lines((at) => `${at % 5 === 0}`)],
    ["lines in reverse", lines(String), lines(String).reverse()],
    ["a thousand different lines in two random orders", lines(random(1)), lines(random(7))],
    ["each line swapped with the next", lines(String), lines((at) => `${at ^ 1}`)],
  ])("%s", (_, before, after) => {
    const { changes, work } = compareLines(before, after);
    expect(applied(before, after, changes).join("\n") === after.join("\n")).toBe(true);
    expect(work).toBeLessThan(300_000 + 20 * (before.length + after.length));
  });

  test("600 lines that differ are few enough for the shortest difference", () => {
    const before = lines(random(1), 10_000);
    const kept = before.filter((_, at) => at % 33 !== 0);
    const after = kept.flatMap((line, at) => (at % 33 === 7 ? [line, random(9)(at)] : [line]));
    const { changes, approximate } = compareLines(before, after);
    expect(approximate).toBe(false);
    expect(edits(changes)).toBeLessThanOrEqual(600);
    expect(applied(before, after, changes)).toEqual(after);
  });

  test("lines that occur once keep their places in a text that is otherwise too different", () => {
    const noise = (seed: number) => lines(random(seed), 20_000);
    const before = [...noise(1), "interface A", ...noise(2)];
    const after = [...noise(3), "interface A", ...noise(4)];
    const { changes, approximate } = compareLines(before, after);
    expect(approximate).toBe(true);
    expect(changes.some(({ oldFrom, oldTo }) => oldFrom <= 20_000 && 20_000 < oldTo)).toBe(false);
    expect(applied(before, after, changes)).toEqual(after);
  });
});
