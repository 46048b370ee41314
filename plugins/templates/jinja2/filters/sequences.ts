/** Filters over lists, dictionaries and other sequences. */

import {
  add,
  attribute,
  compare,
  eq,
  escapeValue,
  extreme,
  isIterable,
  isText,
  itemsOf,
  iterate,
  joinText,
  lengthOf,
  listOf,
  Markup,
  PyDict,
  PyIterator,
  PyRange,
  PySet,
  PyTuple,
  PyView,
  same,
  sorted,
  textOf,
  truth,
  typeError,
  typeName,
  Undefined,
  type Value,
  zeroDivision,
} from "../../python/index.ts";
import { missingMember } from "../run/missing.ts";
import { alike, argumentError, define, type FilterEntries, integer, plainText } from "./define.ts";
import { createGetter, createMultiGetter, ignoreCase } from "./getter.ts";
import type { FilterContext } from "./kinds.ts";
import { deferred } from "./lazy.ts";

const REVERSIBLE = [PyTuple, Undefined, PyDict, PyRange, PyView];

/** The items reversed, for types that Python's `reversed` accepts. */
function reversedItems(value: Value, { meter }: FilterContext): Value[] | undefined {
  const fixed = isText(value) || Array.isArray(value) || REVERSIBLE.some((kind) => value instanceof kind);
  return fixed ? listOf(value, meter).reverse() : undefined;
}

function lastItem(value: Value, context: FilterContext): Value {
  const items = Array.isArray(value) ? value.slice(-1) : reversedItems(value, context);
  if (items === undefined) throw typeError(`'${typeName(value)}' object is not reversible`);
  const [last] = items;
  return last === undefined ? context.undefined("No last item, sequence was empty.") : last;
}

function reversed(value: Value, context: FilterContext): Value {
  if (isText(value)) return alike(value, Array.from(textOf(value)).reverse().join(""));
  if (!isIterable(value)) throw argumentError("argument must be iterable");
  const items = reversedItems(value, context);
  return items === undefined
    ? listOf(value, context.meter).reverse()
    : new PyIterator(items[Symbol.iterator](), "list_reverseiterator");
}

function joined(value: Value, separator: Value, attributeName: Value, context: FilterContext): Value {
  const { meter } = context;
  let items = itemsOf(value, meter);
  if (attributeName !== null) items = items.map(createGetter(attributeName, context));
  const html =
    context.autoescape && (separator instanceof Markup || items.some((item) => item instanceof Markup));
  if (html) {
    const parts = items.map((item) => escapeValue(item, meter).value);
    return new Markup(joinText(escapeValue(separator, meter).value, parts, meter));
  }
  const texts = items.map((item) => plainText(item, context));
  return joinText(plainText(separator, context), texts, meter);
}

const smallest =
  (op: "<" | ">") =>
  (value: Value, caseSensitive: boolean, by: Value, context: FilterContext): Value => {
    const key = createGetter(by, context, { change: caseSensitive ? undefined : ignoreCase });
    const found = extreme(op, itemsOf(value, context.meter), context.meter, key);
    return found === undefined ? context.undefined("No aggregated item, sequence was empty.") : found;
  };

/** A named tuple, as returned by `groupby`. */
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
  const key = createGetter(by, context, { absent, change: caseSensitive ? undefined : ignoreCase });
  const groups: { key: Value; grouper: Value; items: Value[] }[] = [];
  for (const item of sorted(itemsOf(value, context.meter), context.meter, { key })) {
    const its = key(item);
    const last = groups.at(-1);
    if (last !== undefined && same(last.key, its)) last.items.push(item);
    else groups.push({ key: its, grouper: real(item), items: [item] });
  }
  return groups.map(({ grouper, items }) => new Group(grouper, items));
}

