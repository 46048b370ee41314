/** Filters for quantities: human-readable sizes, logarithms, powers and roots. */

import {
  fixed,
  isInt,
  overflowError,
  PyError,
  PyFloat,
  power,
  roundFloat,
  toInteger,
  typeName,
  Undefined,
  type Value,
  valueError,
  zeroDivision,
} from "../../python/index.ts";
import { define, type FilterEntries, filterError, plainText } from "../filters/define.ts";
import type { FilterContext } from "../filters/kinds.ts";

const UNITS = ["B", "K", "M", "G", "T", "P", "E", "Z", "Y"];

function numberOf(value: Value): number {
  if (value instanceof Undefined) return value.fail();
  if (value instanceof PyFloat) return value.value;
  if (isInt(value) || typeof value === "boolean") return Number(value);
  throw new PyError("AnsibleFilterTypeError", `a number is needed, not ${typeName(value)}`);
}

function readable(size: number, bits: boolean, unit: string | null): string {
  const unitIndex =
    unit === null ? UNITS.findLastIndex((_, i) => size >= 1024 ** i) : UNITS.indexOf(unit.toUpperCase());
  const at = Math.max(0, unitIndex);
  const plain = bits ? "bits" : "Bytes";
  const name = at === 0 ? plain : `${UNITS[at]}${bits ? "b" : "B"}`;
  return `${size < 0 || Object.is(size, -0) ? "-" : ""}${fixed(Math.abs(size) / 1024 ** at, 2)} ${name}`;
}

const SIZE = /^\s*(\d+\.?\d*|\.\d+)\s*([A-Za-z]+)?/;

/** Units such as `K`, `KB`, `kilobyte`; with bits `Kb`, `kilobit`. */
function unitSize(unit: string, bits: boolean): number {
  const at = UNITS.indexOf(unit.slice(0, 1).toUpperCase());
  const word = bits ? "bit" : "byte";
  const letter = bits ? "b" : "B";
  const isKnownUnit = unit.length === 1 || unit.slice(1) === letter || unit.toLowerCase().includes(word);
  if (at < 0 || !isKnownUnit) throw filterError(`'${unit}' is not a unit of ${word}s`);
  return 1024 ** at;
}

function toBytes(value: Value, absent: string | null, bits: boolean, context: FilterContext): Value {
  const text = plainText(value, context);
  const match = SIZE.exec(text);
  if (match === null) throw filterError(`'${text}' is not a size`);
  const unit = match[2] ?? absent ?? "";
  const bytes = Number(match[1]) * (unit === "" ? 1 : unitSize(unit, bits));
  return toInteger(new PyFloat(roundFloat(bytes, 0)));
}

function logarithm(value: number, givenBase: Value): PyFloat {
  const base = numberOf(givenBase);
  if (value <= 0 || base <= 0) throw valueError("math domain error");
  if (base === 1) throw zeroDivision("float division by zero");
  if (base === Math.E) return new PyFloat(Math.log(value));
  return new PyFloat(base === 10 ? Math.log10(value) : Math.log(value) / Math.log(base));
}

function raised(base: number, exponent: number): PyFloat {
  const result = power(base, exponent);
  if (Number.isNaN(result) && !Number.isNaN(base) && !Number.isNaN(exponent))
    throw valueError("math domain error");
  if (base === 0 && exponent < 0) throw valueError("math domain error");
  if (!Number.isFinite(result) && Number.isFinite(base) && Number.isFinite(exponent))
    throw overflowError("math range error");
  return new PyFloat(result);
}

function root(number: number, base: Value): PyFloat {
  const degree = numberOf(base);
  if (degree === 0) throw zeroDivision("float division by zero");
  if (degree !== 2) return raised(number, 1 / degree);
  if (number < 0) throw valueError("math domain error");
  return new PyFloat(Math.sqrt(number));
}

export const sizeFilters: FilterEntries = [
  define("human_readable", numberOf, "isbits: flag = false, unit: text = none", readable),
  define("human_to_bytes", "defined", "default_unit: text = none, isbits: flag = false", toBytes),
  define("log", numberOf, "base = 2.718281828459045", logarithm),
  define("pow", numberOf, "y", (value, exponent) => raised(value, numberOf(exponent))),
  define("root", numberOf, "base = 2", root),
].flat();
