/** Maps rows to objects: each cell is read as the schema column, or the expression, that it comes from. */
import { type Column, getTableColumns } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Rows } from "./connection.ts";

/** One field of a row. */
export interface Field<T> {
  /** Name of its column in the result. */
  readonly column: string;
  /** The selected expression, unless it is the plain column. */
  readonly sql?: string;
  /** @throws TypeError if the cell does not match the schema */
  read(cell: unknown): T;
}

type Fields = Readonly<Record<string, Field<unknown>>>;
type RowOf<F extends Fields> = { readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never };

export interface RowShape<T> {
  /** The column list for `select`. */
  readonly columns: string;
  read(rows: Rows | undefined): T[];
}

export function rowShape<F extends Fields>(fields: F): RowShape<RowOf<F>> {
  const entries = Object.entries(fields);
  return {
    columns: entries.map(([, { column, sql }]) => (sql ? `${sql} as ${column}` : column)).join(", "),
    read(rows) {
      if (rows === undefined || rows.rows.length === 0) return [];
      const places = entries.map(([, { column }]) => {
        const place = rows.columns.indexOf(column);
        if (place < 0) throw new TypeError(`the result has no column ${column}`);
        return place;
      });
      return rows.rows.map((cells) => {
        const row: Record<string, unknown> = {};
        let index = 0;
        for (const [name, field] of entries) row[name] = field.read(cells[places[index++] ?? 0] ?? null);
        // Each field was read by its own reader just above.
        return row as RowOf<F>;
      });
    },
  };
}

/**
 * The same with all plain fields of a row in one JSON cell: encoding and decoding each cell took four fifths of the
 * time of a list. Fields of bytes stay separate cells.
 */
export function packedRowShape<F extends Fields, G extends Fields>(
  plain: F,
  beside: G,
): RowShape<RowOf<F & G>> {
  const entries = Object.entries(plain);
  const cells = entries.map(([, { column, sql }]) => sql ?? column);
  const besideShape = rowShape(beside);
  return {
    columns: `json_array(${cells.join(", ")}) as packed, ${besideShape.columns}`,
    read(rows) {
      const read = besideShape.read(rows);
      return read.map((other, at) => {
        const cells: unknown = JSON.parse(readText(rows?.rows[at]?.[0], "packed"));
        if (!Array.isArray(cells)) throw new TypeError("packed must be a list");
        const row: Record<string, unknown> = other;
        let index = 0;
        for (const [name, field] of entries) row[name] = field.read(cells[index++] ?? null);
        // Each field was read by its own reader, here and just above.
        return row as RowOf<F & G>;
      });
    },
  };
}

/** Fields for columns of a table, with the types of the schema. */
export function fieldsOf<T extends SQLiteTable, K extends keyof T["$inferSelect"] & string>(
  table: T,
  ...names: readonly K[]
): { readonly [N in K]: Field<T["$inferSelect"][N]> } {
  const columns: Record<string, Column> = getTableColumns(table);
  const fields = names.map((name) => {
    const column = columns[name];
    if (column === undefined) throw new TypeError(`the table has no column ${name}`);
    return [name, fieldOf(column)] as const;
  });
  // The reader of a column checks its type.
  return Object.fromEntries(fields) as { readonly [N in K]: Field<T["$inferSelect"][N]> };
}

function fieldOf(column: Column): Field<unknown> {
  const read = readers[column.dataType];
  if (read === undefined) throw new TypeError(`nothing reads a column of type ${column.dataType}`);
  const { name, notNull, enumValues } = column;
  return {
    column: name,
    read(cell: unknown) {
      if (cell === null) {
        if (notNull) throw new TypeError(`${name} must not be null`);
        return null;
      }
      const value = read(cell, name);
      if (enumValues !== undefined && !enumValues.includes(String(value)))
        throw new TypeError(`${name} must not be ${String(value)}`);
      return value;
    },
  };
}

const readers: Readonly<Record<string, (cell: unknown, name: string) => unknown>> = {
  string: readText,
  number: readNumber,
  boolean: (cell, name) => readNumber(cell, name) === 1,
  buffer: readBytes,
  json: (cell, name) => JSON.parse(readText(cell, name)),
};

function readText(cell: unknown, name: string): string {
  if (typeof cell === "string") return cell;
  throw new TypeError(`${name} must be text`);
}

function readNumber(cell: unknown, name: string): number {
  if (typeof cell === "number") return cell;
  if (typeof cell === "bigint") return Number(cell);
  throw new TypeError(`${name} must be a number`);
}

function readBytes(cell: unknown, name: string): Buffer {
  if (Buffer.isBuffer(cell)) return cell;
  if (cell instanceof Uint8Array) return Buffer.from(cell.buffer, cell.byteOffset, cell.byteLength);
  throw new TypeError(`${name} must be bytes`);
}

/** Fields for expressions. */
export const number = (column: string, sql?: string): Field<number> => ({
  column,
  ...(sql === undefined ? {} : { sql }),
  read: (cell) => readNumber(cell, column),
});

export const truth = (column: string, sql: string): Field<boolean> => ({
  column,
  sql,
  read: (cell) => readNumber(cell, column) === 1,
});

export const bytes = (column: string, sql: string): Field<Buffer> => ({
  column,
  sql,
  read: (cell) => readBytes(cell, column),
});

export const text = (column: string, sql?: string): Field<string> => ({
  column,
  ...(sql === undefined ? {} : { sql }),
  read: (cell) => readText(cell, column),
});

export const oneOf = <const T extends readonly string[]>(
  column: string,
  values: T,
  sql: string,
): Field<T[number]> => ({
  column,
  sql,
  read(cell) {
    const value: T[number] | undefined = values.find((word) => word === cell);
    if (value === undefined) throw new TypeError(`${column} must not be ${String(cell)}`);
    return value;
  },
});

export function orNull<T>(field: Field<T>): Field<T | null> {
  return { ...field, read: (cell) => (cell === null ? null : field.read(cell)) };
}

/** SQL names of table columns. */
export function columnNames<T extends SQLiteTable>(
  table: T,
  names: readonly (keyof T["$inferSelect"] & string)[],
): string[] {
  return Object.values(fieldsOf(table, ...names)).map(({ column }) => column);
}
