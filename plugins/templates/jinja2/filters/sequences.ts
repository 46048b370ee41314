/** Filters over lists, dictionaries and other sequences. */

import { signature } from "../../python/args.ts";
import { add } from "../../python/arith.ts";
import { textLength } from "../../python/codepoints.ts";
import { compare, sorted } from "../../python/compare.ts";
import { PyDict, PySet } from "../../python/dict.ts";
import { same } from "../../python/equal.ts";
import { typeError, zeroDivision } from "../../python/errors.ts";
import { isIterable, itemsOf, iterate, listOf, PyIterator, PyRange, PyView } from "../../python/iterate.ts";
import { escapeValue } from "../../python/markup.ts";
import { attribute } from "../../python/methods.ts";
import { joinText } from "../../python/strings.ts";
import {
  isText,
  Markup,
  PyObject,
  PyTuple,
  textOf,
  truth,
  typeName,
  Undefined,
  type Value,
} from "../../python/values.ts";
import type { FilterContext } from "../filter.ts";
import { missingMember } from "../missing.ts";
import { randomFilter } from "../network/chance.ts";
import {
  alike,
  argumentError,
  deferred,
  type Entry,
  filter,
  flag,
  integer,
  plainText,
  softText,
} from "./define.ts";
import { createGetter, createMultiGetter, ignoreCase } from "./getter.ts";

export function lengthOf(value: Value): number {
  if (isText(value)) return textLength(textOf(value));
  if (Array.isArray(value)) return value.length;
  const length = value instanceof PyObject ? value.length?.() : undefined;
  if (length === undefined) throw typeError(`object of type '${typeName(value)}' has no len()`);
  return length;
}

/** The items backwards, where Python's `reversed` takes the value. */
function reversedItems(value: Value, context: FilterContext): Value[] | undefined {
  const fixed =
    isText(value) ||
    Array.isArray(value) ||
    value instanceof PyTuple ||
    value instanceof Undefined ||
    value instanceof PyDict ||
    value instanceof PyRange ||
    value instanceof PyView;
  return fixed ? listOf(value, context.meter).reverse() : undefined;
}

function joined(value: Value, separator: Value, attributeName: Value, context: FilterContext): Value {
  const { meter } = context;
  let items = itemsOf(value, meter);
  if (attributeName !== null) items = items.map(createGetter(attributeName, context));
  if (!context.autoescape) {
    const texts = items.map((item) => plainText(item, context));
    return joinText(plainText(separator, context), texts, meter);
  }
  const html = separator instanceof Markup || items.some((item) => item instanceof Markup);
  if (!html) {
    const texts = items.map((item) => textOf(softText(item, context)));
    return joinText(textOf(softText(separator, context)), texts, meter);
  }
  const parts = items.map((item) => escapeValue(item, meter).value);
  return new Markup(joinText(escapeValue(separator, meter).value, parts, meter));
}

function smallest(
  value: Value,
  op: "<" | ">",
  caseSensitive: boolean,
  by: Value,
  context: FilterContext,
): Value {
  const items = itemsOf(value, context.meter);
  const [first, ...rest] = items;
  if (first === undefined) return context.undefined("No aggregated item, sequence was empty.");
  const key = createGetter(by, context, caseSensitive ? {} : { change: ignoreCase });
  let best = first;
  let bestKey = key(first);
  for (const item of rest) {
    const itemKey = key(item);
    if (!compare(op, itemKey, bestKey)) continue;
    best = item;
    bestKey = itemKey;
  }
  return best;
}

/** A pair that also has names, as `groupby` gives. */
class Group extends PyTuple {
  constructor(
    private readonly grouper: Value,
    private readonly list: Value[],
  ) {
    super([grouper, list]);
  }
  override getattr(name: string): Value | undefined {
    if (name === "grouper") return this.grouper;
    return name === "list" ? this.list : undefined;
  }
}

function grouped(
  value: Value,
  by: Value,
  absent: Value,
  caseSensitive: boolean,
  context: FilterContext,
): Value {
  const real = createGetter(by, context, { absent });
  const key = createGetter(by, context, caseSensitive ? { absent } : { absent, change: ignoreCase });
  const groups: { key: Value; grouper: Value; items: Value[] }[] = [];
  for (const item of sorted(itemsOf(value, context.meter), context.meter, { key })) {
    const its = key(item);
    const last = groups.at(-1);
    if (last !== undefined && same(last.key, its)) last.items.push(item);
    else groups.push({ key: its, grouper: real(item), items: [item] });
  }
  return groups.map(({ grouper, items }) => new Group(grouper, items));
}

function sliced(value: Value, slices: number, fill: Value, context: FilterContext): Value[] {
  const items = itemsOf(value, context.meter);
  if (slices === 0) throw zeroDivision("integer division or modulo by zero");
  context.meter.items(Math.max(0, slices));
  const size = Math.floor(items.length / slices);
  const longer = items.length % slices;
  const parts: Value[] = [];
  let at = 0;
  for (let i = 0; i < slices; i++) {
    const end = at + size + (i < longer ? 1 : 0);
    const part = items.slice(at, end);
    if (fill !== null && i >= longer) part.push(fill);
    parts.push(part);
    at = end;
  }
  return parts;
}

function batched(value: Value, size: number, fill: Value, context: FilterContext): Value[] {
  const items = itemsOf(value, context.meter);
  const batches: Value[][] = [];
  let batch: Value[] = [];
  for (const item of items) {
    if (batch.length === size) {
      batches.push(batch);
      batch = [];
    }
    batch.push(item);
  }
  if (batch.length > 0) {
    if (fill !== null && batch.length < size) {
      context.meter.items(size);
      while (batch.length < size) batch.push(fill);
    }
    batches.push(batch);
  }
  return batches;
}

