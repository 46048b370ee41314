/** Tables of NX-OS structures: one row stands alone, several in a list, and where a table is missing there is none. */

export type Row = Readonly<Record<string, unknown>>;

export function isRow(value: unknown): value is Row {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Rows of `{TABLE_x: {ROW_x: …}}` in any of the forms that systems give it. */
export function rowsOf(structure: unknown, table: string, row: string): Row[] {
  if (!isRow(structure)) return [];
  return listOf(structure[table])
    .flatMap((part) => (isRow(part) ? listOf(part[row]) : []))
    .filter(isRow);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : value === undefined || value === null || value === "" ? [] : [value];
}

/** A field as text; undefined where it is missing or no single value. */
export function textOf(row: Row, field: string): string | undefined {
  const value = row[field];
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : undefined;
}

/** A whole number, however it is written; undefined for what is none. */
export function numberOf(row: Row, field: string): number | undefined {
  const text = textOf(row, field)?.trim();
  return text !== undefined && /^-?\d{1,16}$/.test(text) ? Number(text) : undefined;
}
