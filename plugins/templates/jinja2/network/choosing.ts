/** Filters that choose: by a value, at random, or by seed with the same result as Ansible. */

import {
  chance,
  eq,
  indexError,
  isInt,
  isText,
  itemsOf,
  randomRange,
  seeded,
  textOf,
  toInt,
  truth,
  typeName,
  Undefined,
  type Value,
} from "../../python/index.ts";
import { define, type FilterEntries, filterError, plainText } from "../filters/define.ts";
import { createGetter, ignoreCase } from "../filters/getter.ts";
import type { FilterContext } from "../filters/kinds.ts";
import { distinct } from "../filters/sequences.ts";
import { isHashable } from "../run/access.ts";
import { onceEach } from "./combine.ts";

const YES = ["yes", "on", "1", "true"];

/** The boolean that a text or number stands for. */
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

/** Distinct items, including unhashable ones such as dictionaries. */
function unique(value: Value, caseSensitive: Value, by: Value, context: FilterContext): Value {
  const { meter } = context;
  const change = caseSensitive !== null && truth(caseSensitive) ? undefined : ignoreCase;
  const items = itemsOf(value, meter);
  const keys = items.map(createGetter(by, context, { change }));
  if (keys.every(isHashable)) return distinct(items, keys);
  if (caseSensitive === false || by !== null)
    throw filterError("unique: items without a hash have neither case nor attribute here");
  return onceEach(items, meter);
}

function integerOr(value: Value, absent: bigint): bigint {
  if (!truth(value)) return absent;
  if (isInt(value)) return BigInt(value);
  throw filterError("random: start and step are integers");
}

function pick(value: Value, start: Value, step: Value, seed: Value, context: FilterContext): Value {
  const random = seed === null ? chance : seeded(seed);
  if (isInt(value))
    return toInt(randomRange(random, integerOr(start, 0n), BigInt(value), integerOr(step, 1n)));
  if (truth(start) || truth(step)) throw filterError("random: start and step are for integers only");
  const items = itemsOf(value, context.meter);
  if (items.length === 0 && seed !== null) throw indexError("Cannot choose from an empty sequence");
  if (items.length === 0) return context.undefined("No random item, sequence was empty.");
  return items[Number(random.below(BigInt(items.length)))] ?? null;
}

function shuffled(value: Value, seed: Value, { meter }: FilterContext): Value {
  if (!truth(seed)) throw filterError("shuffle needs a seed: the same context always gives the same text");
  const items = [...itemsOf(value, meter)];
  const random = seeded(seed);
  for (let i = items.length - 1; i > 0; i--) {
    const j = Number(random.below(BigInt(i + 1)));
    [items[i], items[j]] = [items[j] ?? null, items[i] ?? null];
  }
  return items;
}

export const choosingFilters: FilterEntries = [
  define("bool", "any", "", meantTruth),
  define("ternary", "any", "true_val, false_val, none_val = none", (value, yes, no, none) => {
    if (value === null && none !== null) return none;
    return truth(value) ? yes : no;
  }),
  define("mandatory", "any", "msg = none", mandatory),
  define("type_debug", "any", "", typeName),
  // Replaces Jinja2's `random`, which supports neither integers nor seeds.
  define("random", "any", "start = none, step = none, seed = none", pick),
  define("shuffle", "defined", "seed = none", shuffled),
].flat();

export const ansibleUnique: FilterEntries = define(
  "unique",
  "any",
  "case_sensitive = none, attribute = none",
  unique,
);
