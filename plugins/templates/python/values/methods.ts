/** Attributes and methods of all values: the only allow-list, so that JavaScript properties are unreachable. */

import { attributeError, overflowError, typeError, valueError } from "../errors.ts";
import type { Meter } from "../limits.ts";
import { floatHex, parts } from "../numbers/floats.ts";
import { bytesMethodNames, intBytes } from "../text/bytes.ts";
import { type FormatSource, formatText } from "../text/format.ts";
import { markupMethods } from "../text/markup.ts";
import { predicateMethods } from "../text/predicates.ts";
import { repr } from "../text/repr.ts";
import { changingMethods } from "../text/strings.ts";
import { findingMethods } from "../text/strings-find.ts";
import { type Bound, type Method, methods } from "./args.ts";
import { PyDict, PySet } from "./dict.ts";
import { dictMethods, setMethods } from "./dicts.ts";
import { numeric } from "./equal.ts";
import { PyRange } from "./iterate.ts";
import { listMethods, tupleMethods } from "./lists.ts";
import {
  type Kwargs,
  Markup,
  PyFloat,
  PyFunction,
  PyObject,
  PyTuple,
  toInt,
  typeName,
  type Value,
} from "./values.ts";

/** Format fields come from keywords or, in `format_map`, from a dictionary. */
const fields = (args: Bound, named: Kwargs | PyDict | undefined, meter: Meter): FormatSource => ({
  args,
  named: (name) => named?.get(name),
  attribute: (value, name) => attribute(value, name, meter),
});

const textMethods: ReadonlyMap<string, Method<string>> = new Map<string, Method<string>>([
  ...changingMethods,
  ...findingMethods,
  ...predicateMethods,
  ...methods<string>({
    "format(*args)": (self, args, meter, kwargs) => formatText(self, fields(args, kwargs, meter), meter),
    "format_map(mapping, /)": (self, [mapping], meter) => {
      if (!(mapping instanceof PyDict)) throw typeError("format_map() wants a dictionary");
      return formatText(self, fields([], mapping, meter), meter);
    },
  }),
]);

const markups = markupMethods(textMethods, attribute);

const intMethods = methods<number | bigint>({
  "bit_length()": (self) => bits(self).length,
  "bit_count()": (self) => bits(self).replaceAll("0", "").length,
  "conjugate()": (self) => self,
  "to_bytes(length?, byteorder?, signed?)": intBytes,
  "as_integer_ratio()": (self) => new PyTuple([self, 1]),
});

function bits(value: number | bigint): string {
  const size = BigInt(value) < 0n ? -BigInt(value) : BigInt(value);
  return size === 0n ? "" : size.toString(2);
}

const floatMethods = methods<PyFloat>({
  "is_integer()": (self) => Number.isInteger(self.value),
  "conjugate()": (self) => self,
  "hex()": (self) => floatHex(self.value),
  "as_integer_ratio()": (self) => integerRatio(self.value),
});

/** Attribute names of all types. */
export const attributeNames: ReadonlySet<string> = new Set([
  ...[textMethods, dictMethods, listMethods, tupleMethods, intMethods, floatMethods, setMethods].flatMap(
    (table): string[] => [...table.keys()],
  ),
  ...bytesMethodNames,
  ...["real", "imag", "numerator", "denominator", "start", "stop", "step"],
]);

const rangeMethods = methods<PyRange>({
  "count(value, /)": (self, [value = null]) => Number(self.contains(value)),
  "index(value, /)": (self, [value = null], meter) => {
    const number = numeric(value);
    if (typeof number === "number" && self.contains(number)) return (number - self.start) / self.step;
    throw valueError(`${repr(value, meter)} is not in range`);
  },
});

function integerRatio(value: number): PyTuple {
  if (Number.isNaN(value)) throw valueError("cannot convert NaN to integer ratio");
  if (!Number.isFinite(value)) throw overflowError("cannot convert Infinity to integer ratio");
  let { mantissa, exponent } = parts(Math.abs(value));
  for (; exponent < 0 && mantissa % 2n === 0n && mantissa !== 0n; exponent++) mantissa /= 2n;
  if (mantissa === 0n) return new PyTuple([0, 1]);
  const top = exponent > 0 ? mantissa << BigInt(exponent) : mantissa;
  return new PyTuple([toInt(value < 0 ? -top : top), toInt(exponent < 0 ? 1n << BigInt(-exponent) : 1n)]);
}

function method<T extends Value>(
  table: ReadonlyMap<string, Method<T>>,
  self: T,
  name: string,
): ((args: readonly Value[], kwargs: Kwargs | undefined, meter: Meter) => Value) | undefined {
  const body = table.get(name);
  return body === undefined ? undefined : (args, kwargs, meter) => body(self, args, kwargs, meter);
}

function boundMethod(value: Value, name: string): ReturnType<typeof method> {
  if (typeof value === "string") return method(textMethods, value, name);
  if (value instanceof PyDict) return method(dictMethods, value, name);
  if (Array.isArray(value)) return method(listMethods, value, name);
  if (value instanceof Markup) return method(markups, value, name);
  if (value instanceof PyTuple) return method(tupleMethods, value, name);
  if (typeof value === "number" || typeof value === "bigint") return method(intMethods, value, name);
  if (typeof value === "boolean") return method(intMethods, value ? 1 : 0, name);
  if (value instanceof PyFloat) return method(floatMethods, value, name);
  if (value instanceof PySet) return method(setMethods, value, name);
  if (value instanceof PyRange) return method(rangeMethods, value, name);
  return undefined;
}

/** Attributes that are not methods. */
function property(value: Value, name: string): Value | undefined {
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") {
    const number = typeof value === "boolean" ? Number(value) : value;
    if (name === "real" || name === "numerator") return number;
    if (name === "imag") return 0;
    return name === "denominator" ? 1 : undefined;
  }
  if (value instanceof PyFloat) {
    if (name === "real") return value;
    return name === "imag" ? new PyFloat(0) : undefined;
  }
  if (value instanceof PyRange) {
    if (name === "start") return value.start;
    if (name === "stop") return value.stop;
    return name === "step" ? value.step : undefined;
  }
  return undefined;
}

/** `value.name`: a bound method or plain attribute; `undefined` if Python has no such attribute. */
export function attribute(value: Value, name: string, meter: Meter): Value | undefined {
  const own = value instanceof PyTuple && !value.isPlain ? value.getattr(name, meter) : undefined;
  if (own !== undefined) return own;
  const body = boundMethod(value, name);
  if (body !== undefined)
    return new PyFunction(`${name} of ${typeName(value)}`, body, "builtin_function_or_method");
  return property(value, name) ?? (value instanceof PyObject ? value.getattr(name, meter) : undefined);
}

/** `value.name(...)` without allocating the bound method; `undefined` if there is no such method. */
export function callMethod(
  value: Value,
  name: string,
  args: readonly Value[],
  kwargs: Kwargs | undefined,
  meter: Meter,
): Value | undefined {
  meter.step();
  if (typeof value === "string") return textMethods.get(name)?.(value, args, kwargs, meter);
  if (value instanceof PyDict) return dictMethods.get(name)?.(value, args, kwargs, meter);
  if (Array.isArray(value)) return listMethods.get(name)?.(value, args, kwargs, meter);
  return boundMethod(value, name)?.(args, kwargs, meter);
}

/** `value.name`; raises Python's AttributeError. */
export function requireAttribute(value: Value, name: string, meter: Meter): Value {
  const found = attribute(value, name, meter);
  if (found === undefined) throw attributeError(`'${typeName(value)}' object has no attribute '${name}'`);
  return found;
}
