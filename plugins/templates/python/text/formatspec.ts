/** The format mini-language: `format(value, spec)` of str, int and float. */

import { typeError, valueError } from "../errors.ts";
import type { Meter } from "../limits.ts";
import { fixed, floatRepr, pythonExponent, significant } from "../numbers/floats.ts";
import { Markup, PyFloat, PyObject, typeName, type Value } from "../values/values.ts";
import { textLength, textSlice } from "./codepoints.ts";
import { intText, str } from "./repr.ts";

export interface FormatSpec {
  readonly fill: string;
  readonly align: string;
  readonly sign: string;
  readonly alternate: boolean;
  /** Option `z`: a result that rounds to zero loses its sign. */
  readonly plainZero?: boolean;
  readonly zero: boolean;
  readonly width: number;
  readonly grouping: string;
  readonly precision: number | undefined;
  readonly type: string;
}

const SPEC = /^(?:([\s\S])?([<>=^]))?([-+ ])?(z)?(#)?(0)?(\d+)?([,_])?(?:\.(\d+))?(.)?$/u;
/** Python's own limit is far above the length that text may have here. */
const MAX_PRECISION = 10_000;

function parseSpec(spec: string, kind: string): FormatSpec {
  const match = SPEC.exec(spec);
  if (match === null) throw valueError(`Invalid format specifier '${spec}' for object of type '${kind}'`);
  const [, fill, align, sign = "", z, hash, zero, width = "0", grouping = "", precision, type = ""] = match;
  return {
    fill: fill ?? (zero === undefined ? " " : "0"),
    align: align ?? "",
    sign,
    alternate: hash !== undefined,
    plainZero: z !== undefined,
    zero: zero !== undefined,
    width: Number(width),
    grouping,
    precision: precision === undefined ? undefined : limited(Number(precision)),
    type,
  };
}

function limited(precision: number): number {
  if (precision > MAX_PRECISION) throw valueError("precision too big");
  return precision;
}

/** `format(value, spec)`. */
export function formatValue(value: Value, spec: string, meter: Meter): string {
  if (spec === "") return str(value, meter);
  if (typeof value === "string") return formatText(value, parseSpec(spec, "str"), meter);
  if (value instanceof Markup) return formatText(value.value, parseSpec(spec, "str"), meter);
  if (typeof value === "number" || typeof value === "bigint") {
    return formatInt(value, parseSpec(spec, "int"), meter);
  }
  if (typeof value === "boolean") return formatInt(value ? 1 : 0, parseSpec(spec, "bool"), meter);
  if (value instanceof PyFloat) return formatFloat(value.value, parseSpec(spec, "float"), meter);
  if (value instanceof PyObject && value.format !== undefined) return value.format(spec, meter);
  throw typeError(`unsupported format string passed to ${typeName(value)}.__format__`);
}

function unknownType(type: string, kind: string): Error {
  return valueError(`Unknown format code '${type}' for object of type '${kind}'`);
}

export function pad(text: string, width: number, align: string, fill: string, meter: Meter): string {
  const missing = width - textLength(text);
  if (missing <= 0) return text;
  meter.text(width * fill.length);
  if (align === "<") return text + fill.repeat(missing);
  if (align === "^") {
    const left = Math.floor(missing / 2);
    return fill.repeat(left) + text + fill.repeat(missing - left);
  }
  return fill.repeat(missing) + text;
}

function formatText(text: string, spec: FormatSpec, meter: Meter): string {
  if (spec.type !== "" && spec.type !== "s") throw unknownType(spec.type, "str");
  if (spec.sign !== "") throw valueError("Sign not allowed in string format specifier");
  if (spec.plainZero === true)
    throw valueError("Negative zero coercion (z) not allowed in string format specifier");
  if (spec.alternate) throw valueError("Alternate form (#) not allowed in string format specifier");
  if (spec.align === "=") throw valueError("'=' alignment not allowed in string format specifier");
  if (spec.grouping !== "") throw valueError(`Cannot specify '${spec.grouping}' with 's'.`);
  return pad(cut(text, spec), spec.width, spec.align || "<", spec.fill, meter);
}

/** Truncates text to the precision. */
export function cut(text: string, { precision }: FormatSpec): string {
  return precision === undefined ? text : textSlice(text, 0, Math.min(precision, textLength(text)));
}

const RADIX: Record<string, number> = { b: 2, o: 8, d: 10, n: 10, x: 16, X: 16 };

function formatInt(value: number | bigint, spec: FormatSpec, meter: Meter): string {
  const type = spec.type || "d";
  if ("eEfFgG%".includes(type)) return formatFloat(Number(value), { ...spec, type }, meter);
  if (spec.precision !== undefined) throw valueError("Precision not allowed in integer format specifier");
  if (spec.plainZero === true)
    throw valueError("Negative zero coercion (z) not allowed in integer format specifier");
  if (
    spec.grouping !== "" &&
    (type === "c" || type === "n" || (spec.grouping === "," && "boxX".includes(type)))
  ) {
    throw valueError(`Cannot specify '${spec.grouping}' with '${type}'.`);
  }
  if (type === "c") {
    if (spec.sign !== "") throw valueError("Sign not allowed with integer format specifier 'c'");
    if (spec.alternate) throw valueError("Alternate form (#) not allowed with integer format specifier 'c'");
    const code = Number(value);
    if (code < 0 || code > 0x10ffff) throw valueError("%c arg not in range(0x110000)");
    return layOut(false, "", String.fromCodePoint(code), "", spec, 3, meter);
  }
  const radix = RADIX[type];
  if (radix === undefined) throw unknownType(type, "int");
  const size = value < 0 ? -value : value;
  let digits = radix === 10 ? intText(size) : size.toString(radix);
  if (type === "X") digits = digits.toUpperCase();
  const prefix = spec.alternate && radix !== 10 ? `0${type}` : "";
  return layOut(value < 0, prefix, digits, "", spec, radix === 10 ? 3 : 4, meter);
}

export function formatFloat(value: number, spec: FormatSpec, meter: Meter): string {
  const { type } = spec;
  if (type !== "" && !"eEfFgGn%".includes(type)) throw unknownType(type, "float");
  if (type === "n" && spec.grouping !== "") throw valueError(`Cannot specify '${spec.grouping}' with 'n'.`);
  const body =
    type === "" ? plainFloat(value, spec) : floatBody(value, type, spec.precision ?? 6, spec.alternate);
  const isZero = spec.plainZero === true && !/[1-9]/.test(body.split(/e/i)[0] ?? "");
  const negative = !isZero && (value < 0 || Object.is(value, -0));
  const match = /^(\d+)(.*)$/.exec(body);
  if (match === null) return layOut(negative, "", body, "", { ...spec, grouping: "" }, 3, meter);
  return layOut(negative, "", match[1] ?? "", match[2] ?? "", spec, 3, meter);
}

function plainFloat(value: number, spec: FormatSpec): string {
  if (!Number.isFinite(value)) return floatRepr(Math.abs(value));
  if (spec.precision === undefined) {
    const text = floatRepr(Math.abs(value));
    return spec.alternate && !text.includes(".") ? text.replace("e", ".e") : text;
  }
  const { digits, exponent } = significant(value, Math.max(1, spec.precision));
  if (exponent >= -4 && exponent < Math.max(1, spec.precision)) {
    // At least one digit follows the point; if the precision leaves no room, use the exponent.
    if (exponent + 1 >= Math.max(1, spec.precision))
      return exponential(spec.alternate ? digits : digits.replace(/(?<=.)0+$/, ""), exponent, spec.alternate);
    const text = general(digits, exponent, Math.max(1, spec.precision), spec.alternate);
    return text.includes(".") ? text : `${text}.0`;
  }
  return general(digits, exponent, Math.max(1, spec.precision), spec.alternate);
}

/** |value| formatted by a float presentation type. */
function floatBody(value: number, type: string, precision: number, alternate: boolean): string {
  const lower = type.toLowerCase();
  if (!Number.isFinite(value)) {
    const name = Number.isNaN(value) ? "nan" : "inf";
    return (type !== lower ? name.toUpperCase() : name) + (type === "%" ? "%" : "");
  }
  let text: string;
  if (type === "%") {
    const percent = fixed(value * 100, precision);
    return `${alternate && precision === 0 ? `${percent}.` : percent}%`;
  }
  if (lower === "f") {
    text = fixed(value, precision);
    if (alternate && precision === 0) text += ".";
  } else if (lower === "e") {
    const { digits, exponent } = significant(value, precision + 1);
    text = exponential(digits, exponent, alternate);
  } else {
    const count = Math.max(1, precision);
    const { digits, exponent } = significant(value, count);
    text = general(digits, exponent, count, alternate);
  }
  return type !== lower ? text.toUpperCase() : text;
}

function exponential(digits: string, exponent: number, alternate: boolean): string {
  const rest = digits.slice(1);
  const point = rest === "" && !alternate ? "" : ".";
  return `${digits[0]}${point}${rest}e${pythonExponent(exponent)}`;
}

function general(digits: string, exponent: number, count: number, alternate: boolean): string {
  if (exponent < -4 || exponent >= count) {
    const significant = alternate ? digits : (digits[0] ?? "") + digits.slice(1).replace(/0+$/, "");
    return exponential(significant, exponent, alternate);
  }
  let text: string;
  if (exponent < 0) text = `0.${"0".repeat(-exponent - 1)}${digits}`;
  else {
    const rest = digits.slice(exponent + 1);
    text = rest === "" ? digits + (alternate ? "." : "") : `${digits.slice(0, exponent + 1)}.${rest}`;
  }
  return alternate || !text.includes(".") ? text : text.replace(/\.?0+$/, "");
}

function grouped(digits: string, separator: string, size: number): string {
  if (separator === "") return digits;
  const groups: string[] = [];
  for (let end = digits.length; end > 0; end -= size)
    groups.unshift(digits.slice(Math.max(0, end - size), end));
  return groups.join(separator);
}

export function layOut(
  negative: boolean,
  prefix: string,
  digits: string,
  rest: string,
  spec: FormatSpec,
  groupSize: number,
  meter: Meter,
): string {
  const sign = negative ? "-" : spec.sign === "-" ? "" : spec.sign;
  const head = sign + prefix;
  const align = spec.align || (spec.zero ? "=" : ">");
  let body = grouped(digits, spec.grouping, groupSize);
  if (align !== "=") return pad(head + body + rest, spec.width, align, spec.fill, meter);
  const room = spec.width - head.length - rest.length;
  meter.text(spec.width);
  if (spec.fill === "0" && spec.grouping !== "" && /^\d/.test(digits)) {
    let padded = digits;
    // Zeros are grouped like digits; each pass adds the missing ones, at least one.
    while (body.length < room) {
      padded = padded.padStart(
        padded.length + Math.max(1, Math.floor(((room - body.length) * groupSize) / (groupSize + 1))),
        "0",
      );
      body = grouped(padded, spec.grouping, groupSize);
    }
    return head + body + rest;
  }
  return head + spec.fill.repeat(Math.max(0, room - textLength(body))) + body + rest;
}
