/** Differences of texts: what they say leads from one text to the other, and the shortest one is found. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { diffLines, unifiedLines } from "../../../src/base/text/line-diff.ts";

const side = (lines: ReturnType<typeof diffLines>["lines"], other: string) =>
  lines.filter(({ kind }) => kind !== other).map(({ text }) => text);

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
        const { lines, approximate } = diffLines(before, after);
        expect(approximate).toBe(false);
        expect(side(lines, "added")).toEqual(before);
        expect(side(lines, "removed")).toEqual(after);
        expect(lines.filter(({ kind }) => kind === "same")).toHaveLength(common(before, after));
      }),
      { numRuns: 2_000 },
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
    expect(unifiedLines("a", "b")).toEqual(["@@ -1,1 +1,1 @@", "-a", "+b"]);
  });

  test("of texts that have nothing in common is all of both, without the work of comparing them", () => {
    const before = Array.from({ length: 50_000 }, (_, at) => `old ${at}`);
    const after = Array.from({ length: 50_000 }, (_, at) => `new ${at}`);
    const { lines, approximate } = diffLines(["same", ...before], ["same", ...after]);
    expect([lines.length, approximate, lines[0]?.kind]).toEqual([100_001, true, "same"]);
  });
});
