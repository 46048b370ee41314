/** Maps rows to objects: each cell is read as the schema column, or the expression, that it comes from. */
import { type Column, getTableColumns, getTableName } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { jsonIn, keyOf } from "../../tables/columns.ts";
import type { Rows } from "../connection.ts";
import { type Damage, damagedRow } from "./damage.ts";
import type { Field } from "./field.ts";

type Fields = Readonly<Record<string, Field<unknown>>>;
type RowOf<F extends Fields> = { readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never };

export interface ReadRows<T> {
  readonly rows: T[];
  readonly damaged: readonly Damage<T>[];
}

export interface RowShape<T> {
  /** The column list for `select`. */
  readonly columns: string;
  /** @throws ServiceError Internal if a row is damaged */
  read(rows: Rows | undefined): T[];
  /** Rows that match the schema, and what is known of the others. */
  readAll(rows: Rows | undefined): ReadRows<T>;
}

/** Cells are found by their place: a statement selects the columns of its shape first. */
export function rowShape<F extends Fields>(fields: F): RowShape<RowOf<F>> {
  const entries = Object.entries(fields);
  const columns = entries.map(([, { column, sql }]) => sql ?? column).join(", ");

  function readAll(rows: Rows | undefined): ReadRows<RowOf<F>> {
    const read: RowOf<F>[] = [];
    const damaged: Damage<RowOf<F>>[] = [];
    for (const cells of rows?.rows ?? []) {
      const row: Record<string, unknown> = {};
      try {
        for (const [at, [name, field]] of entries.entries()) row[name] = field.read(cells[at] ?? null);
        // Each field was read by its own reader just above.
        read.push(row as RowOf<F>);
      } catch {
        damaged.push(damagedRow<RowOf<F>>(entries, cells));
      }
    }
    return { rows: read, damaged };
  }

  return {
    columns,
    readAll,
    read(rows) {
      const { rows: read, damaged } = readAll(rows);
      if (damaged[0] !== undefined) throw damaged[0].error();
      return read;
    },
  };
}

/** Fields for columns of a table, with their types. */
export function fieldsOf<T extends PgTable, K extends keyof T["$inferSelect"] & string>(
  table: T,
  ...names: readonly K[]
): { readonly [N in K]: Field<T["$inferSelect"][N]> } {
  const columns: Record<string, Column> = getTableColumns(table);
  const fields = names.map((name) => {
    const column = columns[name];
    if (column === undefined) throw new TypeError(`the table has no column ${name}`);
    return [name, fieldOf(column, table)] as const;
  });
  // The reader of a column checks its type.
  return Object.fromEntries(fields) as { readonly [N in K]: Field<T["$inferSelect"][N]> };
}

export function fieldOf(column: Column, of: PgTable): Field<unknown> {
  const table = getTableName(of);
  const isKey = keyOf(of).includes(column);
  const { name, notNull, enumValues, dataType } = column;
  const json = jsonIn(column);
  const read = readers[json?.parsed === true ? "json" : dataType];
  if (read === undefined) throw new TypeError(`nothing reads a column of type ${dataType}`);
  const problem = json?.problem;
  return {
    column: name,
    table,
    isKey,
    read(cell: unknown) {
      if (cell === null) {
        if (notNull) throw new TypeError(`${name} must not be null`);
        return null;
      }
      const value = read(cell, name);
      if (enumValues !== undefined && !enumValues.includes(String(value)))
        throw new TypeError(`${name} must be one of ${enumValues.join(", ")}`);
      if (problem?.(value)) throw new TypeError(`${name} must be ${problem(value)}`);
      return value;
    },
  };
}

const readers: Readonly<Record<string, (cell: unknown, name: string) => unknown>> = {
  string: readText,
  number: readNumber,
  boolean: readTruth,
  custom: readBytes,
  json: readJson,
};

function readText(cell: unknown, name: string): string {
  if (typeof cell === "string") return cell;
  throw new TypeError(`${name} must be text`);
}

function readJson(cell: unknown, name: string): unknown {
  try {
    return JSON.parse(readText(cell, name));
  } catch {
    // The parser's own message quotes the text.
    throw new TypeError(`${name} must be JSON`);
  }
}

function readNumber(cell: unknown, name: string): number {
  if (typeof cell === "number") return cell;
  throw new TypeError(`${name} must be a number`);
}

function readTruth(cell: unknown, name: string): boolean {
  if (typeof cell === "boolean") return cell;
  throw new TypeError(`${name} must be true or false`);
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
  read: (cell) => readTruth(cell, column),
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
    if (value === undefined) throw new TypeError(`${column} must be one of ${values.join(", ")}`);
    return value;
  },
});

export function orNull<T>(field: Field<T>): Field<T | null> {
  return { ...field, read: (cell) => (cell === null ? null : field.read(cell)) };
}

/** SQL names of table columns. */
export function columnNames<T extends PgTable>(
  table: T,
  names: readonly (keyof T["$inferSelect"] & string)[],
): string[] {
  return Object.values(fieldsOf(table, ...names)).map(({ column }) => column);
}
