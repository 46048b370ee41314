/** `str` and `repr` of all values, including nested ones. */

import { overflowError } from "../errors.ts";
import { checkDepth, type Meter, Pieces } from "../limits.ts";
import { floatRepr } from "../numbers/floats.ts";
import { PyDict, PySet } from "../values/dict.ts";
import { Markup, PyFloat, PyTuple, type Value } from "../values/values.ts";
import { escapedChar } from "./codepoints.ts";

/** Python also refuses to format larger ones (4300 digits). */
const MAX_INT_BITS = 14_284n;

export function str(value: Value, meter: Meter): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return repr(value, meter);
  if (value instanceof Markup) return value.value;
  const core = [PyDict, PyTuple, PyFloat, PySet].some((kind) => value instanceof kind);
  return core ? repr(value, meter) : value.str(meter);
}

export function repr(value: Value, meter: Meter): string {
  switch (typeof value) {
    case "string":
      return textRepr(value);
    case "number":
      return String(value);
    case "boolean":
      return value ? "True" : "False";
    case "bigint":
      return intText(value);
  }
  if (value === null) return "None";
  if (value instanceof PyFloat) return floatRepr(value.value);
  const out = new Pieces(meter);
  const open: Value[] = [];
  const nested = (container: Value, begin: string, end: string, count: number, body: () => void): void => {
    if (open.includes(container)) {
      out.put(`${begin}...${end === ",)" ? ")" : end}`);
      return;
    }
    checkDepth(open.length, meter);
    meter.step(count);
    open.push(container);
    out.put(begin);
    body();
    out.put(end);
    open.pop();
  };
  const list = (container: Value, items: readonly Value[], begin: string, end: string): void =>
    nested(container, begin, end, items.length, () => {
      for (let i = 0; i < items.length; i++) {
        if (i > 0) out.put(", ");
        visit(items[i] as Value);
      }
    });
  const dict = (container: PyDict): void =>
    nested(container, "{", "}", container.size, () => {
      container.entries().forEach(([key, item], i) => {
        if (i > 0) out.put(", ");
        visit(key);
        out.put(": ");
        visit(item);
      });
    });
  const visit = (item: Value): void => {
    if (item === null || typeof item !== "object" || item instanceof PyFloat) out.put(repr(item, meter));
    else if (Array.isArray(item)) list(item, item, "[", "]");
    else if (item instanceof Markup) out.put(`Markup(${textRepr(item.value)})`);
    else if (item instanceof PyDict) dict(item);
    else if (item instanceof PySet && item.size === 0) out.put("set()");
    else if (item instanceof PySet) list(item, item.values(), "{", "}");
    else if (item instanceof PyTuple && item.isPlain)
      list(item, item.items, "(", item.items.length === 1 ? ",)" : ")");
    else out.put(item.repr(meter));
  };
  visit(value);
  return out.text();
}

export function intText(value: number | bigint): string {
  if (typeof value === "bigint" && (value < 0n ? -value : value) >> MAX_INT_BITS > 0n) {
    throw overflowError("Exceeds the limit (4300 digits) for integer string conversion");
  }
  return String(value);
}

const PLAIN = /^[ !#-&(-[\]-~]*$/;

/** `repr` of a str: Python's choice of quotes, with unprintable characters escaped. */
export function textRepr(text: string): string {
  if (PLAIN.test(text)) return `'${text}'`;
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const body = text.replace(/[\\'"\n\r\t]|(?! )[\p{C}\p{Z}]/gu, (char) => {
    switch (char) {
      case "\\":
        return "\\\\";
      case "'":
      case '"':
        return char === quote ? `\\${char}` : char;
      case "\n":
        return "\\n";
      case "\r":
        return "\\r";
      case "\t":
        return "\\t";
      default:
        return escapedChar(char);
    }
  });
  return quote + body + quote;
}

/** `ascii(value)`, applied to the result of `repr`. */
export function asciiRepr(text: string): string {
  return text.replace(/[^\0-\x7f]/gu, escapedChar);
}
