/**
 * Tables in NX-API output. On some switches, names of tables, rows and fields end in the switch series
 * (`TABLE_psinfo_n3k`); a value that is single on one switch is a list on another.
 */
import { isRow, type Row } from "../nxos-common/tables.ts";

/** The rows of `TABLE_<name>`; empty if there is no such table. */
export function rowsOf(parent: unknown, name: string): readonly Row[] {
  return listOf(fieldLike(parent, `TABLE_${name}`)).flatMap((table) =>
    listOf(fieldLike(table, `ROW_${name}`)).filter(isRow),
  );
}

/** A field by name, with or without a series suffix. */
export function fieldLike(parent: unknown, name: string): unknown {
  if (!isRow(parent)) return undefined;
  if (Object.hasOwn(parent, name)) return parent[name];
  const found = Object.keys(parent).find((field) => field.startsWith(`${name}_`));
  return found === undefined ? undefined : parent[found];
}

/** The trimmed text of the first non-empty field; of a list, the first entry. */
export function textOf(row: Row, ...fields: readonly string[]): string {
  for (const field of fields) {
    const [value] = listOf(Object.hasOwn(row, field) ? row[field] : undefined);
    if (typeof value === "number" || typeof value === "boolean") return String(value);
    if (typeof value === "string" && value.trim() !== "") return value.trim();
  }
  return "";
}

/** The raw value of a field, including blanks; undefined if it is missing or not a single value. */
export function rawOf(row: Row, field: string): string | undefined {
  const value = Object.hasOwn(row, field) ? row[field] : undefined;
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : undefined;
}

/** All texts of a field that may be a list. */
export function textsOf(row: Row, field: string): readonly string[] {
  return listOf(row[field]).filter((value): value is string => typeof value === "string" && value !== "");
}

function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}
