/** Parsing takes time linear in the length of the response. */
import { expect, test } from "vitest";
import { boundedText } from "../../../plugins/drivers/napalm/common/bounded.ts";

test.each([
  ["a table", "Name  Status\n----- ------\nEth1  up\n\n  indented\n", undefined],
  ["a line of blanks", "a\n   \t\nb", "a\n\nb"],
  ["a line of Unicode blanks", "a\n \u00a0\u00a0\nb", "a\n\nb"],
  ["a line that begins with Unicode blanks", "a\n \u00a0x\nb", undefined],
  ["a long line", `a\n${"x".repeat(5000)}\nb`, `a\n${"x".repeat(4096)}\nb`],
  ["many empty lines", `a${"\n".repeat(100)}b`, `a${"\n".repeat(21)}b`],
  ["as many empty lines as allowed", `a${"\n".repeat(21)}b`, undefined],
  ["an empty text", "", undefined],
])("text is bounded before parsing: %s", (_name, text, bounded) =>
  expect(boundedText(text)).toBe(bounded ?? text),
);
