/** Filters that decide by a value: bool, ternary, mandatory, type_debug, and Ansible's unique. */
import { eq } from "../../python/equal.ts";
import { itemsOf } from "../../python/iterate.ts";
import { isText, textOf, truth, typeName, Undefined, type Value } from "../../python/values.ts";
import { isHashable } from "../access.ts";
import type { FilterContext } from "../filter.ts";
import { define, type FilterEntries, filterError, plainText } from "../filters/define.ts";
import { createGetter, ignoreCase } from "../filters/getter.ts";
import { distinct } from "../filters/sequences.ts";

const YES = ["yes", "on", "1", "true"];

/** The truth that a text or a number is meant to say. */
function meantTruth(value: Value): boolean | null {
  if (value === null || typeof value === "boolean") return value;
  if (value instanceof Undefined) return value.truth();
  return isText(value) ? YES.includes(textOf(value).toLowerCase()) : eq(value, 1);
}

function mandatory(value: Value, message: Value, context: FilterContext): Value {
  if (!(value instanceof Undefined)) return value;
  if (message !== null) throw filterError(plainText(message, context));
  const name = value.missed === undefined ? "" : ` '${value.missed}'`;
  throw filterError(`the mandatory variable${name} is not defined`);
}

/** A list, also of items that have no hash, such as dictionaries. */
function unique(value: Value, caseSensitive: Value, by: Value, context: FilterContext): Value {
  const { meter } = context;
  const change = caseSensitive !== null && truth(caseSensitive) ? undefined : ignoreCase;
  const items = itemsOf(value, meter);
  const keys = items.map(createGetter(by, context, { change }));
  if (keys.every(isHashable)) return distinct(items, keys);
  if (caseSensitive === false || by !== null)
    throw filterError("unique: items without a hash have neither case nor attribute here");
  const kept: Value[] = [];
  for (const item of items) {
    meter.step(kept.length + 1);
    if (!kept.some((other) => eq(other, item))) kept.push(item);
  }
  return kept;
}

export const choosingFilters: FilterEntries = [
  define("bool", "any", "", meantTruth),
  define("ternary", "any", "true_val, false_val, none_val = none", (value, yes, no, none) => {
    if (value === null && none !== null) return none;
    return truth(value) ? yes : no;
  }),
  define("mandatory", "any", "msg = none", mandatory),
  define("type_debug", "any", "", typeName),
].flat();

export const ansibleUnique: FilterEntries = define(
  "unique",
  "any",
  "case_sensitive = none, attribute = none",
  unique,
);
