/** Ordering of Python values: `<` and its kin, `in`, and a stable sort; mixed types raise as in Python. */

import { typeError } from "../errors.ts";
import { limitError, type Meter } from "../limits.ts";
import { compareText, isWide } from "../text/codepoints.ts";
import { PyDict, PySet } from "./dict.ts";
import { eq, numeric, same } from "./equal.ts";
import { isIterable, iterate } from "./iterate.ts";
import { isText, PyFloat, PyObject, PyTuple, textOf, typeName, Undefined, type Value } from "./values.ts";

export type Comparison = "<" | "<=" | ">" | ">=";

const MAX_NESTING = 500;

function holds(op: Comparison, order: number): boolean {
  if (op === "<") return order < 0;
  if (op === "<=") return order <= 0;
  return op === ">" ? order > 0 : order >= 0;
}

export function compare(op: Comparison, a: Value, b: Value, depth = 0): boolean {
  if (typeof a === "number" && typeof b === "number") return holds(op, a - b);
  const left = numeric(a);
  const right = numeric(b);
  // A difference would not be exact, and NaN has no order.
  if (left !== undefined && right !== undefined)
    return holds(op, left < right ? -1 : left > right ? 1 : left >= right ? 0 : Number.NaN);
  if (isText(a) && isText(b)) return holds(op, compareText(textOf(a), textOf(b)));
  if (Array.isArray(a) && Array.isArray(b)) return sequences(op, a, b, depth);
  if (a instanceof PyTuple && b instanceof PyTuple) return sequences(op, a.items, b.items, depth);
  if (a instanceof PySet && b instanceof PySet) return subsets(op, a, b);
  if (a instanceof Undefined) return a.fail();
  if (b instanceof Undefined) return b.fail();
  const order = ordered(a, b);
  if (order !== undefined) return holds(op, order);
  throw typeError(`'${op}' not supported between instances of '${typeName(a)}' and '${typeName(b)}'`);
}

function ordered(a: Value, b: Value): number | undefined {
  if (a instanceof PyObject && a.compare !== undefined) return a.compare(b);
  if (b instanceof PyObject && b.compare !== undefined) {
    const order = b.compare(a);
    return order === undefined ? undefined : -order;
  }
  return undefined;
}

function sequences(op: Comparison, a: readonly Value[], b: readonly Value[], depth: number): boolean {
  if (depth > MAX_NESTING) throw limitError("comparison of values that are nested too deeply");
  const end = Math.min(a.length, b.length);
  for (let i = 0; i < end; i++) {
    const left = a[i] as Value;
    const right = b[i] as Value;
    if (!same(left, right, depth + 1)) return compare(op, left, right, depth + 1);
  }
  return holds(op, a.length - b.length);
}

function subsets(op: Comparison, a: PySet, b: PySet): boolean {
  const [small, big] = op === "<" || op === "<=" ? [a, b] : [b, a];
  if (op === "<" || op === ">" ? small.size >= big.size : small.size > big.size) return false;
  return small.values().every((item) => big.has(item));
}

/** `item in container`. */
export function contains(container: Value, item: Value, meter: Meter): boolean {
  if (isText(container)) {
    if (item instanceof Undefined) item.str();
    if (!isText(item))
      throw typeError(`'in <string>' requires string as left operand, not ${typeName(item)}`);
    return textOf(container).includes(textOf(item));
  }
  if (Array.isArray(container)) {
    meter.step(container.length >> 3);
    return container.some((member) => same(member, item));
  }
  if (container instanceof PyDict) return container.has(item);
  if (container instanceof PyTuple) return container.items.some((member) => same(member, item));
  if (container instanceof PyObject && container.contains !== undefined)
    return container.contains(item, meter);
  if (!isIterable(container)) throw typeError(`argument of type '${typeName(container)}' is not iterable`);
  const iterator = iterate(container, meter);
  for (let turn = iterator.next(); turn.done !== true; turn = iterator.next()) {
    meter.step();
    if (eq(turn.value, item)) return true;
  }
  return false;
}

/** Comparison operators, by the sign of the comparison. */
export const comparisons: Readonly<
  Record<Comparison | "==" | "!=" | "in" | "not in", (a: Value, b: Value, meter: Meter) => boolean>
> = {
  "==": (a, b) => eq(a, b),
  "!=": (a, b) => !eq(a, b),
  "<": (a, b) => compare("<", a, b),
  "<=": (a, b) => compare("<=", a, b),
  ">": (a, b) => compare(">", a, b),
  ">=": (a, b) => compare(">=", a, b),
  in: (a, b, meter) => contains(b, a, meter),
  "not in": (a, b, meter) => !contains(b, a, meter),
};

/** Python's `is`. */
export function identical(a: Value, b: Value): boolean {
  if (a instanceof PyFloat && b instanceof PyFloat) return Object.is(a.value, b.value);
  return a === b;
}

/** Returns a new sorted array. The sort is stable, also when reversed; `key` returns the sort key. */
export function sorted(
  items: readonly Value[],
  meter: Meter,
  options: { key?: (item: Value) => Value; reverse?: boolean } = {},
): Value[] {
  const { key, reverse = false } = options;
  meter.items(items.length);
  const sign = reverse ? -1 : 1;
  if (key === undefined) {
    const order = ordering(items, meter);
    return items.slice().sort((a, b) => sign * order(a, b));
  }
  const keys = unwrapped(items.map((item) => key(item)));
  const keyed = items.map((item, i) => ({ key: keys[i] as Value, item }));
  const order = ordering(keys, meter);
  return keyed.sort((a, b) => sign * order(a.key, b.key)).map(({ item }) => item);
}

/** Unwraps single-item lists of text or numbers: they sort like their items. */
function unwrapped(keys: readonly Value[]): readonly Value[] {
  const first = keys[0];
  const kind = Array.isArray(first) ? typeof first[0] : undefined;
  if (kind !== "string" && kind !== "number") return keys;
  const plain: Value[] = [];
  for (const key of keys) {
    const only = Array.isArray(key) && key.length === 1 ? key[0] : undefined;
    if (only === undefined || typeof only !== kind) return keys;
    plain.push(only);
  }
  return plain;
}

/** Chooses a comparator: the general one unless all keys are numbers or all are text. */
function ordering(keys: readonly Value[], meter: Meter): (a: Value, b: Value) => number {
  if (keys.every((key) => typeof key === "number")) return (a, b) => Number(a) - Number(b);
  if (keys.every((key) => typeof key === "string")) {
    return keys.some((key) => isWide(key))
      ? (a, b) => compareText(String(a), String(b))
      : (a, b) => (a === b ? 0 : String(a) < String(b) ? -1 : 1);
  }
  return (a, b) => {
    meter.step();
    if (compare("<", a, b)) return -1;
    return compare("<", b, a) ? 1 : 0;
  };
}
