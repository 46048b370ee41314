/** Operators on Python values, including bitwise and set operators, and in-place assignment. */

import {
  arithmetic,
  common,
  comparisons,
  eq,
  identical,
  isInt,
  itemsOf,
  limitError,
  type Meter,
  type Operator,
  overflowError,
  PyDict,
  PyError,
  PySet,
  PyView,
  toInt,
  typeError,
  typeName,
  unshared,
  updateDict,
  type Value,
  valueError,
} from "../../python/index.ts";

export type BinaryOp = Operator | BitsOp;
export type CompareOp = keyof typeof compareOperators;
type BitsOp = "&" | "|" | "^" | "<<" | ">>";

const MAX_SHIFT = 100_000;

export function binaryOperator(op: BinaryOp): (a: Value, b: Value, meter: Meter) => Value {
  return isBits(op) ? (a, b) => bits(op, a, b) : arithmetic[op];
}

const isBits = (op: BinaryOp): op is BitsOp => !Object.hasOwn(arithmetic, op);

function bits(op: BitsOp, a: Value, b: Value): Value {
  const [one, other] = setsOf(a, b);
  if (one !== undefined && other !== undefined) {
    if (op === "&") return new PySet(common(one, other));
    if (op === "|") return new PySet([...one.values(), ...other.values()]);
    if (op === "^") return unshared(one, other);
  }
  if (op === "|" && a instanceof PyDict && b instanceof PyDict)
    return PyDict.from([...a.entries(), ...b.entries()]);
  if (typeof a === "boolean" && typeof b === "boolean" && op !== "<<" && op !== ">>")
    return op === "&" ? a && b : op === "|" ? a || b : a !== b;
  const left = integer(a);
  const right = integer(b);
  if (left === undefined || right === undefined)
    throw typeError(`unsupported operand type(s) for ${op}: '${typeName(a)}' and '${typeName(b)}'`);
  if (op === "&") return toInt(left & right);
  if (op === "|") return toInt(left | right);
  if (op === "^") return toInt(left ^ right);
  if (right < 0n) throw valueError("negative shift count");
  if (op === "<<") {
    if (right > MAX_SHIFT) throw limitError(`a shift of more than ${MAX_SHIFT} bits`);
    return toInt(left << right);
  }
  return right > 1_000_000n ? (left < 0n ? -1 : 0) : toInt(left >> right);
}

/** Both sides as sets: keys and items of a dictionary are sets, and take any iterable beside them. */
function setsOf(a: Value, b: Value): [PySet | undefined, PySet | undefined] {
  const isView = (value: Value) => value instanceof PyView && value.isSet;
  const isBeside = isView(a) || isView(b);
  const setOf = (value: Value) =>
    value instanceof PySet
      ? value
      : value instanceof PyView && value.isSet
        ? new PySet(value.items())
        : isBeside && Array.isArray(value)
          ? new PySet(value)
          : undefined;
  return [setOf(a), setOf(b)];
}

function integer(value: Value): bigint | undefined {
  if (typeof value === "boolean") return value ? 1n : 0n;
  return isInt(value) ? BigInt(value) : undefined;
}

export function invert(value: Value): Value {
  const number = integer(value);
  if (number === undefined) throw typeError(`bad operand type for unary ~: '${typeName(value)}'`);
  return toInt(~number);
}

/** `a op= b`: lists, sets and dictionaries change in place, visible to all references. */
export function augment(op: BinaryOp, a: Value, b: Value, meter: Meter): Value {
  if (op === "+" && Array.isArray(a)) {
    const items = itemsOf(b, meter).slice();
    meter.items(a.length + items.length);
    for (const item of items) a.push(item);
    return a;
  }
  if (op === "|" && a instanceof PyDict) {
    updateDict(a, [b], undefined, meter);
    return a;
  }
  if (a instanceof PySet && b instanceof PySet && (op === "|" || op === "&" || op === "-")) {
    const result = binaryOperator(op)(a, b, meter) as PySet;
    a.clear();
    for (const item of result.values()) a.add(item);
    return a;
  }
  try {
    return binaryOperator(op)(a, b, meter);
  } catch (error) {
    throw inPlace(error, op);
  }
}

/** Python names the in-place operator in the message. */
function inPlace(error: unknown, op: BinaryOp): unknown {
  if (!(error instanceof PyError)) return error;
  const wrong = `unsupported operand type(s) for ${op === "**" ? "** or pow()" : op}:`;
  if (!error.pythonMessage.startsWith(wrong)) return error;
  return typeError(error.pythonMessage.replace(wrong, () => `unsupported operand type(s) for ${op}=:`));
}

export const compareOperators = { ...comparisons, is: same, "is not": (a: Value, b: Value) => !same(a, b) };

/** Types and exception classes are created on demand but must be identical in Python. */
function same(a: Value, b: Value): boolean {
  if (identical(a, b)) return true;
  return typeName(a) === "type" && typeName(b) === "type" && eq(a, b);
}

/** An integer used as a count. */
export function asCount(value: Value, label: string): number {
  const number = typeof value === "boolean" ? Number(value) : value;
  if (typeof number === "number") return number;
  if (typeof number === "bigint") throw overflowError(`${label} is too large`);
  throw typeError(`'${typeName(value)}' object cannot be interpreted as an integer`);
}
