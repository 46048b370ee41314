/** Filters for numbers. */
import { divide, multiply, negate, power } from "../../python/arith.ts";
import { PyError, typeError, valueError } from "../../python/errors.ts";
import { fixed, roundFloat } from "../../python/floats.ts";
import { toFloatValue, toInteger } from "../../python/numbers.ts";
import { isInt, isText, PyFloat, toInt, typeName, Undefined, type Value } from "../../python/values.ts";
import type { FilterContext } from "../filter.ts";
import { argumentError, type Entry, filter, flag, integer } from "./define.ts";

/** `undefined` where Python raises TypeError or ValueError. */
function attempt<T>(convert: () => T): T | undefined {
  try {
    return convert();
  } catch (error) {
    if (error instanceof PyError && (error.pythonType === "TypeError" || error.pythonType === "ValueError")) {
      return undefined;
    }
    throw error;
  }
}

function toIntOr(value: Value, absent: Value, base: number): Value {
  if (value instanceof Undefined) return value.fail();
  const number =
    attempt(() => (isText(value) ? toInteger(value, base) : toInteger(value))) ??
    attempt(() => toInteger(toFloatValue(value)));
  return number === undefined ? absent : number;
}

/** What is rounded to nothing keeps its sign. */
function withSign(result: number, value: number): number {
  return result === 0 && (value < 0 || Object.is(value, -0)) ? -0 : result;
}

function rounded(value: Value, precision: number): Value {
  if (value instanceof PyFloat) return new PyFloat(withSign(roundFloat(value.value, precision), value.value));
  const number = typeof value === "boolean" ? Number(value) : value;
  if (value instanceof Undefined) return value.fail();
  if (!isInt(number)) throw typeError(`type ${typeName(value)} doesn't define __round__ method`);
  if (precision >= 0) return number;
  const unit = 10n ** BigInt(Math.min(-precision, 400));
  const size = BigInt(number) < 0n ? -BigInt(number) : BigInt(number);
  const rest = size % unit;
  const up = rest * 2n > unit || (rest * 2n === unit && (size / unit) % 2n === 1n);
  const result = size - rest + (up ? unit : 0n);
  return toInt(BigInt(number) < 0n ? -result : result);
}

function roundedTowards(
  value: Value,
  precision: number,
  method: "ceil" | "floor",
  { meter }: FilterContext,
): Value {
  const scale = power(10, precision, meter);
  const scaled = multiply(value, scale, meter);
  if (!(scaled instanceof PyFloat) && !isInt(scaled))
    throw typeError(`must be real number, not ${typeName(value)}`);
  const whole = scaled instanceof PyFloat ? toInteger(new PyFloat(Math[method](scaled.value))) : scaled;
  return divide(whole, scale, meter);
}

function fileSize(value: Value, binary: boolean): string {
  const bytes = toFloatValue(value).value;
  const base = binary ? 1024 : 1000;
  if (bytes === 1) return "1 Byte";
  if (bytes < base) return `${toInteger(new PyFloat(bytes))} Bytes`;
  const prefixes = ["k", "M", "G", "T", "P", "E", "Z", "Y"].map((one) =>
    binary ? `${one.toUpperCase()}iB` : `${one}B`,
  );
  let text = "";
  for (let i = 0; i < prefixes.length; i++) {
    const unit = base ** (i + 2);
    text = `${fixed((base * bytes) / unit, 1)} ${prefixes[i]}`;
    if (bytes < unit) break;
  }
  return text;
}

export const numberFilters: readonly Entry[] = [
  filter("abs", [], (value) => {
    if (value instanceof PyFloat) return new PyFloat(Math.abs(value.value));
    if (typeof value === "boolean") return Number(value);
    if (value instanceof Undefined) return value.fail();
    if (!isInt(value)) throw typeError(`bad operand type for abs(): '${typeName(value)}'`);
    return value < 0 ? negate(value) : value;
  }),
  filter("int", ["default?", "base?"], (value, [absent = 0, base]) => {
    const radix = integer(base, 10);
    if (isText(value) && radix !== 0 && (radix < 2 || radix > 36))
      throw valueError("int() base must be >= 2 and <= 36, or 0");
    return toIntOr(value, absent, radix);
  }),
  filter("float", ["default?"], (value, [absent = new PyFloat(0)]) => {
    if (value instanceof Undefined) return value.fail();
    return attempt(() => toFloatValue(value)) ?? absent;
  }),
  filter("round", ["precision?", "method?"], (value, [precision, method = "common"], context) => {
    const digits = integer(precision, 0);
    if (method === "common") return rounded(value, digits);
    if (method !== "ceil" && method !== "floor") throw argumentError("method must be common, ceil or floor");
    return roundedTowards(value, digits, method, context);
  }),
  filter("filesizeformat", ["binary?"], (value, [binary]) => {
    if (value instanceof Undefined) return value.fail();
    return fileSize(value, flag(binary));
  }),
];
