/** Filters for numbers. */

import {
  arithmetic,
  attempt,
  fixed,
  isInt,
  isText,
  negate,
  PyFloat,
  roundTo,
  toFloatValue,
  toInteger,
  typeError,
  typeName,
  type Value,
} from "../../python/index.ts";
import { argumentError, define, type FilterEntries, integer } from "./define.ts";
import type { FilterContext } from "./kinds.ts";

/** Returns `undefined` on TypeError, ValueError and the given exceptions. */
const converted = <T>(convert: () => T, ...otherErrors: string[]): T | undefined =>
  attempt<T | undefined>(convert, () => undefined, "TypeError", "ValueError", ...otherErrors);

function toIntOr(value: Value, absent: Value, base: number): Value {
  // An invalid base is not an error: the text is then parsed as a float.
  const isValidBase = base === 0 || (base >= 2 && base <= 36);
  const number =
    converted(() =>
      isText(value) ? (isValidBase ? toInteger(value, base) : undefined) : toInteger(value),
    ) ?? converted(() => toInteger(toFloatValue(value)), "OverflowError");
  return number === undefined ? absent : number;
}

function absolute(value: Value): Value {
  if (value instanceof PyFloat) return new PyFloat(Math.abs(value.value));
  if (typeof value === "boolean") return Number(value);
  if (!isInt(value)) throw typeError(`bad operand type for abs(): '${typeName(value)}'`);
  return value < 0 ? negate(value) : value;
}

function rounded(value: Value, digits: Value, method: Value, { meter }: FilterContext): Value {
  if (method === "common") {
    const result = roundTo(value, digits === null ? 0 : integer(digits));
    // Without a precision, Python returns an integer.
    return digits === null && result instanceof PyFloat ? toInteger(result) : result;
  }
  const precision = integer(digits);
  if (method !== "ceil" && method !== "floor") throw argumentError("method must be common, ceil or floor");
  const scale = arithmetic["**"](10, precision, meter);
  const scaled = arithmetic["*"](value, scale, meter);
  if (!(scaled instanceof PyFloat) && !isInt(scaled))
    throw typeError(`must be real number, not ${typeName(value)}`);
  const roundedInt = scaled instanceof PyFloat ? toInteger(new PyFloat(Math[method](scaled.value))) : scaled;
  return arithmetic["/"](roundedInt, scale, meter);
}

function fileSize(value: Value, binary: boolean): string {
  const bytes = toFloatValue(value).value;
  const base = binary ? 1024 : 1000;
  if (bytes === 1) return "1 Byte";
  if (bytes < base) return `${toInteger(new PyFloat(bytes))} Bytes`;
  let text = "";
  for (const [i, letter] of [..."KMGTPEZY"].entries()) {
    // An exact integer: floats are inexact from 10 ** 23 on.
    const unit = BigInt(base) ** BigInt(i + 2);
    const prefix = binary ? `${letter}i` : letter.replace("K", "k");
    text = `${fixed((base * bytes) / Number(unit), 1)} ${prefix}B`;
    if (bytes < unit) break;
  }
  return text;
}

export const numberFilters: FilterEntries = [
  define("abs", "defined", "", absolute),
  define("int", "defined", "default = 0, base: int = 10", toIntOr),
  define(
    "float",
    "defined",
    "default = 0.0",
    (value, absent) => converted(() => toFloatValue(value)) ?? absent,
  ),
  define("round", "defined", "precision = 0, method = 'common'", rounded),
  define("filesizeformat", "defined", "binary: flag = false", fileSize),
].flat();
