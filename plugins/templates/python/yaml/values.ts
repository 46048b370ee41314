/** Values as both YAML writers see them: scalars, key order, anchors. */

import { attempt, PyError } from "../errors.ts";
import { checkDepth, type Meter } from "../limits.ts";
import { floatRepr } from "../numbers/floats.ts";
import { intText } from "../text/repr.ts";
import { compare } from "../values/compare.ts";
import { PyDict, PySet } from "../values/dict.ts";
import { isText, PyFloat, PyTuple, textOf, typeName, Undefined, type Value } from "../values/values.ts";

/** The scalar text of a value that is not a collection. */
export function scalarOf(value: Value): string | undefined {
  if (value === null) return "null";
  if (typeof value === "boolean") return value ? "true" : "false";
  if (typeof value === "number" || typeof value === "bigint") return intText(value);
  if (value instanceof PyFloat) return floatText(value.value);
  return isText(value) ? textOf(value) : undefined;
}

function floatText(value: number): string {
  if (Number.isNaN(value)) return ".nan";
  if (!Number.isFinite(value)) return value > 0 ? ".inf" : "-.inf";
  const text = floatRepr(value);
  return text.includes(".") || !text.includes("e") ? text : text.replace("e", ".0e");
}

/** Sorted if the keys are comparable. */
export function sortedEntries(dict: PyDict, sortKeys: boolean): [Value, Value][] {
  const entries = dict.entries();
  if (!sortKeys) return entries;
  return attempt(
    () => entries.slice().sort(([a], [b]) => (compare("<", a, b) ? -1 : compare("<", b, a) ? 1 : 0)),
    () => entries,
    "TypeError",
  );
}

/** Anchors of collections that occur more than once, numbered by the order of their first repetition. */
export function findAnchors(value: Value, sortKeys: boolean, meter: Meter): Map<Value, string> {
  const seen = new Set<Value>();
  const names = new Map<Value, string>();
  const visit = (value: Value, depth: number): void => {
    if (scalarOf(value) !== undefined || (value instanceof PyTuple && value.items.length === 0)) return;
    checkDepth(depth, meter);
    meter.step();
    if (seen.has(value)) {
      if (!names.has(value)) names.set(value, `id${String(names.size + 1).padStart(3, "0")}`);
      return;
    }
    seen.add(value);
    const inside = value instanceof PyDict ? sortedEntries(value, sortKeys).flat() : itemsOf(value);
    for (const item of inside) visit(item, depth + 1);
  };
  visit(value, 0);
  return names;
}

/** @throws if YAML cannot represent the value. */
export function itemsOf(value: Value): readonly Value[] {
  if (Array.isArray(value)) return value;
  if (value instanceof PyTuple) return value.items;
  if (value instanceof PySet) return value.values();
  if (value instanceof Undefined) return value.fail();
  throw new PyError("RepresenterError", `cannot represent an object of type ${typeName(value)} as YAML`);
}
