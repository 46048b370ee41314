/** A statement is SQL with named parameters beside their values; a list of rows is one parameter, `(values :name)`. */
import { LRUCache } from "lru-cache";

export type Value = string | number | boolean | null | Uint8Array;

/** Rows of a `values` list. */
export interface RowList {
  readonly rows: readonly (readonly Value[])[];
}

export type Args = Readonly<Record<string, Value | RowList>>;

export interface Statement {
  readonly sql: string;
  readonly args: Args;
}

/** As a connection takes it: numbered parameters and their values in that order. */
export interface BoundStatement {
  readonly sql: string;
  readonly values: readonly Value[];
}

/** A table that a statement brings with it: `with ${definition} insert into ... select ... from <name>`. */
export interface GivenTable {
  readonly definition: string;
  readonly args: Args;
}

/** @param rows alike: their keys are the columns; at least one. */
export function givenTable(name: string, rows: readonly Readonly<Record<string, Value>>[]): GivenTable {
  const { definition, args } = givenColumns(name, Object.keys(rows[0] ?? {}));
  return { definition, args: args(rows) };
}

/** The same where the columns are known beforehand: its text is made once, and so may be that of its statement. */
export function givenColumns<Column extends string>(name: string, columns: readonly Column[]) {
  return {
    definition: `${name} (${columns.join(", ")}) as (values :${name})`,
    args: (rows: readonly Readonly<Record<Column, Value>>[]): Args => ({
      [name]: { rows: rows.map((row) => columns.map((column) => row[column] ?? null)) },
    }),
  };
}

interface NumberedText {
  readonly sql: string;
  readonly names: readonly string[];
}

/**
 * By the text with names, then by the numbers of rows: statements of many rows have a text for each; those that were
 * not used lately are forgotten. A text that is a constant is found without being read; one key of both was a
 * twentieth of all time.
 */
const texts = new LRUCache<string, LRUCache<string, NumberedText>>({ max: 300 });
const mostRowCounts = 60;
const token = /'[^']*'|:([a-z_]\w*)/gi;

/** @throws TypeError when a parameter has no value. */
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
    ofSql = new LRUCache<string, NumberedText>({ max: mostRowCounts });
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

/** A parameter that stands twice is one value. */
function numbered(sql: string, args: Args): { sql: string; names: string[] } {
  const numbers = new Map<string, number>();
  let last = 0;
  const text = sql.replace(token, (found: string, name: string | undefined) => {
    if (name === undefined) return found;
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

/** A statement of our own that is wrong: with a code like those of SQLite, so that nothing tries it again. */
function refused(text: string): TypeError {
  return Object.assign(new TypeError(text), { code: "SQLITE_ERROR" });
}

function isRowList(value: Value | RowList | undefined): value is RowList {
  return typeof value === "object" && value !== null && "rows" in value;
}

/** What statements cost the database, in rows, to keep transactions short: one with many values inserts many rows. */
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
