/** Python's `pprint.pformat`: wraps a value that is too wide for one line. */

import { attempt } from "../errors.ts";
import { checkDepth, type Meter, Pieces } from "../limits.ts";
import { compare } from "../values/compare.ts";
import { PyDict, PySet } from "../values/dict.ts";
import { PyTuple, typeName, type Value } from "../values/values.ts";
import { BLANK, INK, splitLines } from "./blanks.ts";
import { textLength } from "./codepoints.ts";
import { repr, textRepr } from "./repr.ts";

const WIDTH = 80;
const WORDS = new RegExp(`${INK}+${BLANK}*|${BLANK}+`, "gu");

/** @param step indentation of each level. */
export function prettyPrint(value: Value, meter: Meter, step = 1): string {
  const out = new Pieces(meter);

  const visit = (item: Value, indent: number, allowance: number): void => {
    const room = WIDTH - indent - allowance;
    const flat = leastWidth(item, room, 0) > room ? undefined : repr(item, meter);
    if (flat !== undefined && textLength(flat) <= room) out.put(flat);
    else if (item instanceof PyDict) dict(item, indent, allowance);
    else if (Array.isArray(item)) sequence(item, "[", "]", indent, allowance);
    else if (item instanceof PyTuple)
      sequence(item.items, "(", item.items.length === 1 ? ",)" : ")", indent, allowance);
    else if (item instanceof PySet && item.size > 0)
      sequence(item.values().sort(inOrder), "{", "}", indent, allowance);
    else if (typeof item === "string" && item !== "") text(item, indent, allowance);
    else out.put(flat ?? repr(item, meter));
  };

  /** Writes the items between the brackets, one per line. */
  const inside = (count: number, indent: number, item: (i: number) => void): void => {
    out.put(" ".repeat(step - 1));
    for (let i = 0; i < count; i++) {
      if (i > 0) out.put(`,\n${" ".repeat(indent + step)}`);
      item(i);
    }
  };

  const dict = (dictionary: PyDict, indent: number, allowance: number): void => {
    out.put("{");
    const entries = dictionary.entries();
    inside(entries.length, indent, (i) => {
      const [key, item] = entries[i] ?? [null, null];
      const keyText = repr(key, meter);
      out.put(`${keyText}: `);
      visit(item, indent + step + textLength(keyText) + 2, i === entries.length - 1 ? allowance + 1 : 1);
    });
    out.put("}");
  };

  const sequence = (
    items: readonly Value[],
    open: string,
    close: string,
    indent: number,
    allowance: number,
  ): void => {
    out.put(open);
    inside(items.length, indent, (i) =>
      visit(items[i] ?? null, indent + step, i === items.length - 1 ? allowance + close.length : 1),
    );
    out.put(close);
  };

  /** Splits long text into adjacent literals, one per line; adds parentheses at the top level. */
  const text = (written: string, indent: number, allowance: number): void => {
    const top = out.length === 0 ? 1 : 0;
    const chunks = chunksOf(written, WIDTH - indent - top, allowance + top);
    const joined = chunks.join(`\n${" ".repeat(indent + top)}`);
    out.put(top === 1 && chunks.length > 1 ? `(${joined})` : joined);
  };

  visit(ordered(value, 0, meter), 0, 0);
  return out.text();
}

/** Copies the value with the keys of all dictionaries sorted. */
function ordered(value: Value, depth: number, meter: Meter): Value {
  checkDepth(depth, meter);
  const inner = (item: Value): Value => ordered(item, depth + 1, meter);
  if (Array.isArray(value)) return value.map(inner);
  if (value instanceof PyTuple) return new PyTuple(value.items.map(inner));
  if (!(value instanceof PyDict)) return value;
  const entries = value.entries().sort(([a], [b]) => inOrder(a, b));
  return PyDict.from(entries.map(([key, item]) => [key, inner(item)] as const));
}

/** Keys that cannot be compared sort by type name. */
const isBelow = (a: Value, b: Value): boolean =>
  attempt(
    () => compare("<", a, b),
    () => typeName(a) < typeName(b),
  );

const inOrder = (a: Value, b: Value): number => (isBelow(a, b) ? -1 : isBelow(b, a) ? 1 : 0);

/** Depth limit, because values may be cyclic. */
const LOOKS_INTO = 3;

/**
 * A lower bound of the length of `repr`, or any number above `room`. It rules out most values that are too
 * wide without formatting them again at each level.
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

/** Splits text into chunks that fit: by line, or else by word. */
function chunksOf(text: string, width: number, allowance: number): string[] {
  const chunks: string[] = [];
  const lines = splitLines(text, true);
  lines.forEach((line, i) => {
    const spare = i === lines.length - 1 ? allowance : 0;
    const literal = textRepr(line);
    if (textLength(literal) <= width - spare) chunks.push(literal);
    else chunks.push(...brokenLine(line, width, spare));
  });
  return chunks;
}

function brokenLine(line: string, width: number, allowance: number): string[] {
  const pieces = line.match(WORDS) ?? [];
  const chunks: string[] = [];
  let current = "";
  pieces.forEach((piece, i) => {
    const room = i === pieces.length - 1 ? width - allowance : width;
    if (current !== "" && textLength(textRepr(current + piece)) > room) {
      chunks.push(textRepr(current));
      current = piece;
    } else current += piece;
  });
  if (current !== "") chunks.push(textRepr(current));
  return chunks;
}
