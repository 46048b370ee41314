/**
 * Tables in the answers of NX-API. Names of tables, rows and fields end in the series of the switch on some
 * (`TABLE_psinfo_n3k`); a value that stands alone on one switch is a list on another.
 */
import { isRow, type Row } from "../nxos-common/tables.ts";

/** The rows of `TABLE_<name>`; none where there is no such table. */
export function rowsOf(parent: unknown, name: string): readonly Row[] {
  return listOf(fieldLike(parent, `TABLE_${name}`)).flatMap((table) =>
    listOf(fieldLike(table, `ROW_${name}`)).filter(isRow),
  );
}

/** A field by its name, or by its name and a series behind it. */
export function fieldLike(parent: unknown, name: string): unknown {
  if (!isRow(parent)) return undefined;
  if (Object.hasOwn(parent, name)) return parent[name];
  const found = Object.keys(parent).find((field) => field.startsWith(`${name}_`));
  return found === undefined ? undefined : parent[found];
}

/** The trimmed text of the first of these fields that has one; a list stands for its first entry. */
export function textOf(row: Row, ...fields: readonly string[]): string {
  for (const field of fields) {
    const [value] = listOf(Object.hasOwn(row, field) ? row[field] : undefined);
    if (typeof value === "number" || typeof value === "boolean") return String(value);
    if (typeof value === "string" && value.trim() !== "") return value.trim();
  }
  return "";
}

/** A field as it stands, blanks with it; undefined where it is missing or no single value. */
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
