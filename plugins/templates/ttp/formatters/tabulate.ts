/** Formats tables as Python's tabulate does. */

import {
  formatValue,
  indexError,
  isInt,
  itemsOf,
  type Kwargs,
  type Meter,
  PyFloat,
  parseFloatText,
  parseInteger,
  splitLines,
  str,
  strip,
  stripEnd,
  textLength,
  toFloatValue,
  truth,
  typeError,
  type Value,
} from "../../python/index.ts";
import type { Table } from "./table.ts";
import { FORMATS, type Line, type Row, type TableFormat } from "./tabulate-formats.ts";
import { type Align, MARKUPS, markupText } from "./tabulate-markup.ts";

type Kind = "none" | "bool" | "int" | "float" | "str";
const KINDS: readonly Kind[] = ["none", "bool", "int", "float", "str"];
/** Formats that support multi-line cells; the others print them unchanged. */
const MULTILINE =
  "plain simple grid simple_grid rounded_grid heavy_grid mixed_grid double_grid fancy_grid pipe orgtbl jira presto pretty psql rst".split(
    " ",
  );
const KNOWN = [
  ...["tablefmt", "floatfmt", "numalign", "stralign", "missingval", "disable_numparse", "showindex"],
  "colalign",
];

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
  const markup = Object.hasOwn(MARKUPS, name) ? MARKUPS[name] : undefined;
  const format = FORMATS[Object.hasOwn(FORMATS, name) ? name : "simple"] as TableFormat;
  const pretty = name === "pretty";
  const numbers = !pretty && !truth(kwargs.get("disable_numparse") ?? false);
  const alignOption = (name: string, absent: string): Align =>
    kwargs.get(name) === null ? null : option(name, absent);
  const numberAlign = alignOption("numalign", pretty ? "center" : "decimal");
  const textAlign = alignOption("stralign", pretty ? "center" : "left");
  const indexed = withIndex(headers, rows, kwargs.get("showindex") ?? "default");
  const hasTitles = indexed.headers.length > 0;
  const named = padded(indexed.headers, indexed.rows);
  const visible = (value: Value, column: number): Value =>
    // In reStructuredText, an empty first cell would continue the row above.
    name === "rst" && column === 0 && typeof value === "string" && strip(value) === "" ? ".." : value;
  const titles = named.map((title, i) => (hasTitles ? str(visible(title, i), meter) : ""));

  const columns = titles.map((_, i) => indexed.rows.map((row) => visible(row[i] ?? null, i)));
  const oneLine =
    !MULTILINE.includes(name) ||
    ![...titles, ...columns.flat()].some((cell) => typeof cell === "string" && BREAK.test(cell));
  const widthOf = oneLine ? textLength : width;
  const kinds = columns.map((column) => kindOf(column, numbers));
  const aligns = kinds.map((kind) => (kind === "int" || kind === "float" ? numberAlign : textAlign));
  itemsOf(kwargs.get("colalign") ?? [], meter).forEach((align, i) => {
    if (i >= aligns.length) throw indexError("list assignment index out of range");
    aligns[i] = align === null ? null : str(align, meter);
  });
  const texts = columns.map((column, i) =>
    column.map((value) =>
      cellText(value, kinds[i] ?? "str", option("floatfmt", "g"), option("missingval", ""), meter),
    ),
  );
  const least = titles.map((title) => (hasTitles ? widthOf(title) + (pretty ? 0 : 2) : 0));
  const cells = texts.map((column, i) => aligned(column, alignAt(aligns, i), least[i] ?? 0, oneLine));
  const widths = cells.map((column, i) => Math.max(least[i] ?? 0, ...column.map(widthOf)));
  const head = titles.map((title, i) =>
    pad(oneLine ? [title] : title.split(BREAK), widths[i] ?? 0, alignAt(aligns, i)),
  );
  if (!hasTitles && (cells[0]?.length ?? 0) === 0) return "";
  const shownTitles = hasTitles ? head : [];
  const shownAligns = rows.length === 0 ? [] : aligns;
  return markup === undefined
    ? lay(format, shownTitles, cells, widths, shownAligns, oneLine)
    : markupText(markup, shownTitles, cells, shownAligns);
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
  let rank = 1;
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
    rank = Math.max(rank, KINDS.indexOf(kind));
  }
  return KINDS[rank] ?? "str";
}

