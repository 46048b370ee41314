/**
 * Arithmetic on Python values: exact ints, separate floats, sequence repetition and concatenation, all within
 * the limits.
 */

import { overflowError, typeError, zeroDivision } from "../errors.ts";
import { limitError, type Meter } from "../limits.ts";
import { percentFormat } from "../text/percent.ts";
import { PySet } from "../values/dict.ts";
import { numeric } from "../values/equal.ts";
import { itemsOf, PyView } from "../values/iterate.ts";
import { common } from "../values/set-arithmetic.ts";
import {
  isText,
  Markup,
  type Operator,
  PyFloat,
  PyObject,
  PyTuple,
  toInt,
  typeName,
  Undefined,
  type Value,
} from "../values/values.ts";
import { parts as floatParts } from "./floats.ts";

type Int = number | bigint;

/** Size limit of an int in bits, about 30,000 decimal digits. */
const MAX_BITS = 100_000;

export function add(a: Value, b: Value, meter: Meter): Value {
  if (typeof a === "number" && typeof b === "number") {
    const sum = a + b;
    return Number.isSafeInteger(sum) ? sum : toInt(BigInt(a) + BigInt(b));
  }
  if (typeof a === "string" && typeof b === "string") {
    meter.text(a.length + b.length);
    return a + b;
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    meter.items(a.length + b.length);
    return [...a, ...b];
  }
  if (a instanceof PyTuple && b instanceof PyTuple) {
    meter.items(a.items.length + b.items.length);
    return new PyTuple([...a.items, ...b.items]);
  }
  return binary("+", a, b, meter);
}

export function subtract(a: Value, b: Value, meter: Meter): Value {
  if (typeof a === "number" && typeof b === "number") {
    const difference = a - b;
    return Number.isSafeInteger(difference) ? difference : toInt(BigInt(a) - BigInt(b));
  }
  if (a instanceof PySet && b instanceof PySet) return new PySet(common(a, b, false));
  if (a instanceof PyView && a.isSet)
    return new PySet(common(new PySet(a.items()), new PySet(itemsOf(b, meter)), false));
  return binary("-", a, b, meter);
}

function multiply(a: Value, b: Value, meter: Meter): Value {
  if (typeof a === "number" && typeof b === "number") {
    const product = a * b;
    return Number.isSafeInteger(product) ? product + 0 : toInt(BigInt(a) * BigInt(b));
  }
  return repeated(a, b, meter) ?? repeated(b, a, meter) ?? binary("*", a, b, meter);
}

/** Binary operators; `%` on text is printf-style formatting. */
export const arithmetic: Readonly<Record<Operator, (a: Value, b: Value, meter: Meter) => Value>> = {
  "+": add,
  "-": subtract,
  "*": multiply,
  "/": (a, b, meter) => binary("/", a, b, meter),
  "//": (a, b, meter) => binary("//", a, b, meter),
  "%": (a, b, meter) => (isText(a) ? percentFormat(a, b, meter) : binary("%", a, b, meter)),
  "**": (a, b, meter) => binary("**", a, b, meter),
};

export function negate(value: Value): Value {
  if (typeof value === "number") return 0 - value;
  if (typeof value === "bigint") return toInt(-value);
  if (typeof value === "boolean") return value ? -1 : 0;
  if (value instanceof PyFloat) return new PyFloat(-value.value);
  if (value instanceof Undefined) return value.fail();
  const negative = value instanceof PyObject ? value.negative?.() : undefined;
  if (negative !== undefined) return negative;
  throw typeError(`bad operand type for unary -: '${typeName(value)}'`);
}

export function positive(value: Value): Value {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (numeric(value) !== undefined) return value;
  if (value instanceof Undefined) return value.fail();
  throw typeError(`bad operand type for unary +: '${typeName(value)}'`);
}

