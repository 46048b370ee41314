/** Filters that keep, remove or rename keys at any depth: keep_keys, remove_keys, replace_keys. */

import {
  compilePython,
  isText,
  itemsOf,
  type Meter,
  PyDict,
  str,
  textOf,
  truth,
  Undefined,
  type Value,
} from "../../python/index.ts";
import { define, type FilterEntries, filterError } from "../filters/define.ts";
import type { FilterContext } from "../filters/kinds.ts";

type Matches = (key: Value) => boolean;

const KINDS = ["equality", "starts_with", "ends_with", "regex"];

/** Accepts a list, or text with comma-separated items. */
export function textsOf(value: Value, meter: Meter): string[] {
  if (value instanceof Undefined) return value.fail();
  if (isText(value)) return textOf(value).split(",");
  return itemsOf(value, meter).map((item) => str(item, meter));
}

function matcher(expected: string, kind: Value, meter: Meter): Matches {
  const matchKind = isText(kind) ? textOf(kind) : "";
  if (!KINDS.includes(matchKind)) throw filterError(`matching_parameter is one of ${KINDS.join(", ")}`);
  const pattern = matchKind === "regex" ? compilePython(expected) : undefined;
  return (value) => {
    meter.step();
    const key = str(value, meter);
    if (pattern !== undefined) return pattern.match(key) !== null;
    if (matchKind === "starts_with") return key.startsWith(expected);
    return matchKind === "ends_with" ? key.endsWith(expected) : key === expected;
  };
}

type Nested = PyDict | Value[];
const isNested = (value: Value): value is Nested => value instanceof PyDict || Array.isArray(value);
const isEmpty = (value: Value): boolean => isNested(value) && !truth(value);

/** Applies `change` to nested data, counting the depth; anything else is unchanged. */
function walk(data: Value, meter: Meter, change: (data: Nested) => Value): Value {
  if (!isNested(data)) return data;
  meter.enter();
  try {
    return change(data);
  } finally {
    meter.leave();
  }
}

function keep(data: Value, matchers: readonly Matches[], meter: Meter): Value {
  return walk(data, meter, (nested) => {
    if (Array.isArray(nested)) return nested.map((item) => keep(item, matchers, meter));
    const result = new PyDict();
    for (const [key, value] of matchers.length === 0 ? [] : nested.entries()) {
      if (!isNested(value)) {
        if (matchers.some((matches) => matches(key))) result.set(key, value);
        continue;
      }
      let inside = keep(value, matchers, meter);
      if (Array.isArray(inside)) {
        inside = inside.filter((item) => !isEmpty(item));
        if (inside.every(isText)) continue;
      }
      if (!isEmpty(inside)) result.set(key, inside);
    }
    return result;
  });
}

/** Also removes empty items from lists. */
function remove(data: Value, unwanted: readonly Matches[], meter: Meter): Value {
  return walk(data, meter, (nested) => {
    if (Array.isArray(nested)) {
      // An item counts as empty by its value before the removal, unless it is a dictionary.
      return nested
        .map((item) => ({ left: remove(item, unwanted, meter), before: item }))
        .filter(({ left, before }) => truth(before instanceof PyDict ? left : before))
        .map(({ left }) => left);
    }
    const remaining = new PyDict();
    for (const [key, value] of nested.entries())
      if (!unwanted.some((matches) => matches(key))) remaining.set(key, remove(value, unwanted, meter));
    return remaining;
  });
}

interface Renaming {
  readonly before: Matches;
  readonly after: Value;
}

function rename(data: Value, names: readonly Renaming[], meter: Meter): Value {
  return walk(data, meter, (nested) => {
    if (Array.isArray(nested)) return nested.map((item) => rename(item, names, meter));
    const renamed = nested.copy();
    for (const { before, after } of names)
      for (const [key, value] of renamed.entries())
        if (before(key)) {
          renamed.delete(key);
          renamed.set(after, value);
        }
    for (const [key, value] of renamed.entries()) renamed.set(key, rename(value, names, meter));
    return renamed;
  });
}

function renamings(target: Value, kind: Value, { meter }: FilterContext): Renaming[] {
  const list = target instanceof PyDict ? [target] : itemsOf(target, meter);
  return list.map((item) => {
    const [before, after] = item instanceof PyDict ? [item.get("before"), item.get("after")] : [];
    if (before === undefined || after === undefined)
      throw filterError("replace_keys: target is a list of dictionaries with 'before' and 'after'");
    return { before: matcher(str(before, meter), kind, meter), after };
  });
}

const matchers = (target: Value, kind: Value, { meter }: FilterContext): Matches[] =>
  textsOf(target, meter).map((text) => matcher(text, kind, meter));

function keyFilter<Names>(
  name: string,
  read: (target: Value, kind: Value, context: FilterContext) => Names,
  change: (data: Value, names: Names, meter: Meter) => Value,
): FilterEntries {
  return define(
    name,
    "defined",
    "target, matching_parameter = 'equality'",
    (value, target, kind, context) => {
      const names = read(target, kind, context);
      if (!isNested(value)) throw filterError(`${name} needs a list or a dictionary`);
      return change(value, names, context.meter);
    },
  );
}

export const keyFilters: FilterEntries = [
  keyFilter("keep_keys", matchers, keep),
  keyFilter("remove_keys", matchers, remove),
  keyFilter("replace_keys", renamings, rename),
].flat();