function sliced(value: Value, slices: number, fill: Value, { meter }: FilterContext): Value[] {
  const items = itemsOf(value, meter);
  if (slices === 0) throw zeroDivision("integer division or modulo by zero");
  meter.items(Math.max(0, slices));
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

/** The size is only compared with the batch length: if they are never equal, all items form one batch. */
function batched(value: Value, size: Value, fill: Value, { meter }: FilterContext): Value[] {
  const batches: Value[][] = [];
  let batch: Value[] = [];
  for (const item of itemsOf(value, meter)) {
    if (eq(batch.length, size)) {
      batches.push(batch);
      batch = [];
    }
    batch.push(item);
  }
  if (batch.length > 0) {
    if (fill !== null && compare("<", batch.length, size)) {
      const batchSize = integer(size);
      meter.items(batchSize);
      while (batch.length < batchSize) batch.push(fill);
    }
    batches.push(batch);
  }
  return batches;
}

/** The first item of each distinct key. */
export function distinct(items: readonly Value[], keys: readonly Value[]): Value[] {
  const seen = new PySet();
  return items.filter((_, i) => {
    const its = keys[i] ?? null;
    if (seen.has(its)) return false;
    seen.add(its);
    return true;
  });
}

function summed(value: Value, by: Value, start: Value, context: FilterContext): Value {
  const { meter } = context;
  if (isText(start)) throw typeError("sum() can't sum strings [use ''.join(seq) instead]");
  const get = by === null ? undefined : createGetter(by, context);
  let total: Value = start;
  for (const item of itemsOf(value, meter)) total = add(total, get === undefined ? item : get(item), meter);
  return total;
}

function entriesOf(value: Value): PyTuple[] {
  if (value instanceof Undefined) return value.fail();
  if (!(value instanceof PyDict)) throw typeError(`'${typeName(value)}' object has no attribute 'items'`);
  return value.entries().map((entry) => new PyTuple(entry));
}

function sortedEntries(
  value: Value,
  caseSensitive: boolean,
  by: Value,
  reverse: boolean,
  { meter }: FilterContext,
): Value[] {
  if (by !== "key" && by !== "value") throw argumentError('You can only sort by either "key" or "value"');
  const at = by === "key" ? 0 : 1;
  const key = (pair: Value): Value => {
    const its = pair instanceof PyTuple ? (pair.items[at] ?? null) : null;
    return caseSensitive ? its : ignoreCase(its);
  };
  return sorted(entriesOf(value), meter, { key, reverse });
}

function attributeOf(value: Value, name: Value, context: FilterContext): Value {
  if (value instanceof Undefined) return value.typeName === "ChainableUndefined" ? value : value.fail();
  const found = attribute(value, plainText(name, context), context.meter);
  return found === undefined ? missingMember(context.run.undefinedKind, value, name, context.meter) : found;
}

export const sequenceFilters: FilterEntries = [
  define("default d", "any", "default_value = '', boolean: flag = false", (value, absent, boolean) =>
    value instanceof Undefined || (boolean && !truth(value)) ? absent : value,
  ),
  define("length count", "any", "", lengthOf),
  define("list", "any", "", (value, { meter }) => listOf(value, meter)),
  define("first", "any", "", (value, context) => {
    const turn = iterate(value, context.meter).next();
    return turn.done === true ? context.undefined("No first item, sequence was empty.") : turn.value;
  }),
  define("last", "any", "", lastItem),
  define("reverse", "any", "", reversed),
  define("join", "any", "d = '', attribute = none", joined),
  define(
    "sort",
    "any",
    "reverse: flag = false, case_sensitive: flag = false, attribute = none",
    (value, reverse, caseSensitive, by, context) => {
      const key = createMultiGetter(by, context, caseSensitive ? undefined : ignoreCase);
      return sorted(itemsOf(value, context.meter), context.meter, { key, reverse });
    },
  ),
  define(
    "unique",
    "any",
    "case_sensitive: flag = false, attribute = none",
    (value, caseSensitive, by, context) =>
      deferred(() => {
        const items = itemsOf(value, context.meter);
        return distinct(
          items,
          items.map(createGetter(by, context, { change: caseSensitive ? undefined : ignoreCase })),
        );
      }),
  ),
  define("min", "any", "case_sensitive: flag = false, attribute = none", smallest("<")),
  define("max", "any", "case_sensitive: flag = false, attribute = none", smallest(">")),
  define("sum", "any", "attribute = none, start = 0", summed),
  define("groupby", "any", "attribute, default = none, case_sensitive: flag = false", grouped),
  define("slice", "any", "slices, fill_with = none", (value, slices, fill, context) =>
    deferred(() => sliced(value, integer(slices), fill, context)),
  ),
  define("batch", "any", "linecount, fill_with = none", (value, size, fill, context) =>
    deferred(() => batched(value, size, fill, context)),
  ),
  define("items", "any", "", (value) =>
    deferred(() => {
      if (value instanceof Undefined) return [];
      if (!(value instanceof PyDict)) throw typeError("Can only get item pairs from a mapping.");
      return entriesOf(value);
    }),
  ),
  define("dictsort", "any", "case_sensitive: flag = false, by = 'key', reverse: flag = false", sortedEntries),
  define("attr", "any", "name", attributeOf),
].flat();
