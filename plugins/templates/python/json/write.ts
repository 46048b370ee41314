/** Writes JSON with the layout of Python's `json.dumps`. */

import { typeError, valueError } from "../errors.ts";
import { checkDepth, type Meter, Pieces } from "../limits.ts";
import { floatRepr } from "../numbers/floats.ts";
import { intText, str } from "../text/repr.ts";
import { needInt } from "../text/strings.ts";
import { compare } from "../values/compare.ts";
import { PyDict } from "../values/dict.ts";
import { itemsOf, PyView } from "../values/iterate.ts";
import {
  isText,
  Markup,
  PyFloat,
  PyTuple,
  textOf,
  typeName,
  Undefined,
  type Value,
} from "../values/values.ts";

export interface JsonStyle {
  /** Indentation of one level; `undefined` writes a single line. */
  readonly indent?: string | undefined;
  readonly sortKeys?: boolean;
  /** Escapes everything above ASCII as `\uXXXX`; Python's default. */
  readonly ascii?: boolean;
  /** Separators between items, and between key and value. */
  readonly separators?: readonly [string, string] | undefined;
  /** Converts a value that JSON lacks; without it, such a value is an error. */
  readonly convert?: ((value: Value) => Value) | undefined;
}

/** `indent` of `json.dumps`: a number of spaces, or text. */
export function jsonIndent(indent: Value, meter: Meter): string | undefined {
  if (indent === null) return undefined;
  if (isText(indent)) return textOf(indent);
  const width = Math.max(0, needInt(indent, 0));
  meter.text(width);
  return " ".repeat(width);
}

/** `separators` of `json.dumps`. */
export function jsonSeparators(separators: Value, meter: Meter): readonly [string, string] | undefined {
  if (separators === null) return undefined;
  const [comma, colon, ...more] = itemsOf(separators, meter);
  if (comma === undefined || colon === undefined || more.length > 0)
    throw typeError("separators are two texts: between items, and between key and value");
  return [str(comma, meter), str(colon, meter)];
}

export function writeJson(value: Value, style: JsonStyle, meter: Meter): string {
  const { indent, sortKeys = false, ascii = true, convert } = style;
  const [comma, colon] = style.separators ?? [indent === undefined ? ", " : ",", ": "];
  const out = new Pieces(meter);
  const open: Value[] = [];
  const converted: Value[] = [];
  const line = (): void => {
    if (indent !== undefined) out.put(`\n${indent.repeat(open.length)}`);
  };
  const nested = (value: Value, begin: string, end: string, count: number, each: () => void): void => {
    if (count === 0) {
      out.put(begin + end);
      return;
    }
    if (open.includes(value)) throw valueError("Circular reference detected");
    checkDepth(open.length + 1, meter);
    out.put(begin);
    open.push(value);
    each();
    open.pop();
    line();
    out.put(end);
  };
  const list = (value: Value, items: readonly Value[]): void =>
    nested(value, "[", "]", items.length, () => {
      items.forEach((item, i) => {
        if (i > 0) out.put(comma);
        line();
        visit(item);
      });
    });
  const dict = (value: PyDict): void =>
    nested(value, "{", "}", value.size, () => {
      const entries = value.entries();
      if (sortKeys) entries.sort(([a], [b]) => (compare("<", a, b) ? -1 : 1));
      entries.forEach(([key, item], i) => {
        if (i > 0) out.put(comma);
        line();
        out.put(jsonText(keyText(key), ascii));
        out.put(colon);
        visit(item);
      });
    });
  const visit = (value: Value): void => {
    if (typeof value === "string") out.put(jsonText(value, ascii));
    else if (Array.isArray(value)) list(value, value);
    else if (value instanceof PyDict) dict(value);
    else if (value instanceof PyTuple) list(value, value.items);
    else if (convert === undefined || hasJson(value)) out.put(scalar(value, ascii));
    else {
      if (converted.includes(value)) throw valueError("Circular reference detected");
      checkDepth(converted.length + 1, meter);
      converted.push(value);
      visit(convert(value));
      converted.pop();
    }
  };
  visit(value);
  return out.text();
}

const hasJson = (value: Value): boolean =>
  value === null || typeof value !== "object" || value instanceof PyFloat || value instanceof Markup;

function scalar(value: Value, ascii: boolean): string {
  if (value === null) return "null";
  if (typeof value === "boolean") return value ? "true" : "false";
  if (typeof value === "number" || typeof value === "bigint") return intText(value);
  if (value instanceof PyFloat) return jsonFloat(value.value);
  if (value instanceof Markup) return jsonText(value.value, ascii);
  if (value instanceof Undefined)
    throw typeError(`Object of type ${value.typeName} is not JSON serializable`);
  const hint = value instanceof PyView ? " (make it a list first)" : "";
  throw typeError(`Object of type ${typeName(value)} is not JSON serializable${hint}`);
}

function jsonFloat(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "Infinity" : "-Infinity";
  return floatRepr(value);
}

function keyText(key: Value): string {
  if (typeof key === "string") return key;
  if (key instanceof Markup) return key.value;
  if (key === null || typeof key !== "object" || key instanceof PyFloat) return scalar(key, false);
  throw typeError(`keys must be str, int, float, bool or None, not ${typeName(key)}`);
}

/** JSON.stringify escapes what Python does, except DEL and non-ASCII characters if `ascii` is set. */
export function jsonText(text: string, ascii: boolean): string {
  const quoted = JSON.stringify(text);
  if (!ascii) return quoted;
  return quoted.replace(/[^\0-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
