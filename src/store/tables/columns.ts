/**
 * How a table is stated: columns of Drizzle, with what they hold beyond their SQL type. What reads, writes, seals,
 * checks and rotates them follows from it.
 */
import { type Column, getTableColumns, getTableName } from "drizzle-orm";
import type { BuildColumns } from "drizzle-orm/column-builder";
import {
  blob,
  getTableConfig,
  type SQLiteColumnBuilderBase,
  type SQLiteTable,
  type SQLiteTableExtraConfigValue,
  sqliteTable,
  text,
} from "drizzle-orm/sqlite-core";
import type { SealPlace } from "../cipher.ts";
import { listProblem, listTextProblem, type Problem } from "./json.ts";

/** JSON without a `problem`: readers take from it what they understand. */
type Holds = { readonly sealed: SealedAs } | { readonly json: Problem | undefined };

/** What differs from the table, the column and the key of the row: it was sealed for another place. */
interface SealedAs {
  readonly table?: string;
  readonly column?: string;
  /** The column that names the row. */
  readonly row?: string;
}

/** Encrypted text: it decrypts only in its own table, row and column. */
export function sealed<N extends string>(name: N, as: SealedAs = {}) {
  return holding(blob(name, { mode: "buffer" }), { sealed: as });
}

/** A list of texts. */
export function list<N extends string>(name: N) {
  return holding(text(name, { mode: "json" }).$type<readonly string[]>(), { json: listProblem });
}

/** The same, left as JSON text: a page of jobs passes it on without parsing it. */
export function listText<N extends string>(name: N) {
  return holding(text(name), { json: listTextProblem });
}

export function jsonText<N extends string>(name: N, problem?: Problem) {
  return holding(text(name), { json: problem });
}

/** By builder; `table` finds it there. */
const held = new WeakMap<object, Holds>();

function holding<B extends object>(builder: B, holds: Holds): B {
  held.set(builder, holds);
  return builder;
}

export interface Sealing {
  /** SQL expression for the name of the row in its place. */
  readonly row: string;
  /** Property names of the columns that name the row. */
  readonly key: readonly string[];
  place(row: string): SealPlace;
}

const sealings = new WeakMap<Column, Sealing>();
const jsonTexts = new WeakMap<Column, { readonly problem: Problem | undefined }>();

/** `sqliteTable`, for columns that hold something. */
export function table<N extends string, C extends Record<string, SQLiteColumnBuilderBase>>(
  name: N,
  columns: C,
  more?: (self: BuildColumns<N, C, "sqlite">) => SQLiteTableExtraConfigValue[],
) {
  const made = sqliteTable(name, columns, more);
  const properties: Record<string, Column> = getTableColumns<SQLiteTable>(made);
  for (const [property, column] of Object.entries(properties)) {
    const holds = held.get(columns[property] ?? column);
    if (holds === undefined) continue;
    if ("json" in holds) jsonTexts.set(column, { problem: holds.json });
    else sealings.set(column, sealingOf(made, column, holds.sealed));
  }
  return made;
}

function sealingOf(made: SQLiteTable, column: Column, as: SealedAs): Sealing {
  const name = getTableName(made);
  const key = as.row === undefined ? keyOf(made).map(({ name }) => name) : [as.row];
  const properties = Object.entries<Column>(getTableColumns(made));
  const [table, field] = [as.table ?? name, as.column ?? column.name];
  return {
    row: key.join(" || '/' || "),
    key: key.map((name) => properties.find(([, { name: known }]) => known === name)?.[0] ?? name),
    place: (row) => ({ table, row, field }),
  };
}

/** Where a sealed value of a row is stored. */
export function placeOf(column: Column, ...key: readonly string[]): SealPlace {
  const sealing = sealings.get(column);
  if (sealing === undefined) throw new TypeError(`the column ${column.name} is not sealed`);
  return sealing.place(key.join("/"));
}

/** Undefined for a column that is not sealed. */
export const sealingIn = (column: Column): Sealing | undefined => sealings.get(column);

/** Undefined for a column that is not JSON. */
export const jsonIn = (column: Column) => jsonTexts.get(column);

const keys = new WeakMap<SQLiteTable, readonly Column[]>();

/** An `id` is what people know a row by, also where the primary key is a number. */
export function keyOf(table: SQLiteTable): readonly Column[] {
  const key = keys.get(table) ?? findKey(table);
  keys.set(table, key);
  return key;
}

/** Builds all indexes of the table on the way: too much for each column of each statement. */
function findKey(table: SQLiteTable): readonly Column[] {
  const { columns, primaryKeys } = getTableConfig(table);
  const id = columns.find(({ name }) => name === "id");
  if (id !== undefined) return [id];
  return [...columns.filter(({ primary }) => primary), ...primaryKeys.flatMap(({ columns }) => columns)];
}

/**
 * The column that numbers the rows of a table: what goes through a whole table page by page reads it in this order. It
 * is the primary key where that is a number, else `rowid`: on PostgreSQL a column that the migrations add.
 */
export function numberOf(table: SQLiteTable): string {
  const { columns } = getTableConfig(table);
  return columns.find(({ primary, dataType }) => primary && dataType === "number")?.name ?? "rowid";
}

/** A row of a table as it is stored, and with its sealed texts opened. */
export type Row<T extends SQLiteTable> = Readonly<T["$inferSelect"]>;
export type Opened<R> = { readonly [K in keyof R]: Clear<R[K]> };
export type Clear<V> = V extends Uint8Array ? string : V;

/** A row to be written: sealed columns as clear text, nothing where the column may be null. */
export type Given<T extends SQLiteTable, K extends keyof T["$inferSelect"]> = {
  readonly [N in K as null extends T["$inferSelect"][N] ? never : N]: Clear<T["$inferSelect"][N]>;
} & {
  readonly [N in K as null extends T["$inferSelect"][N] ? N : never]?:
    | Clear<T["$inferSelect"][N]>
    | undefined;
};

/** Names of some columns that were stated together. */
export function namesOf<T extends object>(group: T): Extract<keyof T, string>[] {
  const names: Extract<keyof T, string>[] = [];
  for (const name in group) names.push(name);
  return names;
}

/** Names of all columns of a table but some. */
export function namesBut<T extends SQLiteTable, K extends keyof T["$inferSelect"] & string = never>(
  table: T,
  ...names: readonly K[]
): Exclude<keyof T["$inferSelect"] & string, K>[] {
  const left: readonly string[] = names;
  const isKept = (name: string): name is Exclude<keyof T["$inferSelect"] & string, K> => !left.includes(name);
  return Object.keys(getTableColumns<SQLiteTable>(table)).filter(isKept);
}
