/** Comma-separated values (RFC 4180): inventories that are read, tables that are written. */
import { csvCell } from "../base/csv-cell.ts";
import { ServiceError } from "../base/errors.ts";

/** Rows of cells; a quoted cell may hold commas, line ends and doubled quotes. @throws ServiceError Validation */
export function readCsv(text: string, name: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = text.startsWith("\ufeff") ? 1 : 0;
  while (at < text.length) {
    const cell = text[at] === '"' ? quoted(text, at, name, rows.length) : plain(text, at);
    row.push(cell.value);
    at = cell.end;
    if (text[at] === ",") {
      at++;
      if (at === text.length) row.push("");
      continue;
    }
    if (text[at] === "\r") at++;
    if (text[at] === "\n") at++;
    rows.push(row);
    row = [];
  }
  if (row.length > 0) rows.push(row);
  return rows.filter((cells) => cells.some((cell) => cell !== ""));
}

interface Cell {
  readonly value: string;
  readonly end: number;
}

function plain(text: string, from: number): Cell {
  let end = from;
  while (end < text.length && !",\r\n".includes(text.charAt(end))) end++;
  return { value: text.slice(from, end).trim(), end };
}

function quoted(text: string, from: number, name: string, row: number): Cell {
  let value = "";
  let at = from + 1;
  for (;;) {
    const close = text.indexOf('"', at);
    if (close < 0)
      throw new ServiceError("Validation", `${name}: row ${row + 1} has a quote without its end.`);
    value += text.slice(at, close);
    if (text[close + 1] !== '"') return { value, end: afterQuote(text, close + 1) };
    value += '"';
    at = close + 2;
  }
}

/** What stands between the closing quote and the next comma is not of the cell. */
function afterQuote(text: string, from: number): number {
  return plain(text, from).end;
}

/** One line, with its end. A spreadsheet would run what begins like a formula: such a cell begins with a quote. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}
