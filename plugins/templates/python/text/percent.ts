/** `template % values`: printf-style formatting. */

import { overflowError, typeError, valueError } from "../errors.ts";
import type { Meter } from "../limits.ts";
import { toInteger } from "../numbers/numbers.ts";
import { PyDict } from "../values/dict.ts";
import { PyRange } from "../values/iterate.ts";
import { MissingKey } from "../values/key-error.ts";
import { getItem } from "../values/slice.ts";
import {
  isInt,
  isText,
  Markup,
  PyFloat,
  PyObject,
  PyTuple,
  textOf,
  typeName,
  Undefined,
  type Value,
} from "../values/values.ts";
import { textLength } from "./codepoints.ts";
import { cut, type FormatSpec, formatFloat, layOut, pad } from "./formatspec.ts";
import { escapeHtml } from "./html.ts";
import { asciiRepr, intText, repr, str } from "./repr.ts";

const FIELD = /%(?:\(((?:[^()]|\([^()]*\))*)\))?([-+ #0]*)(\*|\d+)?(?:\.(\*|\d*))?[hlL]?(.)?/gsu;

/** Formats a str, or a Markup, which escapes its values. */
export function percentFormat(template: string | Markup, values: Value, meter: Meter): string | Markup {
  if (template instanceof Markup) return new Markup(formatted(template.value, values, true, meter));
  return formatted(template, values, false, meter);
}

interface Source {
  next(): Value;
  keyed(key: string): Value;
  done(): boolean;
}

function sourceOf(values: Value, meter: Meter): Source {
  const list = values instanceof PyTuple ? values.items : [values];
  let used = 0;
  return {
    next() {
      const value = list[used++];
      if (value === undefined) throw typeError("not enough arguments for format string");
      return value;
    },
    keyed(key) {
      if (!(values instanceof PyDict) && !(values instanceof PyObject && values.getitem !== undefined)) {
        throw typeError("format requires a mapping");
      }
      used = list.length;
      const value = getItem(values, key, meter);
      if (value === undefined) throw new MissingKey(key, meter);
      return value;
    },
    done: () =>
      used >= list.length ||
      Array.isArray(values) ||
      values instanceof PyRange ||
      values instanceof Undefined ||
      (!(values instanceof PyTuple) && values instanceof PyObject && values.getitem !== undefined),
  };
}

function formatted(template: string, values: Value, html: boolean, meter: Meter): string {
  const source = sourceOf(values, meter);
  let length = template.length;
  const result = template.replace(FIELD, (...match: (string | undefined)[]): string => {
    const [, key, flags = "", width, precision, type] = match;
    if (type === undefined) throw valueError("incomplete format");
    if (match[0] === "%%") return "%";
    const spec = readSpec(type, flags, width, precision, source);
    const text = field(key === undefined ? source.next() : source.keyed(key), spec, html, meter);
    length += text.length;
    meter.step();
    if (length > meter.limits.stringChars) meter.text(length);
    return text;
  });
  if (!source.done()) throw typeError("not all arguments converted during string formatting");
  return result;
}

function readSpec(
  type: string,
  flags: string,
  width: string | undefined,
  precision: string | undefined,
  source: Source,
): FormatSpec {
  const size = Number(width === "*" ? starred(source) : (width ?? 0));
  const digits =
    precision === undefined
      ? undefined
      : Math.max(0, precision === "*" ? starred(source) : Number(precision));
  if (digits !== undefined && digits > 10_000) throw valueError("precision too big");
  const left = size < 0 || flags.includes("-");
  const zero = flags.includes("0") && !left;
  return {
    fill: zero ? "0" : " ",
    align: left ? "<" : zero ? "=" : ">",
    sign: flags.includes("+") ? "+" : flags.includes(" ") ? " " : "",
    alternate: flags.includes("#"),
    zero,
    width: Math.abs(size),
    grouping: "",
    precision: digits,
    type,
  };
}

function starred(source: Source): number {
  const raw = source.next();
  const value = typeof raw === "boolean" ? Number(raw) : raw;
  if (!isInt(value)) throw typeError("* wants int");
  return Number(value);
}

function field(value: Value, spec: FormatSpec, html: boolean, meter: Meter): string {
  const { type } = spec;
  switch (type) {
    case "s":
      return textField(html ? safe(value, meter) : str(value, meter), spec, meter);
    case "r":
      return textField(html ? escapeHtml(repr(value, meter)) : repr(value, meter), spec, meter);
    case "a":
      return textField(asciiRepr(repr(value, meter)), spec, meter);
    case "c":
      return textField(character(value), { ...spec, precision: undefined }, meter);
  }
  if ("diuoxX".includes(type)) return intField(value, spec, meter);
  if ("eEfFgG".includes(type)) return floatField(value, spec, meter);
  const code = (type.codePointAt(0) ?? 0).toString(16);
  throw valueError(`unsupported format character '${type}' (0x${code})`);
}

function safe(value: Value, meter: Meter): string {
  return value instanceof Markup ? value.value : escapeHtml(str(value, meter));
}

function textField(text: string, spec: FormatSpec, meter: Meter): string {
  return pad(cut(text, spec), spec.width, spec.align === "<" ? "<" : ">", " ", meter);
}

function character(raw: Value): string {
  const value = typeof raw === "boolean" ? Number(raw) : raw;
  if (isInt(value)) {
    if (value < 0 || value > 0x10ffff) throw overflowError("%c arg not in range(0x110000)");
    return String.fromCodePoint(Number(value));
  }
  const text = isText(value) ? textOf(value) : "";
  if (textLength(text) !== 1) throw typeError("%c requires int or char");
  return text;
}

function intField(value: Value, spec: FormatSpec, meter: Meter): string {
  const { type, precision, alternate } = spec;
  const number = typeof value === "boolean" ? (value ? 1 : 0) : value;
  const decimal = "diu".includes(type);
  if (decimal && number instanceof Undefined) throw number.fail();
  if (!isInt(number) && !(decimal && number instanceof PyFloat)) {
    const expected = decimal ? "a real number" : "an integer";
    throw typeError(`%${type} format: ${expected} is required, not ${typeName(value)}`);
  }
  const int = isInt(number) ? number : toInteger(number);
  const size = int < 0 ? -int : int;
  let digits = decimal ? intText(size) : size.toString(type === "o" ? 8 : 16);
  if (type === "X") digits = digits.toUpperCase();
  if (precision !== undefined) digits = digits.padStart(precision, "0");
  return layOut(int < 0, !decimal && alternate ? `0${type}` : "", digits, "", spec, 3, meter);
}

function floatField(value: Value, spec: FormatSpec, meter: Meter): string {
  const number =
    typeof value === "boolean" ? (value ? 1 : 0) : value instanceof PyFloat ? value.value : value;
  if (typeof number !== "number" && typeof number !== "bigint") {
    throw value instanceof Undefined
      ? value.fail()
      : typeError(`must be real number, not ${typeName(value)}`);
  }
  return formatFloat(Number(number), spec, meter);
}
