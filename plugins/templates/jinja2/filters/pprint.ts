/** `pprint`: a value over several lines where it is too wide, as Python's pprint lays it out. */
import { textLength } from "../../python/codepoints.ts";
import { compare } from "../../python/compare.ts";
import { PyDict, PySet } from "../../python/dict.ts";
import { PyError } from "../../python/errors.ts";
import { limitError, type Meter } from "../../python/limits.ts";
import { repr, textRepr } from "../../python/repr.ts";
import { PyTuple, type Value } from "../../python/values.ts";

const WIDTH = 80;

/** The same value with the keys of all dictionaries sorted. */
function ordered(value: Value, depth: number, meter: Meter): Value {
  if (depth > meter.limits.depth) throw limitError(`a value nested deeper than ${meter.limits.depth} levels`);
  const inner = (one: Value): Value => ordered(one, depth + 1, meter);
  if (Array.isArray(value)) return value.map(inner);
  if (value instanceof PyTuple) return new PyTuple(value.items.map(inner));
  if (!(value instanceof PyDict)) return value;
  return PyDict.from(sortedEntries(value).map(([key, item]) => [key, inner(item)] as const));
}

function sortedEntries(dict: PyDict): [Value, Value][] {
  const entries = dict.entries();
  try {
    return entries.sort(([a], [b]) => (compare("<", a, b) ? -1 : compare("<", b, a) ? 1 : 0));
  } catch (error) {
    if (error instanceof PyError) return entries;
    throw error;
  }
}

export function prettyPrint(value: Value, meter: Meter): string {
  const parts: string[] = [];
  let length = 0;
  const put = (text: string): void => {
    length += text.length;
    if (length > meter.limits.stringChars) meter.text(length);
    parts.push(text);
  };

  const visit = (one: Value, indent: number, allowance: number): void => {
    const room = WIDTH - indent - allowance;
    const flat = leastWidth(one, room, 0) > room ? undefined : repr(one, meter);
    if (flat !== undefined && textLength(flat) <= room) put(flat);
    else if (one instanceof PyDict) dict(one, indent, allowance);
    else if (Array.isArray(one)) sequence(one, "[", "]", indent, allowance);
    else if (one instanceof PyTuple)
      sequence(one.items, "(", one.items.length === 1 ? ",)" : ")", indent, allowance);
    else if (one instanceof PySet) sequence(one.values(), "{", "}", indent, allowance);
    else if (typeof one === "string") text(one, indent, allowance);
    else put(flat ?? repr(one, meter));
  };

  const dict = (one: PyDict, indent: number, allowance: number): void => {
    put("{");
    const entries = one.entries();
    entries.forEach(([key, item], i) => {
      if (i > 0) put(`,\n${" ".repeat(indent + 1)}`);
      const shown = repr(key, meter);
      put(`${shown}: `);
      visit(item, indent + 1 + textLength(shown) + 2, i === entries.length - 1 ? allowance + 1 : 1);
    });
    put("}");
  };

  const sequence = (
    items: readonly Value[],
    open: string,
    close: string,
    indent: number,
    allowance: number,
  ): void => {
    put(open);
    items.forEach((item, i) => {
      if (i > 0) put(`,\n${" ".repeat(indent + 1)}`);
      visit(item, indent + 1, i === items.length - 1 ? allowance + close.length : 1);
    });
    put(close);
  };

  /** Long text becomes several literals, one under the other. */
  const text = (one: string, givenIndent: number, givenAllowance: number): void => {
    const top = givenIndent === 0 && givenAllowance === 0 && parts.length === 0;
    const indent = top ? givenIndent + 1 : givenIndent;
    const allowance = top ? givenAllowance + 1 : givenAllowance;
    const chunks = chunksOf(one, WIDTH - indent, allowance);
    if (chunks.length === 1) {
      put(chunks[0] ?? "");
      return;
    }
    put(top ? "(" : "");
    put(chunks.join(`\n${" ".repeat(indent)}`));
    put(top ? ")" : "");
  };

  visit(ordered(value, 0, meter), 0, 0);
  return parts.join("");
}

/** How deep it looks: cyclic values must come to an end. */
const LOOKS_INTO = 3;

/**
 * What `repr` takes at least, or any number above `room`: most values that are too wide are known to be
 * without writing them down, which would be done again at each level of them.
 */
function leastWidth(value: Value, room: number, depth: number): number {
  if (typeof value === "string") return 2 + (value.length >> 1);
  if (depth > LOOKS_INTO) return 1;
  if (Array.isArray(value)) return leastOf(value, room, depth);
  if (value instanceof PyDict) return leastOf(value.values(), room, depth) + 3 * value.size;
  return 1;
}

function leastOf(items: readonly Value[], room: number, depth: number): number {
  let width = 2 * items.length;
  for (let i = 0; i < items.length && width <= room; i++)
    width += leastWidth(items[i] ?? null, room, depth + 1);
  return width;
}

function chunksOf(text: string, width: number, allowance: number): string[] {
  const lines =
    text.match(/[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]*(?:\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029])|.+$/gsu) ??
    [];
  const chunks: string[] = [];
  lines.forEach((line, i) => {
    const shown = textRepr(line);
    const room = i === lines.length - 1 ? width - allowance : width;
    if (textLength(shown) <= room) chunks.push(shown);
    else chunks.push(...brokenLine(line, width, i === lines.length - 1 ? allowance : 0));
  });
  return chunks;
}

function brokenLine(line: string, width: number, allowance: number): string[] {
  const pieces = line.match(/\S*\s*/gu)?.filter((piece) => piece !== "") ?? [];
  const chunks: string[] = [];
  let current = "";
  pieces.forEach((piece, i) => {
    const candidate = current + piece;
    const room = i === pieces.length - 1 ? width - allowance : width;
    if (textLength(textRepr(candidate)) > room) {
      if (current !== "") chunks.push(textRepr(current));
      current = piece;
    } else current = candidate;
  });
  if (current !== "") chunks.push(textRepr(current));
  return chunks;
}
