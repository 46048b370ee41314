/** Filter results that are generators in Python: nothing runs before the first item is requested. */
import { iterate, PyIterator, type PyObject, truth, type Value } from "../../python/index.ts";
import type { FilterContext } from "./kinds.ts";

const END = { done: true, value: undefined } as const;

/** @param prepare returns the mapping of an item; undefined drops the item. */
export function lazy(
  value: Value,
  { meter }: FilterContext,
  prepare: () => (item: Value) => Value | undefined,
): PyObject {
  let each: ((item: Value) => Value | undefined) | undefined;
  let source: Iterator<Value> | undefined;
  return new PyIterator({
    next() {
      if (source === undefined) {
        if (!truth(value)) return END;
        each = prepare();
        source = iterate(value, meter);
      }
      for (let turn = source.next(); turn.done !== true; turn = source.next()) {
        meter.step();
        const item = each?.(turn.value);
        if (item !== undefined) return { done: false, value: item };
      }
      return END;
    },
  });
}

/** A generator over a result that is computed at once on first use. */
export function deferred(compute: () => Iterable<Value>): PyObject {
  let items: Iterator<Value> | undefined;
  return new PyIterator({
    next() {
      items ??= compute()[Symbol.iterator]();
      return items.next();
    },
  });
}
