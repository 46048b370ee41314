/**
 * SQL statements with named parameters. A list is one parameter (`id = any(:ids)`), and so are the rows of a table that
 * a statement is given: neither changes its text, so that the server prepares few.
 */
import { LRUCache } from "lru-cache";
import type { EntryDraft } from "../../ledger-links.ts";

export type Scalar = string | number | boolean | null | Uint8Array;

/** One column of a given table, or a list, with the type of its cells. */
export interface Cells {
  readonly type: SqlType;
  readonly cells: readonly Scalar[];
}

export type Value = Scalar | readonly string[] | readonly number[] | Cells;
export type SqlType = "text" | "bigint" | "boolean" | "bytea" | "double precision";
export type Args = Readonly<Record<string, Value>>;

export interface Statement {
  readonly sql: string;
  readonly args: Args;
  /** It adds this entry to the ledger: the writer gives it its place, and the arguments that follow from it. */
  readonly entry?: EntryDraft;
}

/** In the form the client takes: numbered parameters and their values in that order, as the server reads them. */
export interface BoundStatement {
  readonly sql: string;
  readonly values: readonly (string | null)[];
}

/**
 * A column that is compared, but by which no row is looked up: a plan made while few rows had a status would read all
 * that have it later.
 */
export const outOfIndexes = (column: string) => `(${column} || '')`;

/** Rows passed as a table (CTE): `with ${definition} insert into ... select ... from <name>`. */
export interface GivenTable {
  readonly definition: string;
  readonly args: Args;
}

/** Columns of a given table and their types. */
export type GivenTypes = Readonly<Record<string, SqlType>>;

/** @param rows their cells by the names of the columns */
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
  const parameter = (at: number) => `${name}_${at}`;
  const lists = columns.map((_, at) => `:${parameter(at)}`);
  const cellsOf = (cells: (column: Column, at: number) => Scalar[]): Args =>
    Object.fromEntries(
      columns.map((column, at) => [parameter(at), { type: types[column], cells: cells(column, at) }]),
    );
  return {
    definition: `${name} (${columns.join(", ")}) as (select * from unnest(${lists.join(", ")}))`,
    args: (rows: readonly Readonly<Record<Column, Scalar>>[]): Args =>
      cellsOf((column) => rows.map((row) => row[column] ?? null)),
    /** @param rows in the order of the columns */
    rows: (rows: readonly (readonly Scalar[])[]): Args =>
      cellsOf((_, at) => rows.map((row) => row[at] ?? null)),
  };
}

/** Texts by statement, then by the kinds of the values: a value says its type, and null is part of the text. */
const texts = new LRUCache<string, LRUCache<string, NumberedText>>({ max: 1_000 });
const maxKinds = 60;
const token = /'[^']*'|::\w+|:([a-z_]\w*)/gi;

interface NumberedText {
  readonly sql: string;
  readonly names: readonly string[];
}

/** @throws TypeError if a parameter has no value */
export function bind({ sql, args }: Statement): BoundStatement {
  let ofSql = texts.get(sql);
  if (ofSql === undefined) {
    ofSql = new LRUCache<string, NumberedText>({ max: maxKinds });
    texts.set(sql, ofSql);
  }
  let kinds = "";
  for (const name in args) kinds += `${name} ${castOf(args[name])} `;
  let text = ofSql.get(kinds);
  if (text === undefined) {
    text = numbered(sql, args);
    ofSql.set(kinds, text);
  }
  return { sql: text.sql, values: text.names.map((name) => cell(args[name])) };
}

/** A parameter used twice is bound once. */
function numbered(sql: string, args: Args): NumberedText {
  const numbers = new Map<string, number>();
  const text = sql.replace(token, (match: string, name: string | undefined) => {
    if (name === undefined) return match;
    const value = args[name];
    if (value === undefined) throw refused(`the parameter :${name} has no value: ${sql}`);
    const cast = castOf(value);
    // Without a type of its own it takes that of what it stands beside.
    if (cast === "null") return "null";
    if (cast === "none") return "'{}'";
    const number = numbers.get(name) ?? numbers.size + 1;
    numbers.set(name, number);
    return `$${number}::${cast}`;
  });
  return { sql: text, names: [...numbers.keys()] };
}

function castOf(value: Value | undefined): string {
  if (value === null || value === undefined) return "null";
  if (isList(value)) return value.length === 0 ? "none" : `${typeOf(value[0])}[]`;
  if (isCells(value)) return `${value.type}[]`;
  return typeOf(value);
}

function typeOf(value: Scalar | undefined): SqlType {
  if (typeof value === "number") return Number.isInteger(value) ? "bigint" : "double precision";
  if (typeof value === "boolean") return "boolean";
  return value instanceof Uint8Array ? "bytea" : "text";
}

function isList(value: Value): value is readonly string[] | readonly number[] {
  return Array.isArray(value);
}

function isCells(value: Exclude<Value, readonly unknown[]>): value is Cells {
  return typeof value === "object" && value !== null && "cells" in value;
}

function cell(value: Value | undefined): string | null {
  if (value === undefined || value === null) return null;
  if (isList(value)) return listed(value);
  return isCells(value) ? listed(value.cells) : scalar(value);
}

/** PostgreSQL has no text with the character NUL. */
const withoutNul = (text: string) => (text.includes("\0") ? text.replaceAll("\0", "\ufffd") : text);

function scalar(value: Exclude<Scalar, null>): string {
  if (typeof value === "string") return withoutNul(value);
  if (value instanceof Uint8Array)
    return `\\x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("hex")}`;
  return String(value);
}

/** The literal of an array. */
function listed(values: readonly Scalar[]): string {
  let text = "{";
  for (const [at, value] of values.entries()) {
    if (at > 0) text += ",";
    if (value === null) text += "NULL";
    else if (typeof value === "number" || typeof value === "boolean") text += String(value);
    else if (typeof value === "string") text += `"${withoutNul(value).replaceAll(/["\\]/g, "\\$&")}"`;
    else text += `"\\${scalar(value)}"`;
  }
  return `${text}}`;
}

/** A malformed statement of our own: has a code like the server's, so that it is not retried. */
function refused(text: string): TypeError {
  return Object.assign(new TypeError(text), { code: "42000" });
}

/** Estimated cost of statements in rows, to keep transactions short: one with many values inserts many rows. */
export function costOf(statements: readonly Statement[]): number {
  return statements.reduce((sum, statement) => sum + 1 + valuesIn(statement) / 25, 0);
}

function valuesIn({ args }: Statement): number {
  let count = 0;
  for (const name in args) {
    const value = args[name];
    if (value === undefined || value === null) continue;
    count += isList(value) ? 1 : isCells(value) ? value.cells.length : 1;
  }
  return count;
}