function binary(op: Operator, a: Value, b: Value, meter: Meter): Value {
  const left = numeric(a);
  const right = numeric(b);
  if (left !== undefined && right !== undefined) {
    return a instanceof PyFloat || b instanceof PyFloat
      ? new PyFloat(FLOATS[op](toFloat(left), toFloat(right)))
      : ints(op, left, right);
  }
  if (a instanceof Undefined) return a.fail();
  if (b instanceof Undefined) return b.fail();
  const result =
    (a instanceof PyObject ? a.binary?.(op, b, false, meter) : undefined) ??
    (b instanceof PyObject ? b.binary?.(op, a, true, meter) : undefined);
  if (result !== undefined) return result;
  const opName = op === "**" ? "** or pow()" : op;
  if (op === "+" && (typeof a === "string" || Array.isArray(a) || a instanceof PyTuple)) {
    const kind = typeName(a);
    throw typeError(`can only concatenate ${kind} (not "${typeName(b)}") to ${kind}`);
  }
  throw typeError(`unsupported operand type(s) for ${opName}: '${typeName(a)}' and '${typeName(b)}'`);
}

/** Converts an operand to float; raises an error if an int is too large. */
function toFloat(value: Int): number {
  const float = Number(value);
  if (!Number.isFinite(float) && typeof value === "bigint")
    throw overflowError("int too large to convert to float");
  return float;
}

/** Smallest value of Python's Py_ssize_t. */
const LEAST_INDEX = -(1n << 63n);

function isSequence(value: Value): boolean {
  return isText(value) || Array.isArray(value) || value instanceof PyTuple;
}

function repeated(sequence: Value, times: Value, meter: Meter): Value | undefined {
  if (typeof times !== "number" && typeof times !== "bigint" && typeof times !== "boolean") return undefined;
  if (typeof times === "bigint" && isSequence(sequence) && (times > 0n || times < LEAST_INDEX)) {
    throw overflowError("cannot fit 'int' into an index-sized integer");
  }
  const count = Math.max(0, Number(times));
  if (typeof sequence === "string") {
    meter.text(sequence.length * count);
    return sequence === "" ? "" : sequence.repeat(count);
  }
  if (sequence instanceof Markup) {
    meter.text(sequence.value.length * count);
    return new Markup(sequence.value === "" ? "" : sequence.value.repeat(count));
  }
  const items = Array.isArray(sequence) ? sequence : sequence instanceof PyTuple ? sequence.items : undefined;
  if (items === undefined) return undefined;
  meter.items(items.length * count);
  const result: Value[] = [];
  if (items.length > 0) for (let i = 0; i < count; i++) for (const item of items) result.push(item);
  return Array.isArray(sequence) ? result : new PyTuple(result);
}

const FLOATS: Readonly<Record<Operator, (a: number, b: number) => number>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / divisor(b, "float division by zero"),
  "//": (a, b) => floatFloor(a, divisor(b, "float floor division by zero")),
  "%": (a, b) => floatModulo(a, divisor(b, "float modulo")),
  "**": floatPower,
};

function divisor(value: number, message: string): number {
  if (value === 0) throw zeroDivision(message);
  return value;
}

function floatModulo(a: number, b: number): number {
  const rest = a % b;
  if (rest === 0) return b < 0 ? -0 : 0;
  return rest < 0 !== b < 0 ? rest + b : rest;
}

function floatFloor(a: number, b: number): number {
  const rest = a % b;
  let quotient = (a - rest) / b;
  if (rest !== 0 && rest < 0 !== b < 0) quotient -= 1;
  if (quotient === 0) return Object.is(a / b, -0) || a / b < 0 ? -0 : 0;
  const floor = Math.floor(quotient);
  return quotient - floor > 0.5 ? floor + 1 : floor;
}

function floatPower(a: number, b: number): number {
  if (a === 0 && b < 0) throw zeroDivision("0.0 cannot be raised to a negative power");
  if (a < 0 && !Number.isInteger(b) && Number.isFinite(b) && Number.isFinite(a)) {
    throw typeError("complex numbers are not supported");
  }
  if (a === 1 || (a === -1 && !Number.isFinite(b) && !Number.isNaN(b))) return 1;
  const result = power(a, b);
  if (!Number.isFinite(result) && Number.isFinite(a) && Number.isFinite(b)) {
    throw overflowError("(34, 'Numerical result out of range')");
  }
  return result;
}

/** C's `pow` without its errors. */
export const power = (a: number, b: number): number =>
  Number.isInteger(b) && Math.abs(b) <= 1024 ? integerPower(a, b) : a ** b;

