/** Dictionary filters: merge, and conversion to lists and back. */

import {
  eq,
  isText,
  itemsOf,
  limitError,
  PyDict,
  PyTuple,
  textOf,
  truth,
  typeName,
  Undefined,
  type Value,
} from "../../python/index.ts";
import { define, type FilterEntries, filterError, plainText, variadic } from "../filters/define.ts";
import type { Filter, FilterContext } from "../filters/kinds.ts";
import { getSubscript } from "../run/access.ts";
import { flattened } from "./combine.ts";

type MergeLists = (low: readonly Value[], high: readonly Value[]) => Value[];

const without = (list: readonly Value[], excluded: readonly Value[]): Value[] =>
  list.filter((item) => !excluded.some((other) => eq(other, item)));

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
  // Lists in equal dictionaries are not combined.
  if (eq(low, high)) return high.copy();
  const result = low.copy();
  for (const [key, value] of high.entries()) {
    meter.step();
    const existing = result.get(key);
    if (recursive && existing instanceof PyDict && value instanceof PyDict)
      result.set(key, merged(existing, value, recursive, lists, context, depth + 1));
    else if (Array.isArray(existing) && Array.isArray(value)) {
      meter.step(existing.length + value.length);
      result.set(key, lists(existing, value));
    } else result.set(key, value);
  }
  return result;
}

const combine: Filter = (value, args, kwargs, context) => {
  for (const name of kwargs?.keys() ?? [])
    if (name !== "recursive" && name !== "list_merge")
      throw filterError(`'recursive' and 'list_merge' are the only keywords, not '${name}'`);
  const recursive = truth(kwargs?.get("recursive") ?? false);
  const name = plainText(kwargs?.get("list_merge") ?? "replace", context);
  const lists = LIST_MERGES.get(name);
  if (lists === undefined)
    throw filterError(`list_merge is one of ${[...LIST_MERGES.keys()].join(", ")}, not '${name}'`);
  const terms = flattened([value, ...args], 1, true, [], context.meter);
  for (const term of terms) if (term instanceof Undefined) return term.fail();
  const last = terms.pop();
  if (last === undefined) return new PyDict();
  if (terms.length === 0) return last;
  // A right fold, as in Ansible: a dictionary that a later text replaces may come back.
  return terms.reduceRight<PyDict>(
    (high, low) => merged(dictOf(low), high, recursive, lists, context, 0),
    dictOf(last),
  );
};

function dictOf(value: Value): PyDict {
  if (value instanceof PyDict) return value;
  throw value instanceof Undefined
    ? value.fail()
    : filterError(`a dictionary is needed, not ${typeName(value)}`);
}

function dictToItems(dict: PyDict, keyName: Value, valueName: Value, { meter }: FilterContext): Value {
  meter.items(dict.size);
  const item = ([key, value]: [Value, Value]) =>
    PyDict.from([
      [keyName, key],
      [valueName, value],
    ]);
  return dict.entries().map(item);
}

function itemsToDict(value: Value, keyName: Value, valueName: Value): PyDict {
  const items = value instanceof PyTuple ? value.items : value;
  if (!Array.isArray(items)) throw filterError(`a list of dictionaries is needed, not ${typeName(value)}`);
  const dict = new PyDict();
  for (const item of items) {
    const key = item instanceof PyDict ? item.get(keyName) : undefined;
    const its = item instanceof PyDict ? item.get(valueName) : undefined;
    if (key === undefined || its === undefined)
      throw filterError("each item has to be a dictionary with the key and the value");
    dict.set(key, its);
  }
  return dict;
}

/** Reindexes dictionaries by the value of one of their keys. */
function rekeyed(value: Value, key: Value, duplicates: string, context: FilterContext): PyDict {
  if (duplicates !== "error" && duplicates !== "overwrite")
    throw filterError("duplicates is error or overwrite");
  const result = new PyDict();
  for (const item of value instanceof PyDict ? value.values() : itemsOf(value, context.meter)) {
    const member = dictOf(item).get(key);
    if (member === undefined) throw filterError(`an item has no key '${plainText(key, context)}'`);
    if (result.has(member) && duplicates === "error")
      throw filterError(`the key '${plainText(member, context)}' is not unique`);
    result.set(member, item);
  }
  return result;
}

/** Pairs of each element with each item of its sublist. */
function subelements(value: Value, path: Value, skipMissing: boolean, { meter }: FilterContext): Value[] {
  if (!Array.isArray(value) && !(value instanceof PyDict))
    throw filterError("a list or a dictionary is needed");
  const steps = isText(path) ? textOf(path).split(".") : path;
  if (!Array.isArray(steps)) throw filterError("the path is text or a list");
  const pathText = steps.join(".");
  const pairs: Value[] = [];
  for (const element of Array.isArray(value) ? value : value.values()) {
    let inner: Value | undefined = element;
    for (const step of steps) {
      if (inner !== undefined && !(inner instanceof PyDict))
        throw filterError(`a dictionary is needed for '${pathText}', not ${typeName(inner)}`);
      inner = inner?.get(step);
    }
    if (inner === undefined && skipMissing) continue;
    if (inner === undefined) throw filterError(`an element has nothing under '${pathText}'`);
    if (!Array.isArray(inner))
      throw filterError(`a list is needed under '${pathText}', not ${typeName(inner)}`);
    meter.items(pairs.length + inner.length);
    for (const item of inner) pairs.push(new PyTuple([element, item]));
  }
  return pairs;
}

function extract(value: Value, container: Value, more: Value, context: FilterContext): Value {
  const keys = more === null ? [] : Array.isArray(more) ? more : [more];
  return [value, ...keys].reduce<Value>((current, key) => getSubscript(current, key, context), container);
}

export const mergeFilters: FilterEntries = [
  variadic("combine", combine),
  define("dict2items", dictOf, "key_name = 'key', value_name = 'value'", dictToItems),
  define("items2dict", "defined", "key_name = 'key', value_name = 'value'", itemsToDict),
  define("rekey_on_member", "defined", "key, duplicates: text = 'error'", rekeyed),
  define("subelements", "defined", "subelements, skip_missing: flag = false", subelements),
  define("extract", "any", "container, morekeys = none", extract),
].flat();
