/** Tables in structured NX-OS output: a single row is an object, several are a list, and an empty table is missing. */

export type Row = Readonly<Record<string, unknown>>;

export function isRow(value: unknown): value is Row {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Rows of `{TABLE_x: {ROW_x: …}}` in any of these forms. */
export function rowsOf(structure: unknown, table: string, row: string): Row[] {
  if (!isRow(structure)) return [];
  return listOf(structure[table])
    .flatMap((part) => (isRow(part) ? listOf(part[row]) : []))
    .filter(isRow);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : value === undefined || value === null || value === "" ? [] : [value];
}

/** A field as text; undefined if it is missing or not a single value. */
export function textOf(row: Row, field: string): string | undefined {
  const value = row[field];
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : undefined;
}

/** An integer given as number or text; undefined if it is not one. */
export function numberOf(row: Row, field: string): number | undefined {
  const text = textOf(row, field)?.trim();
  return text !== undefined && /^-?\d{1,16}$/.test(text) ? Number(text) : undefined;
}
