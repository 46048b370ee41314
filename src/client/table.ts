/** Tables: columns for people, CSV and JSON lines for programs. */
import { shownLine } from "./clean.ts";
import { csvLine } from "./csv.ts";

/** Of columns that others follow: a long note must not push them out of sight. */
const widestColumn = 48;

/** @param columns of the terminal: lines are cut there; undefined: they are whole */
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

/** One object a line: read by `jq` as it comes. Control characters are escaped by JSON itself. */
export function jsonLines(values: readonly unknown[]): string {
  return values.map((value) => `${jsonLine(value)}\n`).join("");
}

/** Those of C1 and the marks of direction are no controls to JSON, but they are to a terminal. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