/** JavaScriptCore rounds after every multiplication here; this rounds once, as C's `pow` does. */
function integerPower(a: number, b: number): number {
  const rough = a ** b;
  if (a === 0 || !Number.isFinite(rough) || Math.abs(rough) < 1e-290) return rough;
  const { mantissa, exponent } = floatParts(Math.abs(a));
  const top = mantissa ** BigInt(Math.abs(b));
  const shift = exponent * Math.abs(b);
  const size = b >= 0 ? quotient(top, 1n, shift) : quotient(1n, top, -shift);
  return a < 0 && b % 2 !== 0 ? -size : size;
}

/** top / bottom * 2 ** shift, rounded once. */
function quotient(top: bigint, bottom: bigint, shift: number): number {
  // Keep about 70 significant bits; the last is a sticky bit, so Number() does the only rounding.
  const scale = 70 - (bitLength(top) - bitLength(bottom));
  const numerator = scale > 0 ? top << BigInt(scale) : top;
  const denominator = scale < 0 ? bottom << BigInt(-scale) : bottom;
  const quotient = numerator / denominator;
  const size = Number(numerator % denominator === 0n ? quotient : quotient | 1n);
  const power = shift - scale;
  const half = Math.max(-1000, Math.min(power, 900));
  return size * 2 ** half * 2 ** (power - half);
}

function ints(op: Operator, a: Int, b: Int): Value {
  if (op === "/") return new PyFloat(trueDivide(a, b));
  if (op === "**") return intPower(a, b);
  if ((op === "//" || op === "%") && (b === 0 || b === 0n)) {
    throw zeroDivision(op === "//" ? "integer division or modulo by zero" : "integer modulo by zero");
  }
  if (typeof a === "number" && typeof b === "number") {
    if (op === "//" || op === "%") {
      const rest = a % b;
      const modulo = rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest;
      if (op === "%") return modulo + 0;
      const multiple = a - modulo;
      if (Number.isSafeInteger(multiple)) return multiple / b + 0;
    } else {
      const result = op === "+" ? a + b : op === "-" ? a - b : a * b;
      if (Number.isSafeInteger(result)) return result + 0;
    }
  }
  return bigInts(op, BigInt(a), BigInt(b));
}

function bigInts(op: Operator, a: bigint, b: bigint): Value {
  if (op === "+") return toInt(a + b);
  if (op === "-") return toInt(a - b);
  if (op === "*") {
    if (bitLength(a) + bitLength(b) > MAX_BITS) throw tooLarge();
    return toInt(a * b);
  }
  const rest = a % b;
  const modulo = rest !== 0n && rest < 0n !== b < 0n ? rest + b : rest;
  return toInt(op === "%" ? modulo : (a - modulo) / b);
}

function intPower(a: Int, b: Int): Value {
  if (b < 0) {
    if (a === 0) throw zeroDivision("0.0 cannot be raised to a negative power");
    return new PyFloat(floatPower(toFloat(a), toFloat(b)));
  }
  const base = BigInt(a);
  if (base === 0n || base === 1n || base === -1n) {
    if (b === 0 || b === 0n) return 1;
    return base === -1n && BigInt(b) % 2n === 0n ? 1 : Number(base);
  }
  if (Number(b) * (bitLength(base) - 1) > MAX_BITS) throw tooLarge();
  return toInt(base ** BigInt(b));
}

function trueDivide(a: Int, b: Int): number {
  if (b === 0 || b === 0n) throw zeroDivision("division by zero");
  if (typeof a === "number" && typeof b === "number") return a / b;
  const top = BigInt(a) < 0n ? -BigInt(a) : BigInt(a);
  const bottom = BigInt(b) < 0n ? -BigInt(b) : BigInt(b);
  const size = quotient(top, bottom, 0);
  if (!Number.isFinite(size)) throw overflowError("integer division result too large for a float");
  return BigInt(a) < 0n !== BigInt(b) < 0n ? -size : size;
}

function bitLength(value: bigint): number {
  return value === 0n ? 0 : (value < 0n ? -value : value).toString(16).length * 4;
}

function tooLarge(): Error {
  return limitError(`an integer of more than ${MAX_BITS} bits`);
}
