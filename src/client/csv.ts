/** Comma-separated values (RFC 4180) as tables of the command line are written. */
import { csvCell } from "../base/csv-cell.ts";

/** One line, with its end. A spreadsheet would run what begins like a formula: such a cell begins with a quote. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}
