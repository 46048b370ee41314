/**
 * Writes out statements as PostgreSQL takes them. A list is one parameter, and so is each column of the given rows:
 * neither changes the text, so that the server prepares few.
 */
import { LRUCache } from "lru-cache";
import { chosen } from "../../sql/notation.ts";
import {
  type Args,
  type GivenRows,
  isList,
  isRows,
  type Scalar,
  type SqlType,
  type Statement,
  type Value,
} from "../../sql/statement.ts";

/** In the form the client takes: numbered parameters and their values in that order, as the server reads them. */
export interface BoundStatement {
  readonly sql: string;
  readonly values: readonly (string | null)[];
}

/** Texts by statement, then by the kinds of the values: a value says its type, and null is part of the text. */
const texts = new LRUCache<string, LRUCache<string, NumberedText>>({ max: 1_000 });
const maxKinds = 60;
const token =
  /([\w.]+) ->> '\$\.(\w+)'|'[^']*'|::\w+| indexed by \w+|\+(?=[a-z])|\browid\b|\b(not )?in :(\w+)|\beach\(:(\w+)\) (\w+)|:([a-z_]\w*)/gi;

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
  const values: (string | null)[] = [];
  for (const name of text.names) {
    const value = args[name];
    if (isRows(value)) for (const at of value.types.keys()) values.push(listed(columnOf(value, at)));
    else values.push(cell(value));
  }
  return { sql: text.sql, values };
}

/** A parameter used twice is bound once. */
function numbered(sql: string, args: Args): NumberedText {
  const numbers = new Map<string, number>();
  let last = 0;
  const rowsOf = (name: string, types: readonly SqlType[]) => {
    const first = numbers.get(name) ?? last + 1;
    if (!numbers.has(name)) last += types.length;
    numbers.set(name, first);
    return `select * from unnest(${types.map((type, at) => `$${first + at}::${type}[]`).join(", ")})`;
  };
  const parameter = (name: string): string => {
    const value = args[name];
    if (value === undefined) throw refused(`the parameter :${name} has no value: ${sql}`);
    if (isRows(value)) return rowsOf(name, value.types);
    const cast = castOf(value);
    // Without a type of its own it takes that of what it stands beside.
    if (cast === "null") return "null";
    if (cast === "none") return "'{}'";
    const number = numbers.get(name) ?? ++last;
    numbers.set(name, number);
    return `$${number}::${cast}`;
  };
  const text = chosen(sql, "postgres").replace(token, (match: string, ...groups: (string | undefined)[]) => {
    const [json, member, not, list, items, called, name] = groups;
    if (json !== undefined) return `patchbay_member(${json}, '${member}')`;
    if (list !== undefined) return `${not === undefined ? "= any" : "<> all"}(${parameter(list)})`;
    if (items !== undefined) {
      const given = parameter(items);
      // Nothing has no type: texts, as ids are.
      return `unnest(${given === "'{}'" ? "'{}'::text[]" : given}) ${called} (value)`;
    }
    if (name !== undefined) return parameter(name);
    if (match.toLowerCase() === "rowid") return "row_n";
    return match.startsWith("'") || match.startsWith("::") ? match : "";
  });
  return { sql: text, names: [...numbers.keys()] };
}

function columnOf({ rows }: GivenRows, at: number): Scalar[] {
  return rows.map((row) => row[at] ?? null);
}

function castOf(value: Value | undefined): string {
  if (value === null || value === undefined) return "null";
  if (isRows(value)) return "rows";
  if (isList(value)) return value.length === 0 ? "none" : `${typeOf(value[0])}[]`;
  return typeOf(value);
}

function typeOf(value: Scalar | undefined): SqlType {
  if (typeof value === "number") return Number.isInteger(value) ? "bigint" : "double precision";
  if (typeof value === "boolean") return "boolean";
  return value instanceof Uint8Array ? "bytea" : "text";
}

function cell(value: Exclude<Value, GivenRows> | undefined): string | null {
  if (value === undefined || value === null) return null;
  return isList(value) ? listed(value) : scalar(value);
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
