/** Methods of dict and set, and the `dict(...)` constructor. */

import { typeError, valueError } from "../errors.ts";
import type { Meter } from "../limits.ts";
import { type Bound, methods } from "./args.ts";
import { PyDict, PySet } from "./dict.ts";
import { isIterable, itemsOf, PyView } from "./iterate.ts";
import { MissingKey } from "./key-error.ts";
import { common, unshared } from "./set-arithmetic.ts";
import { type Kwargs, PyObject, PyTuple, typeName, Undefined, type Value } from "./values.ts";

/** `dict.update(source, **kwargs)`. */
/** A dictionary whose `update()` adds to its counts. */
export abstract class CountingDict extends PyDict {
  abstract count(source: Value, kwargs: Kwargs | undefined, meter: Meter): void;
}

export function updateDict(dict: PyDict, args: Bound, kwargs: Kwargs | undefined, meter: Meter): void {
  if (args.length > 1) throw typeError(`update expected at most 1 argument, got ${args.length}`);
  const [source] = args;
  if (dict instanceof CountingDict) {
    dict.count(source ?? null, kwargs, meter);
    return;
  }
  if (source instanceof PyDict) for (const [key, value] of source.entries()) dict.set(key, value);
  else if (source !== undefined) {
    itemsOf(source, meter).forEach((item, at) => {
      if (!isIterable(item))
        throw typeError(`cannot convert dictionary update sequence element #${at} to a sequence`);
      const [key, value] = pairOf(item, itemsOf(item, meter), at);
      dict.set(key, value);
    });
  }
  for (const [key, value] of kwargs ?? []) dict.set(key, value);
  if (dict.size > meter.limits.listItems) meter.items(dict.size);
}

/** Reads a key-value pair from any two-item sequence. */
function pairOf(value: Value, items: readonly Value[], at: number): readonly [Value, Value] {
  const [key, item] = items;
  if (items.length !== 2 || key === undefined || item === undefined) {
    throw value === null || typeof value === "number"
      ? typeError(`cannot convert dictionary update sequence element #${at} to a sequence`)
      : valueError(`dictionary update sequence element #${at} has length ${items.length}; 2 is required`);
  }
  return [key, item];
}

export const dictMethods = methods<PyDict>({
  "get(key, default?, /)": (self, [key = null, absent = null]) => {
    const value = self.get(key);
    return value === undefined ? absent : value;
  },
  "keys()": (self) => new PyView(self, "keys"),
  "values()": (self) => new PyView(self, "values"),
  "items()": (self) => new PyView(self, "items"),
  "copy()": (self) => self.copy(),
  "clear()": (self) => {
    self.clear();
  },
  "pop(key, default?, /)": (self, [key = null, absent], meter) => {
    const value = self.get(key);
    if (value === undefined) {
      if (absent === undefined) throw new MissingKey(key, meter);
      return absent;
    }
    self.delete(key);
    return value;
  },
  "popitem()": (self, _given, meter) => {
    const last = self.entries().at(-1);
    if (last === undefined) throw new MissingKey("popitem(): dictionary is empty", meter);
    self.delete(last[0]);
    return new PyTuple(last);
  },
  "setdefault(key, default?, /)": (self, [key = null, absent = null]) => {
    const value = self.get(key);
    if (value !== undefined) return value;
    self.set(key, absent);
    return absent;
  },
  "fromkeys(iterable, value?, /)": (_self, [keys = null, value = null], meter) =>
    PyDict.from(itemsOf(keys, meter).map((key) => [key, value] as const)),
  "update(*sources)": (self, sources, meter, kwargs) => {
    updateDict(self, sources, kwargs, meter);
  },
});

function sets(args: Bound, meter: Meter): PySet[] {
  return args.map((arg = null) => (arg instanceof PySet ? arg : new PySet(itemsOf(arg, meter))));
}

export const setMethods = methods<PySet>({
  "add(elem, /)": (self, [item = null]) => {
    self.add(item);
  },
  "discard(elem, /)": (self, [item = null]) => {
    self.delete(item);
  },
  "remove(elem, /)": (self, [item = null], meter) => {
    if (!self.delete(item)) throw new MissingKey(item, meter);
  },
  "pop()": (self, _given, meter) => {
    const [first] = self.values();
    if (first === undefined) throw new MissingKey("pop from an empty set", meter);
    self.delete(first);
    return first;
  },
  "copy()": (self) => new PySet(self.values()),
  "clear()": (self) => {
    self.clear();
  },
  "union(*others)": (self, others, meter) =>
    new PySet([self, ...sets(others, meter)].flatMap((set) => set.values())),
  "intersection(*others)": (self, others, meter) => {
    const operands = sets(others, meter);
    return new PySet(self.values().filter((item) => operands.every((set) => set.has(item))));
  },
  "difference(*others)": (self, others, meter) => {
    const operands = sets(others, meter);
    return new PySet(self.values().filter((item) => !operands.some((set) => set.has(item))));
  },
  "symmetric_difference(*others)": (self, others, meter) => {
    const [other = new PySet()] = sets(others, meter);
    return unshared(self, other);
  },
  "update(*others)": (self, others, meter) => {
    for (const set of sets(others, meter)) for (const item of set.values()) self.add(item);
  },
  "intersection_update(*others)": (self, others, meter) => {
    for (const set of sets(others, meter)) for (const item of common(self, set, false)) self.delete(item);
  },
  "difference_update(*others)": (self, others, meter) => {
    for (const set of sets(others, meter)) for (const item of set.values()) self.delete(item);
  },
  "symmetric_difference_update(other, /)": (self, others, meter) => {
    const [other = new PySet()] = sets(others, meter);
    const items = unshared(self, other).values();
    self.clear();
    for (const item of items) self.add(item);
  },
  "isdisjoint(*others)": (self, others, meter) =>
    sets(others, meter).every((set) => !self.values().some((item) => set.has(item))),
  "issubset(*others)": (self, others, meter) =>
    sets(others, meter).every((set) => self.values().every((item) => set.has(item))),
  "issuperset(*others)": (self, others, meter) =>
    sets(others, meter).every((set) => set.values().every((item) => self.has(item))),
});

/** `dict(...)`. */
export function buildDict(args: readonly Value[], kwargs: Kwargs | undefined, meter: Meter): PyDict {
  const [source] = args;
  if (source instanceof Undefined) throw source.fail();
  if (args.length > 1) throw typeError(`dict expected at most 1 argument, got ${args.length}`);
  if (source !== undefined && !isIterable(source))
    throw typeError(`'${typeName(source)}' object is not iterable`);
  const dict = new PyDict();
  const whole = source instanceof PyObject ? source.mapping?.() : undefined;
  updateDict(dict, whole === undefined ? args : [whole], kwargs, meter);
  return dict;
}
