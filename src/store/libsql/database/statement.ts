/** SQL statements with named parameters. A list of rows is one parameter: `(values :name)`. */
import { LRUCache } from "lru-cache";
import type { EntryDraft } from "../../ledger-links.ts";

export type Value = string | number | boolean | null | Uint8Array;

/** Rows of a `values` list. */
export interface RowList {
  readonly rows: readonly (readonly Value[])[];
}

export type Args = Readonly<Record<string, Value | RowList>>;

export interface Statement {
  readonly sql: string;
  readonly args: Args;
  /** It adds this entry to the ledger: the writer gives it its place, and the arguments that follow from it. */
  readonly entry?: EntryDraft;
}

/** In the form a connection takes: numbered parameters and their values in that order. */
export interface BoundStatement {
  readonly sql: string;
  readonly values: readonly Value[];
}

/** Rows passed as a table (CTE): `with ${definition} insert into ... select ... from <name>`. */
export interface GivenTable {
  readonly definition: string;
  readonly args: Args;
}

/** @param rows at least one, all with the same keys, which are the columns */
export function givenTable(name: string, rows: readonly Readonly<Record<string, Value>>[]): GivenTable {
  const { definition, args } = givenColumns(name, Object.keys(rows[0] ?? {}));
  return { definition, args: args(rows) };
}

/** The same for columns known in advance: the text is built once and can be part of a constant statement. */
export function givenColumns<Column extends string>(name: string, columns: readonly Column[]) {
  return {
    definition: `${name} (${columns.join(", ")}) as (values :${name})`,
    args: (rows: readonly Readonly<Record<Column, Value>>[]): Args => ({
      [name]: { rows: rows.map((row) => columns.map((column) => row[column] ?? null)) },
    }),
    /** @param rows in the order of the columns */
    rows: (rows: readonly (readonly Value[])[]): Args => ({ [name]: { rows } }),
  };
}

interface NumberedText {
  readonly sql: string;
  readonly names: readonly string[];
}

/**
 * Cache by statement text, then by the numbers of rows: multi-row statements have a text for each number, and the least
 * recently used are evicted. Two levels, because a constant text is found without hashing it; one combined key took 5 %
 * of all time.
 */
const texts = new LRUCache<string, LRUCache<string, NumberedText>>({ max: 300 });
const maxRowCounts = 60;
const token = /'[^']*'|:([a-z_]\w*)/gi;

/** @throws TypeError if a parameter has no value */
export function bind({ sql, args }: Statement): BoundStatement {
  const { names, sql: numberedSql } = textOf(sql, args);
  const values: Value[] = [];
  for (const name of names) {
    const value = args[name];
    if (value === undefined) throw refused(`the parameter :${name} has no value: ${sql}`);
    if (!isRowList(value)) values.push(value);
    else for (const row of value.rows) for (const cell of row) values.push(cell);
  }
  return { sql: numberedSql, values };
}

function textOf(sql: string, args: Args): NumberedText {
  let ofSql = texts.get(sql);
  if (ofSql === undefined) {
    ofSql = new LRUCache<string, NumberedText>({ max: maxRowCounts });
    texts.set(sql, ofSql);
  }
  let counts = "";
  for (const name in args) {
    const value = args[name];
    if (isRowList(value)) counts += `${name} ${value.rows.length} `;
  }
  let text = ofSql.get(counts);
  if (text === undefined) {
    text = numbered(sql, args);
    ofSql.set(counts, text);
  }
  return text;
}

/** A parameter used twice is bound once. */
function numbered(sql: string, args: Args): { sql: string; names: string[] } {
  const numbers = new Map<string, number>();
  let last = 0;
  const text = sql.replace(token, (match: string, name: string | undefined) => {
    if (name === undefined) return match;
    const value = args[name];
    if (isRowList(value)) {
      if (numbers.has(name)) throw refused(`the rows :${name} may stand once: ${sql}`);
      numbers.set(name, 0);
      return value.rows.map((row) => `(${row.map(() => `?${++last}`).join(", ")})`).join(", ");
    }
    const number = numbers.get(name) ?? ++last;
    numbers.set(name, number);
    return `?${number}`;
  });
  return { sql: text, names: [...numbers.keys()] };
}

/** A malformed statement of our own: has a code like SQLite's, so that it is not retried. */
function refused(text: string): TypeError {
  return Object.assign(new TypeError(text), { code: "SQLITE_ERROR" });
}

function isRowList(value: Value | RowList | undefined): value is RowList {
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
    count += isRowList(value) ? value.rows.length * (value.rows[0]?.length ?? 0) : 1;
  }
  return count;
}
