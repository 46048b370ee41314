/** Python's `math` for macros. */

import {
  arithmetic,
  type Callable,
  isInt,
  itemsOf,
  limitError,
  type Meter,
  overflowError,
  PyFloat,
  PyTuple,
  toFloatValue,
  toInt,
  toInteger,
  typeError,
  typeName,
  type Value,
  valueError,
} from "../../../python/index.ts";
import { makeModule } from "./module.ts";

const MAX_FACTORIAL = 5_000;
const MAX_EXACT = 2 ** 53;

const whole = (value: number): Value => toInteger(new PyFloat(value));

/** A number for `math`, which converts no text. */
function real(value: Value = null): number {
  if (isInt(value) || typeof value === "boolean" || value instanceof PyFloat)
    return toFloatValue(value).value;
  throw typeError(`must be real number, not ${typeName(value)}`);
}

function integer(value: Value = null): bigint {
  if (typeof value === "boolean") return value ? 1n : 0n;
  if (isInt(value)) return BigInt(value);
  throw typeError(`'${typeName(value)}' object cannot be interpreted as an integer`);
}

function natural(value: Value | undefined, what: string): bigint {
  const number = integer(value);
  if (number < 0n) throw valueError(`${what} must be a non-negative integer`);
  return number;
}

/** The result for finite arguments is finite, or it is an error. */
function checked(result: number, args: readonly number[]): PyFloat {
  if (args.every((one) => !Number.isNaN(one)) && Number.isNaN(result)) throw valueError("math domain error");
  if (args.every(Number.isFinite) && !Number.isFinite(result)) throw overflowError("math range error");
  return new PyFloat(result);
}

const onFloat =
  (apply: (...args: number[]) => number, count = 1): Callable =>
  (given) => {
    const args = Array.from({ length: count }, (_, i) => real(given[i]));
    return checked(apply(...args), args);
  };

/** The natural logarithm, also of large integers; `scale` converts it to another base. */
function logarithm(value: Value | undefined, apply: (value: number) => number): number {
  const isLarge = typeof value === "bigint" && value > BigInt(MAX_EXACT);
  const number = isLarge ? Number(value) : real(value);
  if (number <= 0) throw valueError("math domain error");
  if (Number.isFinite(number) || !isLarge) return apply(number);
  const shift = value.toString(2).length - 60;
  return apply(Number(value >> BigInt(shift))) + shift * apply(2);
}

function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [a < 0n ? -a : a, b < 0n ? -b : b];
  while (y > 0n) [x, y] = [y, x % y];
  return x;
}

