/** `str` and `repr` of any value, nested ones included. */
import { escapedChar } from "./codepoints.ts";
import { PyDict, PySet } from "./dict.ts";
import { overflowError } from "./errors.ts";
import { floatRepr } from "./floats.ts";
import { limitError, type Meter } from "./limits.ts";
import { Markup, PyFloat, PyTuple, type Value } from "./values.ts";

/** Python refuses to print longer ones too (4300 digits). */
const MAX_INT_BITS = 14_284n;

export function str(value: Value, meter: Meter): string {
  switch (typeof value) {
    case "string":
      return value;
    case "number":
      return String(value);
    case "boolean":
      return value ? "True" : "False";
    case "bigint":
      return intText(value);
    default:
      if (value === null) return "None";
      if (Array.isArray(value)) return repr(value, meter);
      if (value instanceof PyFloat) return floatRepr(value.value);
      if (value instanceof Markup) return value.value;
      return value instanceof PyDict || value instanceof PyTuple || value instanceof PySet
        ? repr(value, meter)
        : value.str(meter);
  }
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
    default:
      break;
  }
  if (value === null) return "None";
  const parts: string[] = [];
  const open: Value[] = [];
  let length = 0;
  const put = (text: string): void => {
    length += text.length;
    if (length > meter.limits.stringChars) meter.text(length);
    parts.push(text);
  };
  const list = (items: readonly Value[], begin: string, end: string): void => {
    put(begin);
    meter.step(items.length);
    for (let i = 0; i < items.length; i++) {
      if (i > 0) put(", ");
      visit(items[i] as Value);
    }
    put(end);
  };
  const nested = (one: Value, circular: string, body: () => void): void => {
    if (open.includes(one)) {
      put(circular);
      return;
    }
    if (open.length > meter.limits.depth)
      throw limitError(`a value nested deeper than ${meter.limits.depth} levels`);
    open.push(one);
    body();
    open.pop();
  };
  const dict = (one: PyDict): void => {
    put("{");
    meter.step(one.size);
    let first = true;
    for (const [key, item] of one.entries()) {
      if (!first) put(", ");
      first = false;
      visit(key);
      put(": ");
      visit(item);
    }
    put("}");
  };
  const visit = (one: Value): void => {
    if (one === null || typeof one !== "object") put(repr(one, meter));
    else if (Array.isArray(one)) nested(one, "[...]", () => list(one, "[", "]"));
    else if (one instanceof PyFloat) put(floatRepr(one.value));
    else if (one instanceof Markup) put(`Markup(${textRepr(one.value)})`);
    else if (one instanceof PyDict) nested(one, "{...}", () => dict(one));
    else if (one instanceof PySet && one.size === 0) put("set()");
    else if (one instanceof PySet) nested(one, "set(...)", () => list(one.values(), "{", "}"));
    else if (one instanceof PyTuple) {
      nested(one, "(...)", () => list(one.items, "(", one.items.length === 1 ? ",)" : ")"));
    } else put(one.repr(meter));
  };
  visit(value);
  return parts.join("");
}

export function intText(value: number | bigint): string {
  if (typeof value === "bigint" && (value < 0n ? -value : value) >> MAX_INT_BITS > 0n) {
    throw overflowError("Exceeds the limit (4300 digits) for integer string conversion");
  }
  return String(value);
}

const PLAIN = /^[ !#-&(-[\]-~]*$/;

/** `repr` of a str: quotes as Python chooses them, unprintable characters escaped. */
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

/** `ascii(value)`, of the text that `repr` gives. */
export function asciiRepr(text: string): string {
  return text.replace(/[^\0-\x7f]/gu, escapedChar);
}
