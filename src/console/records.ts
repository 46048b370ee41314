/** Parsed output as columns and rows, and as CSV without spreadsheet formulas. */

import { ExactNumber } from "../base/json/exact-json.ts";
import { csvCell } from "../base/text/csv-cell.ts";
import { shownCell } from "./shown.ts";

export interface Records {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** @returns undefined if the value is not a list of flat records. */
export function recordsOf(value: unknown): Records | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const columns = new Set<string>();
  for (const record of value) {
    if (isPlain(record) || record === null || Array.isArray(record)) return undefined;
    for (const name of Object.keys(record)) columns.add(name);
  }
  const names = [...columns];
  return {
    columns: names,
    rows: value.map((record: Readonly<Record<string, unknown>>) => names.map((name) => cellOf(record[name]))),
  };
}

/** Records of several devices, each with the name of its device in front; undefined: they are no records. */
export function mergedRecords(
  all: readonly { readonly names: readonly string[]; readonly value: unknown }[],
): Records | undefined {
  const read = all.map(({ names, value }) => ({ names, of: recordsOf(value) }));
  const columns = [...new Set(read.flatMap(({ of }) => of?.columns ?? []))];
  if (columns.length === 0) return undefined;
  return {
    columns: ["device", ...columns],
    rows: read.flatMap(({ names, of }) =>
      names.flatMap((name) =>
        (of?.rows ?? []).map((row) => [
          name,
          ...columns.map((column) => row[of?.columns.indexOf(column) ?? -1] ?? ""),
        ]),
      ),
    ),
  };
}

/** Neither a list nor an object, nor nothing. */
const isPlain = (value: unknown) => typeof value !== "object" || value instanceof ExactNumber;

function cellOf(value: unknown): string {
  if (Array.isArray(value) && value.every(isPlain)) return value.join(", ");
  return shownCell(value);
}

export function csvOf({ columns, rows }: Records): string {
  return [columns, ...rows].map((row) => row.map(csvCell).join(",")).join("\r\n");
}