function squareRoot(value: bigint): bigint {
  if (value < 0n) throw valueError("isqrt() argument must be nonnegative");
  if (value < 2n) return value;
  let guess = 1n << BigInt((value.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (guess + value / guess) >> 1n;
    if (next >= guess) return guess;
    guess = next;
  }
}

/** The product of the integers from `from` to `to`. */
function span(from: bigint, to: bigint, meter: Meter): bigint {
  if (to - from > BigInt(MAX_FACTORIAL)) throw limitError(`a product of more than ${MAX_FACTORIAL} numbers`);
  let product = 1n;
  for (let n = from; n <= to; n++) {
    meter.step();
    product *= n;
  }
  return product;
}

function isClose(a: number, b: number, relative: number, absolute: number): boolean {
  if (a === b) return true;
  if (!Number.isFinite(a) || !Number.isFinite(b)) return false;
  const apart = Math.abs(a - b);
  return apart <= Math.abs(relative * a) || apart <= Math.abs(relative * b) || apart <= absolute;
}

/** Adds without the loss of small parts (Shewchuk's partial sums). */
function exactSum(numbers: readonly number[]): number {
  const parts: number[] = [];
  for (const number of numbers) {
    let x = number;
    let kept = 0;
    for (const part of parts) {
      const [large, small] = Math.abs(x) < Math.abs(part) ? [part, x] : [x, part];
      const sum = large + small;
      const rest = small - (sum - large);
      if (rest !== 0) parts[kept++] = rest;
      x = sum;
    }
    parts.length = kept;
    parts.push(x);
  }
  return parts.reduceRight((total, part) => total + part, 0);
}

const rounded =
  (apply: (value: number) => number): Callable =>
  ([value = null]) =>
    isInt(value) ? value : whole(apply(real(value)));

export const math = makeModule(
  "math",
  {
    ceil: rounded(Math.ceil),
    floor: rounded(Math.floor),
    trunc: rounded(Math.trunc),
    sqrt: onFloat(Math.sqrt),
    cbrt: onFloat(Math.cbrt),
    fabs: onFloat(Math.abs),
    exp: onFloat(Math.exp),
    expm1: onFloat(Math.expm1),
    log1p: onFloat(Math.log1p),
    sin: onFloat(Math.sin),
    cos: onFloat(Math.cos),
    tan: onFloat(Math.tan),
    asin: onFloat(Math.asin),
    acos: onFloat(Math.acos),
    atan: onFloat(Math.atan),
    atan2: onFloat(Math.atan2, 2),
    degrees: onFloat((value) => value * (180 / Math.PI)),
    radians: onFloat((value) => value * (Math.PI / 180)),
    fmod: onFloat((a, b) => a % b, 2),
    copysign: onFloat((a, b) => (b < 0 || Object.is(b, -0) ? -Math.abs(a) : Math.abs(a)), 2),
    hypot: (args) => new PyFloat(Math.hypot(...args.map((one) => real(one)))),
    log2: ([value]) => new PyFloat(logarithm(value, Math.log2)),
    log10: ([value]) => new PyFloat(logarithm(value, Math.log10)),
    log([value, base], _kwargs, meter) {
      const result = logarithm(value, Math.log);
      if (base === undefined) return new PyFloat(result);
      return arithmetic["/"](new PyFloat(result), new PyFloat(logarithm(base, Math.log)), meter);
    },
    pow([a, b]) {
      const [base, exponent] = [real(a), real(b)];
      if (base === 0 && exponent < 0 && Number.isFinite(exponent)) throw valueError("math domain error");
      // To Python, 1 to any power is 1.
      if (base === 1 || (base === -1 && !Number.isFinite(exponent) && !Number.isNaN(exponent)))
        return new PyFloat(1);
      return checked(base ** exponent, [base, exponent]);
    },
    modf([value]) {
      const number = real(value);
      const point = Number.isFinite(number) ? Math.trunc(number) : number;
      const rest = Number.isFinite(number) ? number - point : Number.isNaN(number) ? number : 0;
      const signed = number < 0 || Object.is(number, -0) ? -Math.abs(rest) : rest;
      return new PyTuple([new PyFloat(signed), new PyFloat(point)]);
    },
    isfinite: ([value]) => Number.isFinite(real(value)),
    isnan: ([value]) => Number.isNaN(real(value)),
    isinf: ([value]) => Math.abs(real(value)) === Number.POSITIVE_INFINITY,
    isclose: ([a, b], kwargs) =>
      isClose(
        real(a),
        real(b),
        real(kwargs?.get("rel_tol") ?? new PyFloat(1e-9)),
        real(kwargs?.get("abs_tol") ?? 0),
      ),
    gcd: (args) => toInt(args.map((one) => integer(one)).reduce(gcd, 0n)),
    lcm: (args) =>
      toInt(
        args
          .map((one) => integer(one))
          .reduce((a, b) => (a === 0n || b === 0n ? 0n : (a / gcd(a, b)) * (b < 0n ? -b : b)), 1n),
      ),
    isqrt: ([value]) => toInt(squareRoot(integer(value))),
    factorial([value], _kwargs, meter) {
      if (integer(value) < 0n) throw valueError("factorial() not defined for negative values");
      return toInt(span(2n, integer(value), meter));
    },
    comb([n, k], _kwargs, meter) {
      const [all, asked] = [natural(n, "n"), natural(k, "k")];
      if (asked > all) return 0;
      const few = asked * 2n < all ? asked : all - asked;
      return toInt(span(all - few + 1n, all, meter) / span(2n, few, meter));
    },
    perm([n, k = null], _kwargs, meter) {
      const all = natural(n, "n");
      const asked = k === null ? all : natural(k, "k");
      return asked > all ? 0 : toInt(span(all - asked + 1n, all, meter));
    },
    prod: ([source = []], kwargs, meter) =>
      itemsOf(source, meter).reduce<Value>(
        (total, item) => arithmetic["*"](total, item, meter),
        kwargs?.get("start") ?? 1,
      ),
    fsum: ([source = []], _kwargs, meter) =>
      new PyFloat(exactSum(itemsOf(source, meter).map((one) => real(one)))),
  },
  {
    pi: new PyFloat(Math.PI),
    e: new PyFloat(Math.E),
    tau: new PyFloat(2 * Math.PI),
    inf: new PyFloat(Number.POSITIVE_INFINITY),
    nan: new PyFloat(Number.NaN),
  },
);
