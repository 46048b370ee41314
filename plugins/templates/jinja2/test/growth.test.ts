/** Filters split long words without copying the rest each time. */
import { expect, test } from "vitest";
import { createTestEngine, ctx } from "./support.ts";

test.each(["a", "é", "😀"])("wrapping a word of 300,000 letters %s takes linear time", (letter) => {
  const context = JSON.stringify({ s: letter.repeat(300_000) });
  const text = createTestEngine().compile("{{ s | wordwrap(5) }}", {}).run(context, ctx);
  expect(text === Array.from({ length: 60_000 }, () => letter.repeat(5)).join("\n")).toBe(true);
});
