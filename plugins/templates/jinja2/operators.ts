/** Operators as functions of two values. */
import { arithmetic } from "../python/arith.ts";
import { compare, contains } from "../python/compare.ts";
import { eq } from "../python/equal.ts";
import type { Meter } from "../python/limits.ts";
import type { Operator as Arithmetic, Value } from "../python/values.ts";
import type { CompareOperator } from "./nodes.ts";

export type Operator = (a: Value, b: Value, meter: Meter) => Value;

export const operators: Readonly<Record<Arithmetic | CompareOperator, Operator>> = {
  ...arithmetic,
  "==": isEqual,
  "!=": (a, b) => !isEqual(a, b),
  "<": (a, b) => compare("<", a, b),
  "<=": (a, b) => compare("<=", a, b),
  ">": (a, b) => compare(">", a, b),
  ">=": (a, b) => compare(">=", a, b),
  in: (a, b, meter) => contains(b, a, meter),
  "not in": (a, b, meter) => !contains(b, a, meter),
};

function isEqual(a: Value, b: Value): boolean {
  if (typeof a === "string" && typeof b === "string") return a === b;
  return typeof a === "number" && typeof b === "number" ? a === b : eq(a, b);
}
