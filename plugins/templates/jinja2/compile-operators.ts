/** Operators as functions of two values. */
import { compare, contains } from "../python/compare.ts";
import { eq } from "../python/equal.ts";
import type { Meter } from "../python/limits.ts";
import { escapeValue } from "../python/markup.ts";
import { str } from "../python/repr.ts";
import { Markup, PyObject, type Value } from "../python/values.ts";
import type { CompareOperator } from "./nodes.ts";

export const comparisons: Readonly<Record<CompareOperator, (a: Value, b: Value, meter: Meter) => boolean>> = {
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

function isHtml(value: Value): boolean {
  return value instanceof Markup || (value instanceof PyObject && value.html !== undefined);
}

/** `a ~ b ~ c`; with `markup` the result is safe HTML as soon as one part is. */
export function concatenate(values: readonly Value[], markup: boolean, meter: Meter): Value {
  const html = markup && values.some(isHtml);
  let text = "";
  for (const value of values) text += html ? escapeValue(value, meter).value : str(value, meter);
  meter.text(text.length);
  return html ? new Markup(text) : text;
}
