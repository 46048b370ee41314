/** `==` of Python values. */
import { limitError } from "./limits.ts";
import { Markup, PyFloat, PyObject, PyTuple, type Value } from "./values.ts";

const MAX_NESTING = 500;

/** The number a bool, int or float compares as. */
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
  if (typeof a === "string") {
    if (typeof b === "string") return a === b;
    if (b instanceof Markup) return a === b.value;
    return b instanceof PyObject && !isCore(b) && b.equals(a);
  }
  if (typeof a === "number" && typeof b === "number") return a === b;
  const left = numeric(a);
  if (left !== undefined) {
    const right = numeric(b);
    // biome-ignore lint/suspicious/noDoubleEquals: bigint == number compares exactly, === never holds
    if (right !== undefined) return left == right;
    return b instanceof PyObject && !isCore(b) && b.equals(a);
  }
  if (Array.isArray(a)) {
    if (Array.isArray(b)) return a === b || sequenceEq(a, b, depth);
    return b instanceof PyObject && !isCore(b) && b.equals(a);
  }
  if (a instanceof PyTuple) {
    if (b instanceof PyTuple) return a === b || sequenceEq(a.items, b.items, depth);
    return b instanceof PyObject && !isCore(b) && b.equals(a);
  }
  if (a instanceof Markup) {
    if (typeof b === "string") return a.value === b;
    if (b instanceof Markup) return a.value === b.value;
    return b instanceof PyObject && !isCore(b) && b.equals(a);
  }
  if (a === null) return b === null || (b instanceof PyObject && !isCore(b) && b.equals(a));
  if (a instanceof PyObject) return a.equals(b);
  return false;
}

/** Equal or the same object: how containers compare their items. */
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
