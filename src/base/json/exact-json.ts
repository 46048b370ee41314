/**
 * JSON values that keep what those of JavaScript lose: the type of `9.0`, digits beyond 2^53, and the order of keys
 * such as "20". Templates see such values as they were written.
 */
import { someMember } from "./walk.ts";

/** A number that a JavaScript number would print differently. */
export class ExactNumber {
  /** @param text as in JSON. */
  constructor(readonly text: string) {}

  toString(): string {
    return this.text;
  }

  /** For `JSON.stringify`, which cannot write it exactly. */
  toJSON(): number {
    return Number(this.text);
  }
}

/**
 * The keys of an object in written order, where JavaScript has another: it moves keys such as "20" to the front.
 * Enumerable, so that a copy keeps it and a comparison sees it.
 */
const keyOrder = Symbol("key order");

type Ordered = { [keyOrder]?: readonly string[] };

/**
 * Texts without any of these are parsed by `JSON.parse` alone, in a twentieth of the time: a number of many digits, of
 * no fraction behind its point, with an exponent, or `-0`; a key of digits. A text that is one number always is. May
 * match within a string, which does no harm, but not in every time of day.
 */
const mayBeInexact =
  /(?:"\s*:|[[,])\s*(?:-0(?![\d.])|-?[\d.]{16}|-?\d+(?:\.0+(?!\d)|\.?\d*[eE]))|"\d+"\s*:|\\u003\d|^\s*-?\d/;
const isIndex = /^(?:0|[1-9]\d{0,9})$/;
const number = /-?\d+(\.\d+)?([eE][-+]?\d+)?/y;

/** The number of a JSON text. */
export function exactNumber(text: string): number | ExactNumber {
  const value = Number(text);
  // The others are floats; one beyond the range of floats keeps its text.
  if (!/[.eE]/.test(text)) return JSON.stringify(value) === text ? value : new ExactNumber(text);
  return Number.isFinite(value) ? exactFloat(value) : new ExactNumber(text);
}

/** A float, which remains one in JSON: `9.0`. */
export function exactFloat(value: number): number | ExactNumber {
  const text = String(value);
  if (Object.is(value, -0)) return new ExactNumber("-0.0");
  return /[.e]/.test(text) ? value : new ExactNumber(`${text}.0`);
}

/** An object with its members in the order of the entries; of equal names the last wins, at the place of the first. */
export function orderedRecord(entries: Iterable<readonly [string, unknown]>): Record<string, unknown> {
  const members = new Map(entries);
  const record: Record<string, unknown> & Ordered = {};
  let hasIndex = false;
  for (const [name, value] of members) {
    // An assignment to `__proto__` would set the prototype.
    if (name === "__proto__")
      Object.defineProperty(record, name, { value, enumerable: true, writable: true, configurable: true });
    else record[name] = value;
    hasIndex ||= isIndex.test(name);
  }
  if (!hasIndex) return record;
  const names = [...members.keys()];
  if (Object.keys(record).some((name, at) => name !== names[at])) record[keyOrder] = names;
  return record;
}

/** The members of an object in written order. */
export function orderedEntries(record: object): [string, unknown][] {
  const order = (record as Ordered)[keyOrder];
  if (order === undefined) return Object.entries(record);
  const left = new Map<string, unknown>(Object.entries(record));
  const inOrder = order
    .filter((name) => left.has(name))
    .map((name): [string, unknown] => [name, left.get(name)]);
  for (const name of order) left.delete(name);
  return [...inOrder, ...left];
}

/**
 * @param value what `JSON.parse` makes of the text, if known.
 * @throws SyntaxError it is not JSON; RangeError it is nested too deep
 */
export function parseExact(text: string, value: unknown = JSON.parse(text)): unknown {
  return mayBeInexact.test(text) ? scan(text) : value;
}

/** @param text valid JSON. */
function scan(text: string): unknown {
  let at = 0;
  const skip = () => {
    while (at < text.length && " \t\r\n".includes(text.charAt(at))) at++;
  };
  const string = (): string => {
    const end = stringEnd(text, at) + 1;
    const raw = text.slice(at, end);
    at = end;
    return raw.includes("\\") ? String(JSON.parse(raw)) : raw.slice(1, -1);
  };
  const list = (): unknown[] => {
    const members: unknown[] = [];
    for (at++, skip(); text[at] !== "]"; skip()) {
      members.push(value());
      skip();
      if (text[at] === ",") at++;
    }
    at++;
    return members;
  };
  const object = (): Record<string, unknown> => {
    const members: [string, unknown][] = [];
    for (at++, skip(); text[at] !== "}"; skip()) {
      const name = string();
      skip();
      at++;
      members.push([name, value()]);
      skip();
      if (text[at] === ",") at++;
    }
    at++;
    return orderedRecord(members);
  };
  const word = <T>(read: T, length: number): T => {
    at += length;
    return read;
  };
  function value(): unknown {
    skip();
    switch (text[at]) {
      case '"':
        return string();
      case "{":
        return object();
      case "[":
        return list();
      case "t":
        return word(true, 4);
      case "f":
        return word(false, 5);
      case "n":
        return word(null, 4);
    }
    number.lastIndex = at;
    const digits = number.exec(text)?.[0] ?? "";
    at += digits.length;
    return exactNumber(digits);
  }
  return value();
}

/** Index of the closing quote, or -1. */
export function stringEnd(text: string, open: number): number {
  let at = open + 1;
  for (;;) {
    const close = text.indexOf('"', at);
    if (close < 0) return -1;
    let back = close - 1;
    while (text.charCodeAt(back) === 0x5c) back--;
    if ((close - back) % 2 === 1) return close;
    at = close + 1;
  }
}

/** The inverse of `parseExact`. @param indent blanks per level, as for `JSON.stringify`. */
export function stringifyExact(value: unknown, indent = 0): string {
  return isInexact(value) ? written(value, indent, "\n") : JSON.stringify(value, null, indent);
}

/** @param line the break before the closing bracket. */
function written(value: unknown, indent: number, line: string): string {
  if (value instanceof ExactNumber) return value.text;
  if (!isInexact(value)) return (JSON.stringify(value, null, indent) ?? "null").replaceAll("\n", line);
  const inner = line + " ".repeat(indent);
  const [between, before, after] = indent === 0 ? [",", "", ""] : [`,${inner}`, inner, line];
  if (Array.isArray(value))
    return `[${before}${value.map((item) => written(item, indent, inner)).join(between)}${after}]`;
  const members = orderedEntries(value as object).filter(([, member]) => member !== undefined);
  const colon = indent === 0 ? ":" : ": ";
  const texts = members.map(
    ([name, member]) => JSON.stringify(name) + colon + written(member, indent, inner),
  );
  return `{${before}${texts.join(between)}${after}}`;
}

/** Whether JavaScript alone would lose something of the value. */
export function isInexact(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (value instanceof ExactNumber || (value as Ordered)[keyOrder] !== undefined) return true;
  return someMember(value, isInexact);
}

/** The value as JavaScript has it. */
export function plain(value: unknown): unknown {
  if (!isInexact(value)) return value;
  if (value instanceof ExactNumber) return value.toJSON();
  if (Array.isArray(value)) return value.map(plain);
  return orderedRecord(Object.entries(value as object).map(([name, member]) => [name, plain(member)]));
}

/** Compares types and the order of keys, too. */
export function isSameExact(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  if (a instanceof ExactNumber || b instanceof ExactNumber)
    return a instanceof ExactNumber && b instanceof ExactNumber && a.text === b.text;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [as, bs] = [orderedEntries(a), orderedEntries(b)];
  return (
    as.length === bs.length &&
    as.every(([name, member], at) => name === bs[at]?.[0] && isSameExact(member, bs[at]?.[1]))
  );
}
