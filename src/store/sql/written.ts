/** Writes objects to rows: the columns of a statement and their values, as the table states them. */
import { type Column, getTableColumns } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Cipher } from "../cipher.ts";
import { type Given, keyOf, sealingIn } from "../tables/columns.ts";
import type { Scalar, SqlType } from "./statement.ts";

export interface Written<G> {
  /** SQL names of the columns. */
  readonly names: readonly string[];
  /** Types by SQL name, for a given table. */
  readonly types: Readonly<Record<string, SqlType>>;
  /** `a, b` */
  readonly columns: string;
  /** `:a, :b` */
  readonly parameters: string;
  /** `b = :b`, without those that identify the row. */
  readonly assignments: string;
  /** By SQL name. What is sealed is sealed for the row of the other values. */
  values(cipher: Cipher, given: G): Record<string, Scalar>;
  /** The same in the order of `names`, for statements of many rows. */
  row(cipher: Cipher, given: G): Scalar[];
}

type Cells = Readonly<Record<string, unknown>>;

/** The columns of a statement that inserts or updates rows. */
export function written<T extends SQLiteTable, K extends keyof T["$inferSelect"] & string>(
  table: T,
  ...names: readonly K[]
): Written<Given<T, K>>;
export function written(table: SQLiteTable, ...names: readonly string[]): Written<Cells> {
  const all: Readonly<Record<string, Column>> = getTableColumns(table);
  const cells = names.map((name) => {
    const column = all[name];
    if (column === undefined) throw new TypeError(`the table has no column ${name}`);
    return { name, column: column.name, type: typeOf(column), cell: cellOf(name, column) };
  });
  const columns = cells.map(({ column }) => column);
  const row = (cipher: Cipher, given: Cells): Scalar[] =>
    cells.map(({ name, cell }) => {
      const value = given[name];
      return value === undefined || value === null ? null : cell(value, cipher, given);
    });
  const key = keyOf(table).map(({ name }) => name);
  return {
    names: columns,
    types: Object.fromEntries(cells.map(({ column, type }) => [column, type])),
    columns: columns.join(", "),
    parameters: columns.map((column) => `:${column}`).join(", "),
    assignments: columns
      .filter((column) => !key.includes(column))
      .map((column) => `${column} = :${column}`)
      .join(", "),
    values: (cipher, given) =>
      Object.fromEntries(row(cipher, given).map((value, at) => [columns[at] ?? "", value])),
    row,
  };
}

const types: Readonly<Record<string, SqlType>> = {
  ...{ string: "text", json: "text", number: "bigint", boolean: "boolean", buffer: "bytea" },
};

/** How the values of a column are passed. */
export function typeOf(column: Column): SqlType {
  const type = types[column.dataType];
  if (type === undefined) throw new TypeError(`no value is passed as ${column.dataType}`);
  return type;
}

function cellOf(name: string, column: Column): (value: unknown, cipher: Cipher, given: Cells) => Scalar {
  const sealing = sealingIn(column);
  if (sealing !== undefined) {
    const [first = "", ...others] = sealing.key;
    return (text, cipher, given) => {
      let row = String(given[first]);
      for (const part of others) row += `/${given[part]}`;
      return cipher.seal(String(text), sealing.place(row));
    };
  }
  if (column.dataType === "json") return (value) => JSON.stringify(value);
  return (value) => {
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
    throw new TypeError(`${name} cannot be stored`);
  };
}
