/** `int(x)` and `float(x)`: the numbers that Python accepts. */
import { overflowError, typeError, valueError } from "../errors.ts";
import { limitError } from "../limits.ts";
import { textRepr } from "../text/repr.ts";
import { isText, PyFloat, PyObject, textOf, toInt, typeName, type Value } from "../values/values.ts";

const MAX_DIGITS = 4300;
const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz";

/** Converts decimal digits of other scripts to ASCII, as `int()` and `float()` accept them. */
export function asciiDigits(text: string): string {
  if (!/[^\0-\x7f]/.test(text)) return text;
  return text.replace(/\p{Nd}/gu, (char) => {
    let zero = char.codePointAt(0) ?? 0;
    const code = zero;
    while (code - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--;
    return code < 0x80 ? char : String((code - zero) % 10);
  });
}

/** Parses an int, with Python's underscores, signs, white space and prefixes; `undefined` if invalid. */
export function parseInteger(source: string, base = 10): number | bigint | undefined {
  // Fast path for short numbers: ten times faster than bigint.
  if (base === 10 && /^[0-9]{1,15}$/.test(source)) return Number(source);
  const text = asciiDigits(source).trim().toLowerCase();
  const match = /^([+-]?)(0[xob])?(_?[0-9a-z]+(?:_[0-9a-z]+)*)$/.exec(text);
  if (match === null) return undefined;
  const [, sign = "", prefix = "", body = ""] = match;
  const prefixed = { "0x": 16, "0o": 8, "0b": 2 }[prefix];
  let radix = base;
  let digits = body;
  if (base === 0) {
    radix = prefixed ?? 10;
    if (prefix === "" && /^0[0_]*[1-9]/.test(body)) return undefined;
  } else if (prefix !== "" && prefixed !== base) {
    digits = prefix + body;
  }
  if (prefix === "" && digits.startsWith("_")) return undefined;
  digits = digits.replaceAll("_", "");
  if (digits.length > MAX_DIGITS) throw limitError(`an integer of more than ${MAX_DIGITS} digits`);
  const value = digitsValue(digits, radix);
  if (value === undefined) return undefined;
  return toInt(sign === "-" ? -value : value);
}

function digitsValue(digits: string, radix: number): bigint | undefined {
  for (const char of digits) {
    const digit = DIGITS.indexOf(char);
    if (digit < 0 || digit >= radix) return undefined;
  }
  if (radix === 10) return BigInt(digits);
  let value = 0n;
  for (const char of digits) value = value * BigInt(radix) + BigInt(DIGITS.indexOf(char));
  return value;
}

const FLOAT = /^[+-]?(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:e[+-]?\d+(?:_\d+)*)?$/;

/** Parses a float; `undefined` if invalid. */
export function parseFloatText(source: string): number | undefined {
  const text = asciiDigits(source).trim().toLowerCase();
  if (FLOAT.test(text)) return Number(text.replaceAll("_", ""));
  const special = /^([+-]?)(inf|infinity|nan)$/.exec(text);
  if (special === null) return undefined;
  if (special[2] === "nan") return Number.NaN;
  return special[1] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

/** `int(value, base)`. */
export function toInteger(value: Value, base = 10): number | bigint {
  if (isText(value)) {
    const text = textOf(value);
    const parsed = parseInteger(text, base);
    if (parsed === undefined) {
      throw valueError(`invalid literal for int() with base ${base}: ${textRepr(text)}`);
    }
    return parsed;
  }
  if (typeof value === "number" || typeof value === "bigint") return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (value instanceof PyFloat) {
    const float = value.value;
    if (Number.isNaN(float)) throw valueError("cannot convert float NaN to integer");
    if (!Number.isFinite(float)) throw overflowError("cannot convert float infinity to integer");
    const integer = Math.trunc(float) + 0;
    return Number.isSafeInteger(integer) ? integer : BigInt(integer);
  }
  if (value instanceof PyObject && value.int !== undefined) return toInt(value.int());
  throw typeError(
    `int() argument must be a string, a bytes-like object or a real number, not '${typeName(value)}'`,
  );
}

/** `float(value)`. */
export function toFloatValue(value: Value): PyFloat {
  if (isText(value)) {
    const parsed = parseFloatText(textOf(value));
    if (parsed === undefined)
      throw valueError(`could not convert string to float: ${textRepr(textOf(value))}`);
    return new PyFloat(parsed);
  }
  if (value instanceof PyFloat) return value;
  if (typeof value === "boolean") return new PyFloat(value ? 1 : 0);
  if (typeof value === "number" || typeof value === "bigint") {
    const float = Number(value);
    if (!Number.isFinite(float)) throw overflowError("int too large to convert to float");
    return new PyFloat(float);
  }
  throw typeError(`float() argument must be a string or a real number, not '${typeName(value)}'`);
}
