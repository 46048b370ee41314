/** `==` of Python values. */
import { limitError } from "../limits.ts";
import { isText, Markup, PyFloat, PyObject, PyTuple, textOf, type Value } from "./values.ts";

const MAX_NESTING = 500;

/** The number as which a bool, int or float compares. */
export function numeric(value: Value): number | bigint | undefined {
  switch (typeof value) {
    case "number":
    case "bigint":
      return value;
    case "boolean":
      return value ? 1 : 0;
    default:
      return value instanceof PyFloat ? value.value : undefined;
  }
}

export function eq(a: Value, b: Value, depth = 0): boolean {
  if (typeof a === "string" && typeof b === "string") return a === b;
  if (typeof a === "number" && typeof b === "number") return a === b;
  if (isText(a) && isText(b)) return textOf(a) === textOf(b);
  const left = numeric(a);
  const right = left === undefined ? undefined : numeric(b);
  // biome-ignore lint/suspicious/noDoubleEquals: bigint == number compares exactly, === never holds
  if (left !== undefined && right !== undefined) return left == right;
  if (Array.isArray(a) && Array.isArray(b)) return a === b || sequenceEq(a, b, depth);
  if (a instanceof PyTuple && b instanceof PyTuple) return a === b || sequenceEq(a.items, b.items, depth);
  if (a instanceof PyObject && !isCore(a)) return a.equals(b);
  return b instanceof PyObject && !isCore(b) ? b.equals(a) : a === b;
}

/** Identity or equality, which containers use to compare items. */
export function same(a: Value, b: Value, depth = 0): boolean {
  return a === b || eq(a, b, depth);
}

function isCore(value: PyObject): boolean {
  return value instanceof PyTuple || value instanceof Markup || value instanceof PyFloat;
}

function sequenceEq(a: readonly Value[], b: readonly Value[], depth: number): boolean {
  if (a.length !== b.length) return false;
  if (depth > MAX_NESTING) throw limitError("comparison of values that are nested too deeply");
  for (let i = 0; i < a.length; i++) {
    if (!same(a[i] as Value, b[i] as Value, depth + 1)) return false;
  }
  return true;
}
