/** Maps rows to objects: each cell is read as the schema column, or the expression, that it comes from. */
import { type Column, getTableColumns, getTableName } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { jsonIn, keyOf } from "../tables/columns.ts";
import { type Damage, damagedRow } from "./damage.ts";
import { either } from "./notation.ts";
import { cellsOf, decodedRows, type Field, packedCell, packedName } from "./packed.ts";

type Fields = Readonly<Record<string, Field<unknown>>>;
type RowOf<F extends Fields> = { readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never };

export type Cell = string | number | bigint | boolean | null | Uint8Array;

export interface Rows {
  /** Their names, if the rows come from libSQL: of a shape they have the packed cell. */
  readonly columns?: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** Rows that were inserted, updated or deleted. */
  readonly changes: number;
}

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

/**
 * On libSQL all fields but bytes are selected as one cell: the bytes of a JSON array. What comes from disk is data: the
 * binding of a file aborts the process on a text cell that is not UTF-8. One cell is also faster, since encoding and
 * decoding each took four fifths of the time of a list. On PostgreSQL cells are found by their place: a statement
 * selects the columns of its shape first.
 */
export function rowShape<F extends Fields>(fields: F): RowShape<RowOf<F>> {
  const entries = Object.entries(fields);
  const packed = entries.filter(([, { kind }]) => kind !== "bytes");
  const beside = entries.filter(([, { kind }]) => kind === "bytes");
  const packedColumns = [
    ...(packed.length === 0 ? [] : [packedCell(packed.map(([, field]) => field))]),
    ...beside.map(([, { column, sql }]) => `cast(${sql ?? column} as blob) as ${column}`),
  ].join(", ");
  const columns = either(packedColumns, entries.map(([, { column, sql }]) => sql ?? column).join(", "));

  const [packedReaders, besideReaders] = [packed.map(readerOf), beside.map(readerOf)];

  function readAll(rows: Rows | undefined): ReadRows<RowOf<F>> {
    if (rows === undefined || rows.rows.length === 0) return { rows: [], damaged: [] };
    return rows.columns === undefined ? readPlain(rows) : readPacked(rows, rows.columns);
  }

  function readPlain({ rows }: Rows): ReadRows<RowOf<F>> {
    const read: RowOf<F>[] = [];
    const damaged: Damage<RowOf<F>>[] = [];
    for (const cells of rows) {
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

  function readPacked({ rows }: Rows, names: readonly string[]): ReadRows<RowOf<F>> {
    const placeOf = (column: string) => {
      const place = names.indexOf(column);
      if (place < 0) throw new TypeError(`the result has no column ${column}`);
      return place;
    };
    const packedPlace = packed.length === 0 ? undefined : placeOf(packedName);
    const places = beside.map(([, { column }]) => placeOf(column));
    const read: RowOf<F>[] = [];
    const damaged: Damage<RowOf<F>>[] = [];
    const decoded =
      packedPlace === undefined ? rows.map(() => []) : decodedRows(rows.map((cells) => cells[packedPlace]));
    for (const [at, cells] of rows.entries()) {
      const row: Record<string, unknown> = {};
      try {
        const values = decoded[at];
        if (values === undefined) throw new TypeError("the row cannot be decoded");
        let index = 0;
        for (const read of packedReaders) read(row, values[index++]);
        index = 0;
        for (const read of besideReaders) read(row, cells[places[index++] ?? 0]);
        // Each field was read by its own reader just above.
        read.push(row as RowOf<F>);
      } catch {
        const values = packedPlace === undefined ? [] : cellsOf(cells[packedPlace], packed.length);
        const bytes = places.map((place) => cells[place] ?? null);
        damaged.push(damagedRow<RowOf<F>>([...packed, ...beside], [...values, ...bytes]));
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

function readerOf([name, field]: readonly [string, Field<unknown>]) {
  const { read } = field;
  return (row: Record<string, unknown>, cell: unknown) => {
    row[name] = read(cell ?? null);
  };
}

/** Fields for columns of a table, with their types. */
export function fieldsOf<T extends SQLiteTable, K extends keyof T["$inferSelect"] & string>(
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

export function fieldOf(column: Column, of: SQLiteTable): Field<unknown> {
  const table = getTableName(of);
  const isKey = keyOf(of).includes(column);
  const { name, notNull, enumValues, dataType } = column;
  const read = readers[dataType];
  if (read === undefined) throw new TypeError(`nothing reads a column of type ${dataType}`);
  const problem = jsonIn(column)?.problem;
  return {
    column: name,
    kind: dataType === "buffer" ? "bytes" : dataType === "string" || dataType === "json" ? "text" : "number",
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
  buffer: readBytes,
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
  if (typeof cell === "bigint") return Number(cell);
  throw new TypeError(`${name} must be a number`);
}

/** SQLite has numbers for them. */
function readTruth(cell: unknown, name: string): boolean {
  return typeof cell === "boolean" ? cell : readNumber(cell, name) === 1;
}

function readBytes(cell: unknown, name: string): Buffer {
  if (Buffer.isBuffer(cell)) return cell;
  if (cell instanceof Uint8Array) return Buffer.from(cell.buffer, cell.byteOffset, cell.byteLength);
  throw new TypeError(`${name} must be bytes`);
}

/** Fields for expressions. */
export const number = (column: string, sql?: string): Field<number> => ({
  column,
  kind: "number",
  ...(sql === undefined ? {} : { sql }),
  read: (cell) => readNumber(cell, column),
});

export const truth = (column: string, sql: string): Field<boolean> => ({
  column,
  kind: "number",
  sql,
  read: (cell) => readTruth(cell, column),
});

export const bytes = (column: string, sql: string): Field<Buffer> => ({
  column,
  kind: "bytes",
  sql,
  read: (cell) => readBytes(cell, column),
});

export const text = (column: string, sql?: string): Field<string> => ({
  column,
  kind: "text",
  ...(sql === undefined ? {} : { sql }),
  read: (cell) => readText(cell, column),
});

export const oneOf = <const T extends readonly string[]>(
  column: string,
  values: T,
  sql: string,
): Field<T[number]> => ({
  column,
  kind: "text",
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
export function columnNames<T extends SQLiteTable>(
  table: T,
  names: readonly (keyof T["$inferSelect"] & string)[],
): string[] {
  return Object.values(fieldsOf(table, ...names)).map(({ column }) => column);
}
