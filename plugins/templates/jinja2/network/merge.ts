/** Filters over dictionaries: merging them, and turning them into lists and back. */
import { PyDict } from "../../python/dict.ts";
import { eq } from "../../python/equal.ts";
import { PyError } from "../../python/errors.ts";
import { itemsOf } from "../../python/iterate.ts";
import { limitError } from "../../python/limits.ts";
import { isText, PyTuple, textOf, typeName, Undefined, type Value } from "../../python/values.ts";
import { getSubscript } from "../access.ts";
import type { FilterContext } from "../filter.ts";
import { type Entry, filter, flag, plainText } from "../filters/define.ts";

const refuse = (message: string): PyError => new PyError("AnsibleFilterError", message);

type MergeLists = (low: readonly Value[], high: readonly Value[]) => Value[];

const has = (list: readonly Value[], item: Value): boolean => list.some((one) => eq(one, item));
const without = (list: readonly Value[], others: readonly Value[]): Value[] =>
  list.filter((item) => !has(others, item));

const LIST_MERGES: ReadonlyMap<string, MergeLists> = new Map<string, MergeLists>([
  ["replace", (_low, high) => high.slice()],
  ["keep", (low) => low.slice()],
  ["append", (low, high) => [...low, ...high]],
  ["prepend", (low, high) => [...high, ...low]],
  ["append_rp", (low, high) => [...without(low, high), ...high]],
  ["prepend_rp", (low, high) => [...high, ...without(low, high)]],
]);

function merged(
  low: PyDict,
  high: PyDict,
  recursive: boolean,
  lists: MergeLists,
  context: FilterContext,
  depth: number,
): PyDict {
  const { meter } = context;
  if (depth > meter.limits.depth)
    throw limitError(`dictionaries nested deeper than ${meter.limits.depth} levels`);
  const result = low.copy();
  for (const [key, value] of high.entries()) {
    meter.step();
    const known = result.get(key);
    if (recursive && known instanceof PyDict && value instanceof PyDict)
      result.set(key, merged(known, value, recursive, lists, context, depth + 1));
    else if (Array.isArray(known) && Array.isArray(value)) {
      meter.step(known.length + value.length);
      result.set(key, lists(known, value));
    } else result.set(key, value);
  }
  return result;
}

const combine: Entry[1] = (value, args, kwargs, context) => {
  for (const name of kwargs?.keys() ?? [])
    if (name !== "recursive" && name !== "list_merge")
      throw refuse(`'recursive' and 'list_merge' are the only keywords, not '${name}'`);
  const recursive = flag(kwargs?.get("recursive"));
  const name = plainText(kwargs?.get("list_merge") ?? "replace", context);
  const lists = LIST_MERGES.get(name);
  if (lists === undefined)
    throw refuse(`list_merge is one of ${[...LIST_MERGES.keys()].join(", ")}, not '${name}'`);
  const terms = [value, ...args].flatMap((one) => (Array.isArray(one) ? one : [one]));
  const [first, ...rest] = terms;
  if (first === undefined) return new PyDict();
  for (const term of terms) if (term instanceof Undefined) return term.fail();
  if (rest.length === 0) return first;
  return rest.reduce<PyDict>((low, high) => {
    if (!(high instanceof PyDict)) throw refuse(`dictionaries are merged, not ${typeName(high)}`);
    return merged(low, high, recursive, lists, context, 0);
  }, needDict(first));
};

function needDict(value: Value): PyDict {
  if (value instanceof Undefined) return value.fail();
  if (!(value instanceof PyDict)) throw refuse(`a dictionary is needed, not ${typeName(value)}`);
  return value;
}

function itemsToDict(value: Value, keyName: Value, valueName: Value): PyDict {
  if (value instanceof Undefined) return value.fail();
  if (!Array.isArray(value) && !(value instanceof PyTuple))
    throw refuse(`a list of dictionaries is needed, not ${typeName(value)}`);
  const dict = new PyDict();
  for (const item of Array.isArray(value) ? value : value.items) {
    const key = item instanceof PyDict ? item.get(keyName) : undefined;
    const its = item instanceof PyDict ? item.get(valueName) : undefined;
    if (key === undefined || its === undefined)
      throw refuse("each item has to be a dictionary with the key and the value");
    dict.set(key, its);
  }
  return dict;
}

/** Dictionaries by what stands under one of their keys. */
function rekeyed(value: Value, key: Value, duplicates: string, context: FilterContext): PyDict {
  if (value instanceof Undefined) return value.fail();
  if (duplicates !== "error" && duplicates !== "overwrite") throw refuse("duplicates is error or overwrite");
  const result = new PyDict();
  for (const item of value instanceof PyDict ? value.values() : itemsOf(value, context.meter)) {
    const member = needDict(item).get(key);
    if (member === undefined) throw refuse(`an item has no key '${plainText(key, context)}'`);
    if (result.has(member) && duplicates === "error")
      throw refuse(`the key '${plainText(member, context)}' is not unique`);
    result.set(member, item);
  }
  return result;
}

/** Pairs of each element and each item of a list in it. */
function subelements(value: Value, path: Value, skipMissing: boolean, context: FilterContext): Value[] {
  if (value instanceof Undefined) return value.fail();
  if (!Array.isArray(value) && !(value instanceof PyDict)) throw refuse("a list or a dictionary is needed");
  const steps = isText(path) ? textOf(path).split(".") : Array.isArray(path) ? path : undefined;
  if (steps === undefined) throw refuse("the path is text or a list");
  const pairs: Value[] = [];
  for (const element of Array.isArray(value) ? value : value.values()) {
    let inner: Value | undefined = element;
    for (const step of steps) {
      if (inner !== undefined && !(inner instanceof PyDict))
        throw refuse(`a dictionary is needed for '${steps.join(".")}', not ${typeName(inner)}`);
      inner = inner?.get(step);
    }
    if (inner === undefined && skipMissing) continue;
    if (inner === undefined) throw refuse(`an element has nothing under '${steps.join(".")}'`);
    if (!Array.isArray(inner))
      throw refuse(`a list is needed under '${steps.join(".")}', not ${typeName(inner)}`);
    context.meter.items(pairs.length + inner.length);
    for (const item of inner) pairs.push(new PyTuple([element, item]));
  }
  return pairs;
}

export const mergeFilters: readonly Entry[] = [
  ["combine", combine],
  filter(
    "dict2items",
    ["key_name?", "value_name?"],
    (value, [keyName = "key", valueName = "value"], context) => {
      context.meter.items(needDict(value).size);
      return needDict(value)
        .entries()
        .map(([key, item]) =>
          PyDict.from([
            [keyName, key],
            [valueName, item],
          ]),
        );
    },
  ),
  filter("items2dict", ["key_name?", "value_name?"], (value, [keyName = "key", valueName = "value"]) =>
    itemsToDict(value, keyName, valueName),
  ),
  filter("rekey_on_member", ["key", "duplicates?"], (value, [key = null, duplicates = "error"], context) =>
    rekeyed(value, key, plainText(duplicates, context), context),
  ),
  filter("subelements", ["subelements", "skip_missing?"], (value, [path = null, skip], context) =>
    subelements(value, path, flag(skip), context),
  ),
  filter("extract", ["container", "morekeys?"], (value, [container = null, more], context) => {
    const keys = more === undefined || more === null ? [] : Array.isArray(more) ? more : [more];
    return [value, ...keys].reduce<Value>((found, key) => getSubscript(found, key, context), container);
  }),
];
