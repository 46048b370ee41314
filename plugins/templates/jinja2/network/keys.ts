/** Filters that keep, remove and rename keys anywhere in nested data: keep_keys, remove_keys, replace_keys. */
import { PyDict } from "../../python/dict.ts";
import { PyError } from "../../python/errors.ts";
import { itemsOf } from "../../python/iterate.ts";
import type { Meter } from "../../python/limits.ts";
import { compilePython } from "../../python/regex/index.ts";
import { str } from "../../python/repr.ts";
import { isText, textOf, truth, Undefined, type Value } from "../../python/values.ts";
import type { FilterContext } from "../filter.ts";
import { type Entry, filter } from "../filters/define.ts";

type Matches = (key: Value) => boolean;

const KINDS = ["equality", "starts_with", "ends_with", "regex"];

function filterError(message: string): PyError {
  return new PyError("AnsibleFilterError", message);
}

/** A text stands for a list, with commas between its items. */
export function textsOf(value: Value, meter: Meter): string[] {
  if (value instanceof Undefined) return value.fail();
  if (isText(value)) return textOf(value).split(",");
  return itemsOf(value, meter).map((one) => str(one, meter));
}

function matcher(wanted: string, kind: Value, meter: Meter): Matches {
  const way = isText(kind) ? textOf(kind) : "";
  if (!KINDS.includes(way)) throw filterError(`matching_parameter is one of ${KINDS.join(", ")}`);
  const pattern = way === "regex" ? compilePython(wanted) : undefined;
  return (value) => {
    meter.step();
    const key = str(value, meter);
    if (pattern !== undefined) return pattern.match(key) !== null;
    if (way === "starts_with") return key.startsWith(wanted);
    return way === "ends_with" ? key.endsWith(wanted) : key === wanted;
  };
}

/** Nested lists and dictionaries, each level counted. */
function nested<T>(meter: Meter, work: () => T): T {
  meter.enter();
  try {
    return work();
  } finally {
    meter.leave();
  }
}

const isNested = (value: Value): value is PyDict | Value[] => value instanceof PyDict || Array.isArray(value);
const isEmpty = (value: Value): boolean => isNested(value) && !truth(value);

function keep(data: Value, wanted: readonly Matches[], meter: Meter): Value {
  if (!isNested(data)) return data;
  return nested(meter, () => {
    if (Array.isArray(data)) return data.map((one) => keep(one, wanted, meter));
    const kept = new PyDict();
    for (const [key, value] of wanted.length === 0 ? [] : data.entries()) {
      if (!isNested(value)) {
        if (wanted.some((matches) => matches(key))) kept.set(key, value);
        continue;
      }
      let inside = keep(value, wanted, meter);
      if (Array.isArray(inside)) {
        inside = inside.filter((one) => !isEmpty(one));
        if (inside.every((one) => isText(one))) continue;
      }
      if (!isEmpty(inside)) kept.set(key, inside);
    }
    return kept;
  });
}

/** Lists lose their empty items, too. */
function remove(data: Value, unwanted: readonly Matches[], meter: Meter): Value {
  if (!isNested(data)) return data;
  return nested(meter, () => {
    if (Array.isArray(data)) {
      // An item that is emptied here was not empty before it was looked into.
      return data
        .map((one) => ({ one, left: remove(one, unwanted, meter), gone: one instanceof PyDict }))
        .filter(({ one, left, gone }) => truth(gone ? left : one))
        .map(({ left }) => left);
    }
    const left = new PyDict();
    for (const [key, value] of data.entries())
      if (!unwanted.some((matches) => matches(key))) left.set(key, remove(value, unwanted, meter));
    return left;
  });
}

interface Renaming {
  readonly before: Matches;
  readonly after: Value;
}

function rename(data: Value, names: readonly Renaming[], meter: Meter): Value {
  if (!isNested(data)) return data;
  return nested(meter, () => {
    if (Array.isArray(data)) return data.map((one) => rename(one, names, meter));
    const made = data.copy();
    for (const { before, after } of names)
      for (const [key, value] of made.entries())
        if (before(key)) {
          made.delete(key);
          made.set(after, value);
        }
    for (const [key, value] of made.entries()) made.set(key, rename(value, names, meter));
    return made;
  });
}

function demandNested(value: Value, name: string): Value {
  if (value instanceof Undefined) return value.fail();
  if (isNested(value)) return value;
  throw filterError(`${name} needs a list or a dictionary`);
}

function renamings(target: Value, kind: Value, { meter }: FilterContext): Renaming[] {
  const list = target instanceof PyDict ? [target] : itemsOf(target, meter);
  return list.map((one) => {
    const [before, after] = one instanceof PyDict ? [one.get("before"), one.get("after")] : [];
    if (before === undefined || after === undefined)
      throw filterError("replace_keys: target is a list of dictionaries with 'before' and 'after'");
    return { before: matcher(str(before, meter), kind, meter), after };
  });
}

const PARAMETERS = ["target", "matching_parameter?"];

export const keyFilters: readonly Entry[] = [
  filter("keep_keys", PARAMETERS, (value, [target = null, kind = "equality"], { meter }) => {
    const wanted = textsOf(target, meter).map((one) => matcher(one, kind, meter));
    return keep(demandNested(value, "keep_keys"), wanted, meter);
  }),
  filter("remove_keys", PARAMETERS, (value, [target = null, kind = "equality"], { meter }) => {
    const unwanted = textsOf(target, meter).map((one) => matcher(one, kind, meter));
    return remove(demandNested(value, "remove_keys"), unwanted, meter);
  }),
  filter("replace_keys", PARAMETERS, (value, [target = null, kind = "equality"], context) =>
    rename(demandNested(value, "replace_keys"), renamings(target, kind, context), context.meter),
  ),
];
