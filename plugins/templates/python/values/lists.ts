/** Methods of list and tuple. */

import { indexError, typeError, valueError } from "../errors.ts";
import type { Meter } from "../limits.ts";
import { repr } from "../text/repr.ts";
import { needInt } from "../text/strings.ts";
import { type Bound, methods, signature } from "./args.ts";
import { callValue } from "./call.ts";
import { sorted } from "./compare.ts";
import { same } from "./equal.ts";
import { itemsOf } from "./iterate.ts";
import { PySlice, placeOf, sliceBounds } from "./slice.ts";
import { type PyTuple, truth, type Value } from "./values.ts";

function index(items: readonly Value[], args: Bound, meter: Meter): number {
  const [target = null, start = null, stop = null] = args;
  const bounds = sliceBounds(new PySlice(start, stop, null), items.length);
  for (let i = bounds.start; i < bounds.stop; i++) if (same(items[i] as Value, target)) return i;
  throw valueError(`${repr(target, meter)} is not in list`);
}

const count = (items: readonly Value[], [target = null]: Bound): number =>
  items.filter((item) => same(item, target)).length;

const bindSort = signature("sort", ["key?", "reverse?"]);

export const listMethods = methods<Value[]>({
  "index(value, start?, stop?, /)": index,
  "count(value, /)": count,
  "append(object, /)": (self, [item = null], meter) => {
    if (self.length >= meter.limits.listItems) meter.items(self.length + 1);
    self.push(item);
  },
  "extend(iterable, /)": (self, [more = null], meter) => {
    const items = itemsOf(more, meter);
    meter.items(self.length + items.length);
    for (const item of items.slice()) self.push(item);
  },
  "insert(index, object, /)": (self, [at, item = null], meter) => {
    meter.items(self.length + 1);
    const position = needInt(at, 0);
    self.splice(position < 0 ? Math.max(0, self.length + position) : position, 0, item);
  },
  "pop(index?, /)": (self, [position]) => {
    const index = needInt(position, -1);
    if (self.length === 0) throw indexError("pop from empty list");
    const at = placeOf(index, self.length);
    if (at === undefined) throw indexError("pop index out of range");
    return self.splice(at, 1)[0];
  },
  "remove(value, /)": (self, [target = null]) => {
    const at = self.findIndex((item) => same(item, target));
    if (at < 0) throw valueError("list.remove(x): x not in list");
    self.splice(at, 1);
  },
  "reverse()": (self) => {
    self.reverse();
  },
  "clear()": (self) => {
    self.length = 0;
  },
  "copy()": (self, _given, meter) => {
    meter.items(self.length);
    return self.slice();
  },
  "sort(*)": (self, args, meter, kwargs) => {
    if (args.length > 0) throw typeError("sort() takes no positional arguments");
    const [key = null, reverse = false] = bindSort([], kwargs);
    const items = sorted(self, meter, {
      reverse: truth(reverse),
      ...(key === null ? {} : { key: (item: Value) => callValue(key, [item], undefined, meter) }),
    });
    for (let i = 0; i < items.length; i++) self[i] = items[i] as Value;
  },
});

export const tupleMethods = methods<PyTuple>({
  "index(value, start?, stop?, /)": ({ items }, args, meter) => index(items, args, meter),
  "count(value, /)": ({ items }, args) => count(items, args),
});
