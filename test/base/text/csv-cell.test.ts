/** CSV cells: none is a formula, and each round-trips. */
import { expect, test } from "vitest";
import { csvCell } from "../../../src/base/text/csv-cell.ts";

test.each(["=1+1", "+1", "-1", "@x", "\tx", "\rx", "\nx", "\uff1d1", "\uff0b1", "\uff0d1", "\uff201"])(
  "%j is written as text that a spreadsheet does not evaluate",
  (text) => {
    expect(csvCell(text).replace(/^"/, "")).toMatch(/^'/);
  },
);

test.each([
  ["plain", "plain"],
  ["a,b", '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ["two\nlines", '"two\nlines"'],
])("the CSV cell of %j is %j", (text, cell) => {
  expect(csvCell(text)).toBe(cell);
});
