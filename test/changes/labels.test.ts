/** Labels of the bulks of a change: no longer than a label may be, and of whole characters. */
import { expect, test } from "vitest";
import { labelOf } from "../../src/changes/labels.ts";

test("a name that is too long is cut between two characters", () => {
  for (let before = 180; before <= 200; before++) {
    const label = labelOf("return", `${"n".repeat(before)}${"\u{1f50c}".repeat(20)}`);
    expect(label.isWellFormed()).toBe(true);
    expect(label).toMatch(/^return of n+.*…$/u);
    expect([199, 200]).toContain(label.length);
  }
  expect(labelOf("return", "n".repeat(190))).toBe(`return of ${"n".repeat(190)}`);
  expect(labelOf("return", "n".repeat(191))).toBe(`return of ${"n".repeat(189)}…`);
});
