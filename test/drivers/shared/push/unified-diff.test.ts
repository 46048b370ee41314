import * as fc from "fast-check";
import { expect, test } from "vitest";
import { unifiedDifference } from "../../../../plugins/drivers/shared/push/unified-diff.ts";

test("a unified diff shows differing lines with three lines of context", () => {
  const before = ["hostname a", "interface 1", " shutdown", "!", "router 1", " x", " y", " z", "end"];
  const after = before.flatMap((line) => (line === " shutdown" ? [" description b"] : [line]));
  expect(unifiedDifference(before.join("\n"), after.join("\n"))).toBe(
    "@@ -1,6 +1,6 @@\n hostname a\n interface 1\n- shutdown\n+ description b\n !\n router 1\n  x",
  );
  expect(unifiedDifference("a\nb", "a\nb")).toBe("");
  expect(unifiedDifference("", "a")).toBe("@@ -1,0 +1,1 @@\n+a");
});

test("distant changes are separate hunks", () => {
  const lines = Array.from({ length: 40 }, (_, index) => `line ${index}`);
  const changed = lines.map((line, index) => (index === 2 || index === 30 ? `${line}!` : line));
  expect(unifiedDifference(lines.join("\n"), changed.join("\n")).match(/^@@/gm)).toHaveLength(2);
});

test("a unified diff accounts for every line of both texts", () => {
  const texts = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 30 });
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      const shown = unifiedDifference(before.join("\n"), after.join("\n")).split("\n");
      const count = (kind: string) => shown.filter((line) => line.startsWith(kind)).length;
      expect(count("+") - count("-")).toBe(after.length - before.length);
      expect(shown.join("") === "").toBe(before.join("\n") === after.join("\n"));
    }),
  );
});

test("two texts with nothing in common are compared in linear time", () => {
  const lines = (mark: string) => Array.from({ length: 20_000 }, (_, index) => `${mark}${index}`).join("\n");
  expect(unifiedDifference(lines("a"), lines("b")).split("\n")).toHaveLength(40_001);
});
