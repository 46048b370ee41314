/** CSV reader (RFC 4180) that keeps the line number of each row. */
import { ServiceError } from "../errors.ts";
import { invalid } from "../issues.ts";

export interface CsvRow {
  /** 1-based. */
  readonly line: number;
  readonly cells: readonly string[];
}

/**
 * Non-empty rows; a quoted cell may contain commas, line breaks and doubled quotes.
 * @throws ServiceError Validation
 */
export function readCsvRows(text: string, name: string, delimiter = ","): CsvRow[] {
  const rows: CsvRow[] = [];
  const plain = new RegExp(`[^${escaped(delimiter)}\\r\\n]*`, "y");
  let cells: string[] = [];
  let line = 1;
  let rowLine = 1;
  let at = text.startsWith("\ufeff") ? 1 : 0;
  const plainTo = (from: number): number => {
    plain.lastIndex = from;
    plain.test(text);
    return plain.lastIndex;
  };
  const endRow = () => {
    if (cells.some((cell) => cell !== "")) rows.push({ line: rowLine, cells });
    cells = [];
  };
  while (at < text.length) {
    if (cells.length === 0) rowLine = line;
    if (text[at] === '"') {
      const cell = quoted(text, at, name, line);
      cells.push(cell.value);
      line += cell.lines;
      // Text between the closing quote and the next comma is ignored.
      at = plainTo(cell.end);
    } else {
      const end = plainTo(at);
      cells.push(text.slice(at, end).trim());
      at = end;
    }
    if (text.startsWith(delimiter, at)) {
      at += delimiter.length;
      if (at === text.length) cells.push("");
      continue;
    }
    if (at < text.length) {
      at += text.startsWith("\r\n", at) ? 2 : 1;
      line++;
    }
    endRow();
  }
  endRow();
  return rows;
}

/**
 * The delimiter of a text, by its header if none is given: spreadsheets write semicolons where the comma is the decimal
 * sign, and tabs into the clipboard.
 * @throws ServiceError Validation
 */
export function delimiterFor(text: string, given?: string): string {
  if (given !== undefined && !/^[^"\r\n]$/.test(given)) throw invalid("delimiter", "must be one character");
  if (given !== undefined) return given;
  const [header = ""] = text.replace(/^\ufeff?[\r\n]*/, "").split(/[\r\n]/, 1);
  const bare = header.replace(/"[^"]*"/g, "");
  return bare.includes(",") ? "," : ([";", "\t"].find((sign) => bare.includes(sign)) ?? ",");
}

/**
 * The cells without line numbers.
 * @throws ServiceError Validation
 */
export function readCsv(text: string, name: string): string[][] {
  return readCsvRows(text, name, delimiterFor(text)).map(({ cells }) => [...cells]);
}

function quoted(text: string, from: number, name: string, line: number) {
  let value = "";
  let at = from + 1;
  for (;;) {
    const close = text.indexOf('"', at);
    if (close < 0) {
      const message = "a quote is not closed";
      throw new ServiceError("Validation", `${name}: line ${line}: ${message}.`, {
        issues: [{ path: `line ${line}`, message }],
      });
    }
    value += text.slice(at, close);
    if (text[close + 1] !== '"') return { value, end: close + 1, lines: linesOf(value) };
    value += '"';
    at = close + 2;
  }
}

function linesOf(value: string): number {
  return value.match(/\r\n|\r|\n/g)?.length ?? 0;
}

function escaped(delimiter: string): string {
  return delimiter.replace(/[\\\]^-]/g, "\\$&");
}
