/** Texts of devices as data: 50 hostile ones, of which nothing that cannot be seen is left. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { cutText, escaped, escapedData, escapedLine } from "../../src/mcp/marking.ts";
import { hostileTexts } from "./hostile-texts.ts";

/** Everything but what is seen, tab and line feed. */
const unseen = /(?![\t\n])[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

test("50 hostile banners and descriptions: none is left unescaped", () => {
  expect(new Set(hostileTexts).size).toBeGreaterThanOrEqual(50);
  for (const text of hostileTexts) {
    expect(escaped(text)).not.toMatch(unseen);
    expect(escapedLine(text)).not.toMatch(unseen);
    expect(escapedLine(text)).not.toMatch(/[\n\t]/);
    expect(JSON.stringify(escapedData({ [text]: [text, { deep: text }] }))).not.toMatch(unseen);
  }
});

test("what is seen stays as it is, in any script", () => {
  for (const text of ["Grüße aus Köln", "Привет", "日本語", "עברית", "العربية", "a\n\tb", "C:\\x \\u0041"])
    expect(escaped(text)).toBe(text);
  expect(escaped("a\r\nb\r\r\nc")).toBe("a\nb\nc");
  expect(escaped("a\rb\x1b[2J\u202e\u{e0041}")).toBe("a\\u000db\\u001b[2J\\u202e\\u{e0041}");
});

test("no text at all gets through unseen, and cutting says so", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), fc.nat(50), (text, most) => {
      expect(escaped(text)).not.toMatch(unseen);
      const { text: cut, cut_from } = cutText(text, most);
      expect(cut).not.toMatch(unseen);
      expect(cut_from).toBe(text.length > most ? text.length : undefined);
    }),
  );
});

test("what is nested without end is cut", () => {
  let deep: unknown = "x";
  for (let level = 0; level < 5_000; level++) deep = [deep];
  expect(JSON.stringify(escapedData(deep))).toContain("…");
});