function cellText(value: Value, kind: Kind, floatFormat: string, missing: string, meter: Meter): string {
  if (value === null) return missing;
  return kind === "float" ? formatValue(toFloatValue(value), floatFormat, meter) : str(value, meter);
}

const BREAK = /[\r\n]/;
const alignAt = (aligns: readonly Align[], at: number): Align => {
  const align = aligns[at];
  return align === undefined ? "left" : align;
};

/** The width of the widest line. */
function width(text: string): number {
  return Math.max(...text.split(BREAK).map((line) => textLength(line)));
}

function afterPoint(text: string): number {
  if (!isNumber(text) || isInteger(text)) return -1;
  const point = text.lastIndexOf(".");
  const at = point < 0 ? text.toLowerCase().lastIndexOf("e") : point;
  return at < 0 ? -1 : text.length - at - 1;
}

function padLine(line: string, to: number, align: Align): string {
  if (align === null) return line;
  const missing = Math.max(0, to - textLength(line));
  if (align === "left") return line + " ".repeat(missing);
  if (align === "center")
    return " ".repeat(Math.floor(missing / 2)) + line + " ".repeat(Math.ceil(missing / 2));
  return " ".repeat(missing) + line;
}

/** @param lines splits a text, or gives it as it is for a table of single lines. */
const pad = (lines: readonly string[], to: number, align: Align): string =>
  lines.map((line) => padLine(line, to, align)).join("\n");

function aligned(column: readonly string[], align: Align, least: number, oneLine: boolean): string[] {
  let texts = column.map((text) => (align === "decimal" || align === null ? text : strip(text)));
  if (align === "decimal") {
    const after = column.map(afterPoint);
    const maxAfter = Math.max(-1, ...after);
    texts = texts.map((text, i) => text + " ".repeat(maxAfter - (after[i] ?? -1)));
  }
  const to = Math.max(least, ...texts.map(oneLine ? textLength : width));
  return texts.map((text) => pad(oneLine ? [text] : splitLines(text, false), to, align));
}

function lay(
  format: TableFormat,
  head: readonly string[],
  columns: readonly string[][],
  widths: readonly number[],
  aligns: readonly Align[],
  oneLine: boolean,
): string {
  const { padding } = format;
  const wide = widths.map((width) => width + 2 * padding);
  const lines: string[] = [];
  const addLine = (line: Line | "colons" | undefined): void => {
    if (line !== undefined) lines.push(line === "colons" ? colons(wide, aligns) : ruled(line, wide));
  };
  const addRow = (cells: readonly string[], marks: Row): void => {
    lines.push(...rowLines(cells, marks, padding, widths, oneLine));
  };
  const count = columns[0]?.length ?? 0;
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
  stripEnd(begin + wide.map((width) => fill.repeat(width)).join(between) + end);

function colons(wide: readonly number[], aligns: readonly Align[]): string {
  const parts = wide.map((width, i) => {
    const align = aligns[i];
    if (align === "right" || align === "decimal") return `${"-".repeat(width - 1)}:`;
    if (align === "center") return `:${"-".repeat(width - 2)}:`;
    if (align === undefined || align === null) return "-".repeat(width);
    return `:${"-".repeat(width - 1)}`;
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
  // As in the reference, a row without any text is no line in a table of several-line cells.
  const split = cells.map((cell) => (oneLine ? [cell] : splitLines(cell, false)));
  const height = Math.max(0, ...split.map((lines) => lines.length));
  const space = " ".repeat(padding);
  return Array.from({ length: height }, (_, i) => {
    const parts = split.map((lines, column) => space + (lines[i] ?? " ".repeat(widths[column] ?? 0)) + space);
    return stripEnd(begin + parts.join(between) + end);
  });
}