function summed(value: Value, by: Value, start: Value, context: FilterContext): Value {
  const { meter } = context;
  if (typeof start === "string" || start instanceof Markup) {
    throw typeError("sum() can't sum strings [use ''.join(seq) instead]");
  }
  const get = by === null ? undefined : createGetter(by, context);
  let total: Value = start;
  for (const item of itemsOf(value, meter)) total = add(total, get === undefined ? item : get(item), meter);
  return total;
}

function orUndefined(value: Value | undefined, hint: string, context: FilterContext): Value {
  return value === undefined ? context.undefined(hint) : value;
}

const bindSort = ["reverse?", "case_sensitive?", "attribute?"];
const bindPick = ["case_sensitive?", "attribute?"];
const bindDefault = signature("default", ["default_value?", "boolean?"]);

const fallback: Entry[1] = (value, args, kwargs) => {
  const [absent = "", boolean = false] = bindDefault(args, kwargs);
  return value instanceof Undefined || (truth(boolean) && !truth(value)) ? absent : value;
};

export const sequenceFilters: readonly Entry[] = [
  ["default", fallback],
  ["d", fallback],
  filter("length", [], (value) => lengthOf(value)),
  filter("count", [], (value) => lengthOf(value)),
  filter("list", [], (value, _given, { meter }) => listOf(value, meter)),
  filter("first", [], (value, _given, context) => {
    const turn = iterate(value, context.meter).next();
    return turn.done === true ? context.undefined("No first item, sequence was empty.") : turn.value;
  }),
  filter("last", [], (value, _given, context) => {
    const absent = "No last item, sequence was empty.";
    if (Array.isArray(value)) return orUndefined(value.at(-1), absent, context);
    if (value instanceof Undefined) return orUndefined(itemsOf(value, context.meter)[0], absent, context);
    const items = reversedItems(value, context);
    if (items === undefined) throw typeError(`'${typeName(value)}' object is not reversible`);
    return orUndefined(items[0], absent, context);
  }),
  randomFilter,
  filter("reverse", [], (value, _given, context) => {
    if (isText(value)) return alike(value, Array.from(textOf(value)).reverse().join(""));
    if (!isIterable(value)) throw argumentError("argument must be iterable");
    const items = reversedItems(value, context);
    return items === undefined
      ? listOf(value, context.meter).reverse()
      : new PyIterator(items[Symbol.iterator](), "list_reverseiterator");
  }),
  filter("join", ["d?", "attribute?"], (value, [separator = "", by = null], context) =>
    joined(value, separator, by, context),
  ),
  filter("sort", bindSort, (value, [reverse, caseSensitive, by = null], context) => {
    const change = flag(caseSensitive) ? undefined : ignoreCase;
    const items = itemsOf(value, context.meter);
    return sorted(items, context.meter, {
      key: createMultiGetter(by, context, change),
      reverse: flag(reverse),
    });
  }),
  filter("unique", bindPick, (value, [caseSensitive, by = null], context) =>
    deferred(() => {
      const key = createGetter(by, context, flag(caseSensitive) ? {} : { change: ignoreCase });
      const seen = new PySet();
      return itemsOf(value, context.meter).filter((item) => {
        const its = key(item);
        if (seen.has(its)) return false;
        seen.add(its);
        return true;
      });
    }),
  ),
  filter("min", bindPick, (value, [caseSensitive, by = null], context) =>
    smallest(value, "<", flag(caseSensitive), by, context),
  ),
  filter("max", bindPick, (value, [caseSensitive, by = null], context) =>
    smallest(value, ">", flag(caseSensitive), by, context),
  ),
  filter("sum", ["attribute?", "start?"], (value, [by = null, start = 0], context) =>
    summed(value, by, start, context),
  ),
  filter(
    "groupby",
    ["attribute", "default?", "case_sensitive?"],
    (value, [by = null, absent = null, caseSensitive], context) =>
      grouped(value, by, absent, flag(caseSensitive), context),
  ),
  filter("slice", ["slices", "fill_with?"], (value, [slices, fill = null], context) =>
    deferred(() => sliced(value, integer(slices, 0), fill, context)),
  ),
  filter("batch", ["linecount", "fill_with?"], (value, [count, fill = null], context) =>
    deferred(() => batched(value, integer(count, 0), fill, context)),
  ),
  filter("items", [], (value) =>
    deferred(() => {
      if (value instanceof Undefined) return [];
      if (!(value instanceof PyDict)) throw typeError("Can only get item pairs from a mapping.");
      return value.entries().map((entry) => new PyTuple(entry));
    }),
  ),
  filter(
    "dictsort",
    ["case_sensitive?", "by?", "reverse?"],
    (value, [caseSensitive, by = "key", reverse], context) => {
      if (by !== "key" && by !== "value") throw argumentError('You can only sort by either "key" or "value"');
      if (value instanceof Undefined) return value.fail();
      if (!(value instanceof PyDict)) throw typeError(`'${typeName(value)}' object has no attribute 'items'`);
      const at = by === "key" ? 0 : 1;
      const key = (pair: Value): Value => {
        const one = pair instanceof PyTuple ? (pair.items[at] ?? null) : null;
        return flag(caseSensitive) ? one : ignoreCase(one);
      };
      const pairs = value.entries().map((entry) => new PyTuple(entry));
      return sorted(pairs, context.meter, { key, reverse: flag(reverse) });
    },
  ),
  filter("attr", ["name"], (value, [name = null], context) => {
    if (value instanceof Undefined) return value.typeName === "ChainableUndefined" ? value : value.fail();
    const wanted = plainText(name, context);
    const found = attribute(value, wanted, context.meter);
    return found === undefined ? missingMember(context.run.undefinedKind, value, name, context.meter) : found;
  }),
];
