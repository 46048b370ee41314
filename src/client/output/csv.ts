/** Writes CSV (RFC 4180). */
import { csvCell } from "../../base/text/csv-cell.ts";

/** One line with its line ending. Cells that look like formulas are escaped. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}
