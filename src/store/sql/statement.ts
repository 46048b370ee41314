/** SQL statements with named parameters, in the notation of both stores (`notation.ts`). */
import type { EntryDraft } from "../ledger-links.ts";

export type Scalar = string | number | boolean | null | Uint8Array;

/** Rows of a given table, with the types of their columns. */
export interface GivenRows {
  readonly types: readonly SqlType[];
  readonly rows: readonly (readonly Scalar[])[];
  /** Any number of them: SQLite gets them as one parameter, as JSON. */
  readonly many?: true;
}

export type List = readonly string[] | readonly number[];
export type Value = Scalar | List | GivenRows;
export type SqlType = "text" | "bigint" | "boolean" | "bytea" | "double precision";
export type Args = Readonly<Record<string, Value>>;

export interface Statement {
  readonly sql: string;
  readonly args: Args;
  /** It adds this entry to the ledger: the writer gives it its place, and the arguments that follow from it. */
  readonly entry?: EntryDraft;
}

/** Rows passed as a table (CTE): `with ${definition} insert into ... select ... from <name>`. */
export interface GivenTable {
  readonly definition: string;
  readonly args: Args;
}

/** Columns of a given table and their types. */
export type GivenTypes = Readonly<Record<string, SqlType>>;

/** @param rows at least one, their cells by the names of the columns */
export function givenTable(
  name: string,
  types: GivenTypes,
  rows: readonly Readonly<Record<string, Scalar>>[],
): GivenTable {
  const { definition, args } = givenColumns(name, types);
  return { definition, args: args(rows) };
}

/** The same for rows that come later: the text is built once and can be part of a constant statement. */
export function givenColumns<Column extends string>(name: string, types: Readonly<Record<Column, SqlType>>) {
  const columns: Column[] = [];
  for (const column in types) columns.push(column);
  const typeList = columns.map((column) => types[column]);
  return {
    definition: `${name} (${columns.join(", ")}) as (:${name})`,
    args: (rows: readonly Readonly<Record<Column, Scalar>>[]): Args => ({
      [name]: { types: typeList, rows: rows.map((row) => columns.map((column) => row[column] ?? null)) },
    }),
    /** @param rows in the order of the columns */
    rows: (rows: readonly (readonly Scalar[])[]): Args => ({ [name]: { types: typeList, rows } }),
  };
}

/**
 * The same for any number of rows: the text is the same for each. SQLite reads it more slowly than `givenColumns`, and
 * once, however often it is joined.
 */
export function givenMany(name: string, types: GivenTypes) {
  const columns = Object.keys(types);
  const rowsArgs = (rows: readonly (readonly Scalar[])[]): Args => ({
    [name]: { types: Object.values(types), rows, many: true },
  });
  return {
    definition: `${name} (${columns.join(", ")}) as materialized (:${name})`,
    args: (rows: readonly Readonly<Record<string, Scalar>>[]): Args =>
      rowsArgs(rows.map((row) => columns.map((column) => row[column] ?? null))),
    /** @param rows in the order of the columns */
    rows: rowsArgs,
  };
}

export function isList(value: Value): value is List {
  return Array.isArray(value);
}

export function isRows(value: Value | undefined): value is GivenRows {
  return typeof value === "object" && value !== null && "rows" in value;
}

/** Estimated cost of statements in rows, to keep transactions short: one with many values inserts many rows. */
export function costOf(statements: readonly Statement[]): number {
  return statements.reduce((sum, statement) => sum + 1 + valuesIn(statement) / 25, 0);
}

function valuesIn({ args }: Statement): number {
  let count = 0;
  for (const name in args) {
    const value = args[name];
    count += isRows(value) ? value.rows.length * value.types.length : 1;
  }
  return count;
}
