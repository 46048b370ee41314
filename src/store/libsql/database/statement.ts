/** Writes out statements as SQLite takes them. A list is one parameter, as JSON; each cell of a given row is one. */
import { LRUCache } from "lru-cache";
import { chosen } from "../../sql/notation.ts";
import {
  type Args,
  type GivenRows,
  isList,
  isRows,
  type Scalar,
  type Statement,
} from "../../sql/statement.ts";

/** In the form a connection takes: numbered parameters and their values in that order. */
export interface BoundStatement {
  readonly sql: string;
  readonly values: readonly Scalar[];
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
const token = /'[^']*'|\bin :(\w+)|\beach\(:(\w+)\)|\b(least|greatest|strpos)\(|:([a-z_]\w*)/gi;
const ownNames: Readonly<Record<string, string>> = { least: "min", greatest: "max", strpos: "instr" };

/** @throws TypeError if a parameter has no value */
export function bind({ sql, args }: Statement): BoundStatement {
  const { names, sql: numberedSql } = textOf(sql, args);
  const values: Scalar[] = [];
  for (const name of names) {
    const value = args[name];
    if (value === undefined) throw refused(`the parameter :${name} has no value: ${sql}`);
    if (isList(value)) values.push(JSON.stringify(value));
    else if (!isRows(value)) values.push(value);
    else if (value.many === true) values.push(JSON.stringify(value.rows.map((row) => row.map(inJson))));
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
    if (isRows(value) && value.many !== true) counts += `${name} ${value.rows.length} `;
  }
  let text = ofSql.get(counts);
  if (text === undefined) {
    text = numbered(sql, args);
    ofSql.set(counts, text);
  }
  return text;
}

/** A parameter used twice is bound once. */
function numbered(sql: string, args: Args): NumberedText {
  const numbers = new Map<string, number>();
  let last = 0;
  const parameter = (name: string) => {
    const number = numbers.get(name) ?? ++last;
    numbers.set(name, number);
    return `?${number}`;
  };
  const rowsOf = (name: string, rows: readonly (readonly Scalar[])[]) => {
    if (numbers.has(name)) throw refused(`the rows :${name} may stand once: ${sql}`);
    numbers.set(name, 0);
    return `values ${rows.map((row) => `(${row.map(() => `?${++last}`).join(", ")})`).join(", ")}`;
  };
  const text = chosen(sql, "libsql").replace(
    token,
    (match: string, list?: string, items?: string, called?: string, name?: string) => {
      if (list !== undefined) return `in (select value from json_each(${parameter(list)}))`;
      if (items !== undefined) return `json_each(${parameter(items)})`;
      if (called !== undefined) return `${ownNames[called.toLowerCase()]}(`;
      if (name === undefined) return match;
      const value = args[name];
      if (!isRows(value)) return parameter(name);
      return value.many === true ? manyOf(value, parameter(name)) : rowsOf(name, value.rows);
    },
  );
  return { sql: text, names: [...numbers.keys()] };
}

function manyOf({ types }: GivenRows, parameter: string): string {
  const cells = types.map((type, at) => (type === "bytea" ? `unhex(value ->> ${at})` : `value ->> ${at}`));
  return `select ${cells.join(", ")} from json_each(${parameter})`;
}

const inJson = (cell: Scalar) => (cell instanceof Uint8Array ? Buffer.from(cell).toString("hex") : cell);

/** A malformed statement of our own: has a code like SQLite's, so that it is not retried. */
function refused(text: string): TypeError {
  return Object.assign(new TypeError(text), { code: "SQLITE_ERROR" });
}
