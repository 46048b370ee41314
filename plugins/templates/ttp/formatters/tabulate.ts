/** Formats tables as Python's tabulate does. */
import { strip } from "../../python/blanks.ts";
import { textLength } from "../../python/codepoints.ts";
import { PyError, typeError } from "../../python/errors.ts";
import { formatValue } from "../../python/formatspec.ts";
import type { Meter } from "../../python/limits.ts";
import { parseFloatText, parseInteger, toFloatValue } from "../../python/numbers.ts";
import { str } from "../../python/repr.ts";
import { isInt, type Kwargs, PyFloat, truth, type Value } from "../../python/values.ts";
import type { Table } from "./table.ts";
import { FORMATS, type Line, REFUSED, type Row, type TableFormat } from "./tabulate-formats.ts";

type Kind = "none" | "bool" | "int" | "float" | "str";
const KINDS: readonly Kind[] = ["none", "bool", "int", "float", "str"];
/** Formats that support multi-line cells; the others print them unchanged. */
const MULTILINE = "plain simple grid fancy_grid pipe orgtbl jira presto pretty psql rst".split(" ");
const KNOWN = ["tablefmt", "floatfmt", "numalign", "stralign", "missingval", "disable_numparse", "showindex"];

/** @param args positional arguments after the headers: the format. */
export function tabulateText(
  { headers, rows }: Table,
  args: readonly Value[],
  kwargs: Kwargs,
  meter: Meter,
): string {
  for (const name of kwargs.keys())
    if (!KNOWN.includes(name)) throw typeError(`tabulate: the argument '${name}' is not supported`);
  const option = (name: string, absent: string): string => {
    const value = kwargs.get(name);
    return value === undefined || value === null ? absent : str(value, meter);
  };
  const name = str(args[0] ?? kwargs.get("tablefmt") ?? "simple", meter);
  if (REFUSED.includes(name))
    throw new PyError("ValueError", `tabulate: the format '${name}' is not supported`);
  const format = FORMATS[Object.hasOwn(FORMATS, name) ? name : "simple"] as TableFormat;
  const pretty = name === "pretty";
  const numbers = !pretty && !truth(kwargs.get("disable_numparse") ?? false);
  const numberAlign = option("numalign", pretty ? "center" : "decimal");
  const textAlign = option("stralign", pretty ? "center" : "left");
  const indexed = withIndex(headers, rows, kwargs.get("showindex") ?? "default");
  const hasTitles = indexed.headers.length > 0;
  const named = padded(indexed.headers, indexed.rows);
  const visible = (value: Value, column: number): Value =>
    // In reStructuredText, an empty first cell would continue the row above.
    name === "rst" && column === 0 && typeof value === "string" && value.trim() === "" ? ".." : value;
  const titles = named.map((one, i) => (hasTitles ? str(visible(one, i), meter) : ""));

  const oneLine = !MULTILINE.includes(name);
  const widthOf = oneLine ? textLength : width;
  const columns = titles.map((_, i) => indexed.rows.map((row) => visible(row[i] ?? null, i)));
  const kinds = columns.map((column) => kindOf(column, numbers));
  const aligns = kinds.map((kind) => (kind === "int" || kind === "float" ? numberAlign : textAlign));
  const texts = columns.map((column, i) =>
    column.map((value) =>
      cellText(value, kinds[i] ?? "str", option("floatfmt", "g"), option("missingval", ""), meter),
    ),
  );
  const least = titles.map((title) => (hasTitles ? widthOf(title) + (pretty ? 0 : 2) : 0));
  const cells = texts.map((column, i) => aligned(column, aligns[i] ?? "left", least[i] ?? 0, oneLine));
  const widths = cells.map((column, i) => Math.max(least[i] ?? 0, ...column.map(widthOf)));
  const head = titles.map((title, i) => pad(title, widths[i] ?? 0, aligns[i] ?? "left"));
  return lay(format, hasTitles ? head : [], cells, widths, rows.length === 0 ? [] : aligns, oneLine);
}

function withIndex(headers: readonly Value[], rows: readonly Value[][], show: Value): Table {
  if (show === "default" || show === "never" || show === false) return { headers, rows };
  return { headers, rows: rows.map((row, i) => [i, ...row]) };
}

/** If there are too few headers, the first columns have none. */
function padded(headers: readonly Value[], rows: readonly Value[][]): Value[] {
  const count = Math.max(headers.length, rows[0]?.length ?? 0);
  return [...Array<Value>(count - headers.length).fill(""), ...headers];
}

const isInteger = (value: Value): boolean =>
  isInt(value) || (typeof value === "string" && parseInteger(value) !== undefined);

function isNumber(value: Value): boolean {
  if (typeof value === "boolean" || isInt(value) || value instanceof PyFloat) return true;
  if (typeof value !== "string") return false;
  const number = parseFloatText(value);
  if (number === undefined) return false;
  return Number.isFinite(number) || ["-inf", "inf", "nan"].includes(value.toLowerCase());
}

