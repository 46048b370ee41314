/** The methods of list and tuple. */
import { signature } from "./args.ts";
import { callValue } from "./call.ts";
import { sorted } from "./compare.ts";
import { same } from "./equal.ts";
import { indexError, typeError, valueError } from "./errors.ts";
import { itemsOf } from "./iterate.ts";
import { repr } from "./repr.ts";
import { PySlice, sliceBounds } from "./slice.ts";
import { type Method, needInt } from "./strings.ts";
import { type PyTuple, truth, type Value } from "./values.ts";

const one = signature("append", ["object"], false);
const none = signature("clear", [], false);
const insertAt = signature("insert", ["index", "object"], false);
const popAt = signature("pop", ["index?"], false);
const bindIndex = signature("index", ["value", "start?", "stop?"], false);
const bindSort = signature("sort", ["key?", "reverse?"]);

const index: Method<readonly Value[]> = (self, args, kwargs, meter) => {
  const [wanted = null, start = null, stop = null] = bindIndex(args, kwargs);
  const bounds = sliceBounds(new PySlice(start, stop, null), self.length);
  for (let i = bounds.start; i < bounds.stop; i++) if (same(self[i] as Value, wanted)) return i;
  throw valueError(`${repr(wanted, meter)} is not in list`);
};

const count: Method<readonly Value[]> = (self, args, kwargs) => {
  const [wanted = null] = one(args, kwargs);
  return self.filter((item) => same(item, wanted)).length;
};

export const listMethods: ReadonlyMap<string, Method<Value[]>> = new Map<string, Method<Value[]>>([
  ["index", index],
  ["count", count],
  [
    "append",
    (self, args, kwargs, meter) => {
      const [item = null] = one(args, kwargs);
      if (self.length >= meter.limits.listItems) meter.items(self.length + 1);
      self.push(item);
      return null;
    },
  ],
  [
    "extend",
    (self, args, kwargs, meter) => {
      const items = itemsOf(one(args, kwargs)[0] ?? null, meter);
      meter.items(self.length + items.length);
      for (const item of items.slice()) self.push(item);
      return null;
    },
  ],
  [
    "insert",
    (self, args, kwargs, meter) => {
      const [at, item = null] = insertAt(args, kwargs);
      meter.items(self.length + 1);
      const position = needInt(at, 0);
      self.splice(position < 0 ? Math.max(0, self.length + position) : position, 0, item);
      return null;
    },
  ],
  [
    "pop",
    (self, args, kwargs) => {
      const given = needInt(popAt(args, kwargs)[0], -1);
      if (self.length === 0) throw indexError("pop from empty list");
      const at = given < 0 ? self.length + given : given;
      if (at < 0 || at >= self.length) throw indexError("pop index out of range");
      return self.splice(at, 1)[0] ?? null;
    },
  ],
  [
    "remove",
    (self, args, kwargs) => {
      const [wanted = null] = one(args, kwargs);
      const at = self.findIndex((item) => same(item, wanted));
      if (at < 0) throw valueError("list.remove(x): x not in list");
      self.splice(at, 1);
      return null;
    },
  ],
  [
    "reverse",
    (self, args, kwargs) => {
      none(args, kwargs);
      self.reverse();
      return null;
    },
  ],
  [
    "clear",
    (self, args, kwargs) => {
      none(args, kwargs);
      self.length = 0;
      return null;
    },
  ],
  [
    "copy",
    (self, args, kwargs, meter) => {
      none(args, kwargs);
      meter.items(self.length);
      return self.slice();
    },
  ],
  [
    "sort",
    (self, args, kwargs, meter) => {
      if (args.length > 0) throw typeError("sort() takes no positional arguments");
      const [key = null, reverse = false] = bindSort([], kwargs);
      const items = sorted(self, meter, {
        reverse: truth(reverse),
        ...(key === null ? {} : { key: (item: Value) => callValue(key, [item], undefined, meter) }),
      });
      for (let i = 0; i < items.length; i++) self[i] = items[i] as Value;
      return null;
    },
  ],
]);

export const tupleMethods: ReadonlyMap<string, Method<PyTuple>> = new Map<string, Method<PyTuple>>([
  ["index", (self, args, kwargs, meter) => index(self.items, args, kwargs, meter)],
  ["count", (self, args, kwargs, meter) => count(self.items, args, kwargs, meter)],
]);

/** A pair out of any two-item sequence, for `dict(...)` and `update(...)`. */
export function pairOf(value: Value, items: readonly Value[], at: number): readonly [Value, Value] {
  const [key, item] = items;
  if (items.length !== 2 || key === undefined || item === undefined) {
    throw value === null || typeof value === "number"
      ? typeError(`cannot convert dictionary update sequence element #${at} to a sequence`)
      : valueError(`dictionary update sequence element #${at} has length ${items.length}; 2 is required`);
  }
  return [key, item];
}
