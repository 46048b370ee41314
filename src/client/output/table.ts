/** Formats tables as aligned columns, and values as JSON lines. */
import { stringifyExact } from "../../base/json/exact-json.ts";
import { shownLine } from "../../base/text/terminal-text.ts";
import { csvLine } from "./csv.ts";

/** Maximum width of all but the last column. */
const widestColumn = 48;

/** @param columns width of the terminal at which lines are cut; undefined: not cut */
export function tableText(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  columns?: number,
): string {
  const cells = [header, ...rows].map((row) => row.map(shownLine));
  const last = header.length - 1;
  const widths = header.map((_, at) => {
    const widest = Math.max(...cells.map((row) => row[at]?.length ?? 0));
    return at === last || columns === undefined ? widest : Math.min(widest, widestColumn);
  });
  return cells
    .map((row) => {
      const line = row.map((cell, at) => cut(cell, widths[at] ?? 0).padEnd(widths[at] ?? 0)).join("  ");
      return `${columns === undefined ? line.trimEnd() : cut(line.trimEnd(), columns)}\n`;
    })
    .join("");
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
}

export function csvText(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [header, ...rows].map(csvLine).join("");
}

/** One object per line, as for `jq`. JSON escapes control characters. */
export function jsonLines(values: readonly unknown[]): string {
  return values.map((value) => `${jsonLine(value)}\n`).join("");
}

/** Also escapes C1 controls and bidirectional marks, which JSON does not. */
export function jsonLine(value: unknown, indent?: number): string {
  return stringifyExact(value, indent).replace(
    /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** A value of parsed data; structures as JSON. */
export function cellOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
