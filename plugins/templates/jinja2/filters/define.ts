/** How a filter is written down: its parameters and its body. */
import { type Bound, signature } from "../../python/args.ts";
import { typeError, valueError } from "../../python/errors.ts";
import { iterate, PyIterator } from "../../python/iterate.ts";
import { str } from "../../python/repr.ts";
import { indexOf } from "../../python/slice.ts";
import { isText, Markup, type PyObject, truth, typeName, type Value } from "../../python/values.ts";
import type { Filter, FilterContext } from "../filter.ts";

export type Entry = readonly [string, Filter];

/** @param parameters behind the value itself; those that end in `?` may be left out. */
export function filter(
  name: string,
  parameters: readonly string[],
  body: (value: Value, given: Bound, context: FilterContext) => Value,
): Entry {
  const bind = signature(name, parameters);
  return [name, (value, args, kwargs, context) => body(value, bind(args, kwargs), context)];
}

/** The text of a value; Markup stays what it is. */
export function softText(value: Value, context: FilterContext): string | Markup {
  return isText(value) ? value : str(value, context.meter);
}

export function plainText(value: Value, context: FilterContext): string {
  return typeof value === "string" ? value : str(value, context.meter);
}

/** The same kind of text as `like`. */
export function alike(like: Value, text: string): string | Markup {
  return like instanceof Markup ? new Markup(text) : text;
}

export function integer(value: Value | undefined, absent: number): number {
  if (value === undefined) return absent;
  const index = indexOf(value);
  if (index === undefined) {
    throw typeError(`'${typeName(value)}' object cannot be interpreted as an integer`);
  }
  return index;
}

export function flag(value: Value | undefined, absent = false): boolean {
  return value === undefined ? absent : truth(value);
}

export function argumentError(message: string): Error {
  return valueError(message);
}

/** A generator: `each` is made at the first item and gives an item, or undefined to leave it out. */
export function lazy(
  value: Value,
  context: FilterContext,
  prepare: () => (item: Value) => Value | undefined,
): PyObject {
  const { meter } = context;
  let each: ((item: Value) => Value | undefined) | undefined;
  let source: Iterator<Value> | undefined;
  const iterator: Iterator<Value> = {
    next() {
      if (source === undefined) {
        if (!truth(value)) return { done: true, value: undefined };
        each = prepare();
        source = iterate(value, meter);
      }
      for (let turn = source.next(); turn.done !== true; turn = source.next()) {
        meter.step();
        const item = each?.(turn.value);
        if (item !== undefined) return { done: false, value: item };
      }
      return { done: true, value: undefined };
    },
  };
  return new PyIterator(iterator);
}

/** A generator over what is computed all at once, at the first item. */
export function deferred(compute: () => Iterable<Value>): PyObject {
  let items: Iterator<Value> | undefined;
  return new PyIterator({
    next() {
      items ??= compute()[Symbol.iterator]();
      return items.next();
    },
  });
}
