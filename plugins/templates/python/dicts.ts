/** The methods of dict and set, and what `dict(...)` builds. */
import { signature } from "./args.ts";
import { PyDict, PySet } from "./dict.ts";
import { keyError, typeError } from "./errors.ts";
import { isIterable, itemsOf, PyView } from "./iterate.ts";
import type { Meter } from "./limits.ts";
import { pairOf } from "./lists.ts";
import { repr } from "./repr.ts";
import type { Method } from "./strings.ts";
import { type Kwargs, PyTuple, typeName, type Value } from "./values.ts";

const none = signature("pop", [], false);
const bindGet = signature("get", ["key", "default?"], false);
const bindPop = signature("pop", ["key", "default?"], false);
const bindKeys = signature("fromkeys", ["iterable", "value?"], false);
const one = signature("add", ["elem"], false);

/** A method without arguments. */
function bare<T>(name: string, body: (self: T) => Value): [string, Method<T>] {
  const none = signature(name, [], false);
  return [
    name,
    (self, args, kwargs) => {
      none(args, kwargs);
      return body(self);
    },
  ];
}

/** `dict.update(source, **kwargs)`. */
export function updateDict(
  dict: PyDict,
  args: readonly Value[],
  kwargs: Kwargs | undefined,
  meter: Meter,
): void {
  if (args.length > 1) throw typeError(`update expected at most 1 argument, got ${args.length}`);
  const [source] = args;
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

export const dictMethods: ReadonlyMap<string, Method<PyDict>> = new Map<string, Method<PyDict>>([
  [
    "get",
    (self, args, kwargs) => {
      const [key = null, absent = null] = bindGet(args, kwargs);
      const value = self.get(key);
      return value === undefined ? absent : value;
    },
  ],
  bare<PyDict>("keys", (self) => new PyView(self, "keys")),
  bare<PyDict>("values", (self) => new PyView(self, "values")),
  bare<PyDict>("items", (self) => new PyView(self, "items")),
  bare<PyDict>("copy", (self) => self.copy()),
  bare<PyDict>("clear", (self) => {
    self.clear();
    return null;
  }),
  [
    "pop",
    (self, args, kwargs, meter) => {
      const [key = null, absent] = bindPop(args, kwargs);
      const value = self.get(key);
      if (value === undefined) {
        if (absent === undefined) throw keyError(repr(key, meter));
        return absent;
      }
      self.delete(key);
      return value;
    },
  ],
  [
    "popitem",
    (self, args, kwargs) => {
      none(args, kwargs);
      const last = self.entries().at(-1);
      if (last === undefined) throw keyError("'popitem(): dictionary is empty'");
      self.delete(last[0]);
      return new PyTuple(last);
    },
  ],
  [
    "setdefault",
    (self, args, kwargs) => {
      const [key = null, absent = null] = bindGet(args, kwargs);
      const value = self.get(key);
      if (value !== undefined) return value;
      self.set(key, absent);
      return absent;
    },
  ],
  [
    "update",
    (self, args, kwargs, meter) => {
      updateDict(self, args, kwargs, meter);
      return null;
    },
  ],
  [
    "fromkeys",
    (_self, args, kwargs, meter) => {
      const [keys = null, value = null] = bindKeys(args, kwargs);
      return PyDict.from(itemsOf(keys, meter).map((key) => [key, value] as const));
    },
  ],
]);

function others(args: readonly Value[], meter: Meter): PySet[] {
  return args.map((arg) => (arg instanceof PySet ? arg : new PySet(itemsOf(arg, meter))));
}

function changing(change: (self: PySet, item: Value) => void): Method<PySet> {
  return (self, args, kwargs) => {
    change(self, one(args, kwargs)[0] ?? null);
    return null;
  };
}

export const setMethods: ReadonlyMap<string, Method<PySet>> = new Map<string, Method<PySet>>([
  ["add", changing((self, item) => self.add(item))],
  ["discard", changing((self, item) => void self.delete(item))],
  [
    "remove",
    (self, args, kwargs, meter) => {
      const item = one(args, kwargs)[0] ?? null;
      if (!self.delete(item)) throw keyError(repr(item, meter));
      return null;
    },
  ],
  [
    "pop",
    (self, args, kwargs) => {
      none(args, kwargs);
      const [first] = self.values();
      if (first === undefined) throw keyError("'pop from an empty set'");
      self.delete(first);
      return first;
    },
  ],
  bare<PySet>("copy", (self) => new PySet(self.values())),
  bare<PySet>("clear", (self) => {
    self.clear();
    return null;
  }),
  [
    "union",
    (self, args, _kwargs, meter) => new PySet([self, ...others(args, meter)].flatMap((set) => set.values())),
  ],
  [
    "intersection",
    (self, args, _kwargs, meter) => {
      const sets = others(args, meter);
      return new PySet(self.values().filter((item) => sets.every((set) => set.has(item))));
    },
  ],
  [
    "difference",
    (self, args, _kwargs, meter) => {
      const sets = others(args, meter);
      return new PySet(self.values().filter((item) => !sets.some((set) => set.has(item))));
    },
  ],
  [
    "symmetric_difference",
    (self, args, _kwargs, meter) => {
      const [other = new PySet()] = others(args, meter);
      const mine = self.values().filter((item) => !other.has(item));
      return new PySet([...mine, ...other.values().filter((item) => !self.has(item))]);
    },
  ],
  [
    "update",
    (self, args, _kwargs, meter) => {
      for (const set of others(args, meter)) for (const item of set.values()) self.add(item);
      return null;
    },
  ],
  [
    "isdisjoint",
    (self, args, _kwargs, meter) =>
      others(args, meter).every((set) => !self.values().some((item) => set.has(item))),
  ],
  [
    "issubset",
    (self, args, _kwargs, meter) =>
      others(args, meter).every((set) => self.values().every((item) => set.has(item))),
  ],
  [
    "issuperset",
    (self, args, _kwargs, meter) =>
      others(args, meter).every((set) => set.values().every((item) => self.has(item))),
  ],
]);

/** `dict(...)`. */
export function buildDict(args: readonly Value[], kwargs: Kwargs | undefined, meter: Meter): PyDict {
  const [source] = args;
  if (args.length > 1) throw typeError(`dict expected at most 1 argument, got ${args.length}`);
  if (source !== undefined && !isIterable(source))
    throw typeError(`'${typeName(source)}' object is not iterable`);
  const dict = new PyDict();
  updateDict(dict, args, kwargs, meter);
  return dict;
}