function kindOf(column: readonly Value[], numbers: boolean): Kind {
  let found = 1;
  for (const value of column) {
    const kind: Kind =
      value === null
        ? "none"
        : typeof value === "boolean" || value === "True" || value === "False"
          ? "bool"
          : numbers && isInteger(value)
            ? "int"
            : numbers && isNumber(value)
              ? "float"
              : "str";
    found = Math.max(found, KINDS.indexOf(kind));
  }
  return KINDS[found] ?? "str";
}

function cellText(value: Value, kind: Kind, floatFormat: string, missing: string, meter: Meter): string {
  if (value === null) return missing;
  return kind === "float" ? formatValue(toFloatValue(value), floatFormat, meter) : str(value, meter);
}

/** The width of the widest line. */
function width(text: string): number {
  return Math.max(...text.split("\n").map((line) => textLength(line)));
}

function afterPoint(text: string): number {
  if (!isNumber(text) || isInteger(text)) return -1;
  const point = text.lastIndexOf(".");
  const at = point < 0 ? text.toLowerCase().lastIndexOf("e") : point;
  return at < 0 ? -1 : text.length - at - 1;
}

function padLine(line: string, to: number, align: string): string {
  const missing = Math.max(0, to - textLength(line));
  if (align === "left") return line + " ".repeat(missing);
  if (align === "center")
    return " ".repeat(Math.floor(missing / 2)) + line + " ".repeat(Math.ceil(missing / 2));
  return " ".repeat(missing) + line;
}

const pad = (text: string, to: number, align: string): string =>
  text
    .split("\n")
    .map((line) => padLine(line, to, align))
    .join("\n");

function aligned(column: readonly string[], align: string, least: number, oneLine: boolean): string[] {
  let texts = column.map((one) => (align === "decimal" ? one : strip(one)));
  if (align === "decimal") {
    const after = column.map(afterPoint);
    const most = Math.max(-1, ...after);
    texts = texts.map((one, i) => one + " ".repeat(most - (after[i] ?? -1)));
  }
  const to = Math.max(least, ...texts.map(oneLine ? textLength : width));
  return texts.map((one) => (oneLine ? padLine(one, to, align) : pad(one, to, align)));
}

function lay(
  format: TableFormat,
  head: readonly string[],
  columns: readonly string[][],
  widths: readonly number[],
  aligns: readonly string[],
  oneLine: boolean,
): string {
  const { padding } = format;
  const wide = widths.map((one) => one + 2 * padding);
  const lines: string[] = [];
  const addLine = (line: Line | "colons" | undefined): void => {
    if (line !== undefined) lines.push(line === "colons" ? colons(wide, aligns) : ruled(line, wide));
  };
  const addRow = (cells: readonly string[], marks: Row): void => {
    lines.push(...rowLines(cells, marks, padding, widths, oneLine));
  };
  const count = columns[0]?.length ?? 0;
  if (head.length === 0 && count === 0) return "";
  const hidden = head.length > 0 ? (format.hidden ?? []) : [];
  if (!hidden.includes("above")) addLine(format.above);
  if (head.length > 0) {
    addRow(head, format.header);
    addLine(format.belowHeader);
  }
  for (let i = 0; i < count; i++) {
    addRow(
      columns.map((column) => column[i] ?? ""),
      format.row,
    );
    if (i < count - 1) addLine(format.between);
  }
  if (!hidden.includes("below")) addLine(format.below);
  return lines.join("\n");
}

const ruled = ([begin, fill, between, end]: Line, wide: readonly number[]): string =>
  (begin + wide.map((one) => fill.repeat(one)).join(between) + end).trimEnd();

function colons(wide: readonly number[], aligns: readonly string[]): string {
  const parts = wide.map((one, i) => {
    const align = aligns[i];
    if (align === "right" || align === "decimal") return `${"-".repeat(one - 1)}:`;
    if (align === "center") return `:${"-".repeat(one - 2)}:`;
    if (align === undefined) return "-".repeat(one);
    return `:${"-".repeat(one - 1)}`;
  });
  return `|${parts.join("|")}|`;
}

function rowLines(
  cells: readonly string[],
  [begin, between, end]: Row,
  padding: number,
  widths: readonly number[],
  oneLine: boolean,
): string[] {
  const split = cells.map((cell) => (oneLine ? [cell] : cell.split("\n")));
  const height = Math.max(1, ...split.map((one) => one.length));
  const space = " ".repeat(padding);
  return Array.from({ length: height }, (_, i) => {
    const parts = split.map((one, column) => space + (one[i] ?? " ".repeat(widths[column] ?? 0)) + space);
    return (begin + parts.join(between) + end).trimEnd();
  });
}
