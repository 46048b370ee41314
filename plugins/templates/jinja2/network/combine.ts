/** Filters over several lists: flatten, union and its kin, zip, and the orders of items. */
import { signature } from "../../python/args.ts";
import { PySet } from "../../python/dict.ts";
import { eq } from "../../python/equal.ts";
import { PyError, typeError } from "../../python/errors.ts";
import { itemsOf, iterate, PyIterator } from "../../python/iterate.ts";
import type { Meter } from "../../python/limits.ts";
import { isText, PyTuple, typeName, Undefined, type Value } from "../../python/values.ts";
import type { FilterContext } from "../filter.ts";
import { type Entry, filter, flag, integer } from "../filters/define.ts";

/** Items seen so far; those that cannot be keys are compared one by one. */
function createSeen(meter: Meter): { has(item: Value): boolean; add(item: Value): void } {
  const keys = new PySet();
  const others: Value[] = [];
  const attempt = <T>(work: () => T): T | undefined => {
    try {
      return work();
    } catch (error) {
      if (error instanceof PyError && error.pythonType === "TypeError") return undefined;
      throw error;
    }
  };
  return {
    has(item) {
      meter.step(1 + (others.length >> 3));
      return attempt(() => keys.has(item)) ?? others.some((one) => eq(one, item));
    },
    add(item) {
      const added = attempt(() => {
        keys.add(item);
        return true;
      });
      if (added === undefined) others.push(item);
    },
  };
}

function listed(value: Value | undefined, meter: Meter, letters = false): readonly Value[] {
  if (value instanceof Undefined) return value.fail();
  if (value === undefined || (isText(value) && !letters)) throw typeError("a list is needed, not text");
  return itemsOf(value, meter);
}

function unique(
  items: readonly Value[],
  meter: Meter,
  wanted: (item: Value) => boolean = () => true,
): Value[] {
  const seen = createSeen(meter);
  return items.filter((item) => {
    if (!wanted(item) || seen.has(item)) return false;
    seen.add(item);
    return true;
  });
}

export function membersOf(items: readonly Value[], meter: Meter): (item: Value) => boolean {
  const seen = createSeen(meter);
  for (const item of items) if (!seen.has(item)) seen.add(item);
  return (item) => seen.has(item);
}

type SetOperation = (a: readonly Value[], b: readonly Value[], meter: Meter) => Value[];

/** @param letters whether a text is taken for the list of its letters */
function setFilter(name: string, operate: SetOperation, letters = false): Entry {
  return filter(name, ["b"], (value, [other], { meter }) =>
    operate(listed(value, meter, letters), listed(other, meter, letters), meter),
  );
}

const intersect: SetOperation = (a, b, meter) => unique(a, meter, membersOf(b, meter));
const difference: SetOperation = (a, b, meter) => {
  const inOther = membersOf(b, meter);
  return unique(a, meter, (item) => !inOther(item));
};

/** Beyond this many levels a list is taken to hold itself. */
const MAX_LEVELS = 200;
const NOTHING = ["None", "null"];

function flattened(
  items: readonly Value[],
  levels: number,
  skipNulls: boolean,
  into: Value[],
  meter: Meter,
): Value[] {
  for (const item of items) {
    meter.step();
    if (skipNulls && (item === null || (typeof item === "string" && NOTHING.includes(item)))) continue;
    const inner = Array.isArray(item) ? item : item instanceof PyTuple ? item.items : undefined;
    if (inner !== undefined && levels > 0) flattened(inner, levels - 1, skipNulls, into, meter);
    else into.push(item);
    if (into.length > meter.limits.listItems) meter.items(into.length);
  }
  return into;
}

function* zipped(iterators: readonly Iterator<Value>[], meter: Meter): Generator<Value> {
  for (;;) {
    meter.step();
    const turn: Value[] = [];
    for (const iterator of iterators) {
      const next = iterator.next();
      if (next.done === true) return;
      turn.push(next.value);
    }
    yield new PyTuple(turn);
  }
}

function* zippedLongest(iterators: readonly Iterator<Value>[], fill: Value, meter: Meter): Generator<Value> {
  const done = iterators.map(() => false);
  for (;;) {
    meter.step();
    const turn = iterators.map((iterator, i) => {
      const next = done[i] === true ? undefined : iterator.next();
      if (next === undefined || next.done === true) {
        done[i] = true;
        return fill;
      }
      return next.value;
    });
    if (done.every((one) => one)) return;
    yield new PyTuple(turn);
  }
}

/** Every choice of one item of each list, the last list running fastest. */
function* products(lists: readonly (readonly Value[])[], meter: Meter): Generator<Value> {
  const at = lists.map(() => 0);
  if (lists.some((list) => list.length === 0)) return;
  for (;;) {
    meter.step(lists.length);
    yield new PyTuple(lists.map((list, i) => list[at[i] ?? 0] ?? null));
    let place = lists.length - 1;
    for (; place >= 0; place--) {
      const next = (at[place] ?? 0) + 1;
      at[place] = next === lists[place]?.length ? 0 : next;
      if (at[place] !== 0) break;
    }
    if (place < 0) return;
  }
}

/** Choices of so many positions: ascending ones, or in every order. */
function* choices(items: readonly Value[], count: number, ordered: boolean, meter: Meter): Generator<Value> {
  if (count > items.length || count < 0) return;
  const chosen: number[] = [];
  function* extend(): Generator<Value> {
    meter.step();
    if (chosen.length === count) {
      yield new PyTuple(chosen.map((i) => items[i] ?? null));
      return;
    }
    const from = ordered ? 0 : (chosen.at(-1) ?? -1) + 1;
    for (let i = from; i < items.length; i++) {
      if (ordered && chosen.includes(i)) continue;
      chosen.push(i);
      yield* extend();
      chosen.pop();
    }
  }
  meter.items(count);
  if (count > meter.limits.depth)
    throw new PyError("RecursionError", `more than ${meter.limits.depth} items in a choice`);
  yield* extend();
}

const bindFill = signature("zip_longest", ["fillvalue?"]);
const bindRepeat = signature("product", ["repeat?"]);
const noKeywords = signature("zip", []);

function lists(value: Value, args: readonly Value[], meter: Meter): (readonly Value[])[] {
  return [value, ...args].map((one) => (one instanceof Undefined ? one.fail() : itemsOf(one, meter)));
}

function iterators(value: Value, args: readonly Value[], { meter }: FilterContext): Iterator<Value>[] {
  return [value, ...args].map((one) => (one instanceof Undefined ? one.fail() : iterate(one, meter)));
}

export const combiningFilters: readonly Entry[] = [
  filter("flatten", ["levels?", "skip_nulls?"], (value, [levels = null, skip], { meter }) => {
    if (value instanceof Undefined) return value.fail();
    if (!isText(value) && !Array.isArray(value) && !(value instanceof PyTuple) && typeof value !== "object")
      throw typeError(`'${typeName(value)}' object is not iterable`);
    const depth = levels === null ? MAX_LEVELS : integer(levels, 0);
    return flattened(itemsOf(value, meter), Math.min(depth, MAX_LEVELS), flag(skip, true), [], meter);
  }),
  setFilter("union", (a, b, meter) => unique([...a, ...b], meter)),
  setFilter("intersect", intersect, true),
  setFilter("difference", difference, true),
  setFilter("symmetric_difference", (a, b, meter) => {
    const inA = membersOf(a, meter);
    const inB = membersOf(b, meter);
    return unique([...a, ...b], meter, (item) => !(inA(item) && inB(item)));
  }),
  [
    "zip",
    (value, args, kwargs, context) => {
      noKeywords([], kwargs);
      return new PyIterator(zipped(iterators(value, args, context), context.meter), "zip");
    },
  ],
  [
    "zip_longest",
    (value, args, kwargs, context) => {
      const [fill = null] = bindFill([], kwargs);
      const sources = iterators(value, args, context);
      return new PyIterator(zippedLongest(sources, fill, context.meter), "zip_longest");
    },
  ],
  [
    "product",
    (value, args, kwargs, { meter }) => {
      const [repeat] = bindRepeat([], kwargs);
      const times = integer(repeat, 1);
      const once = lists(value, args, meter);
      meter.items(once.length * Math.max(0, times));
      const all = Array.from({ length: Math.max(0, times) }, () => once).flat();
      return new PyIterator(products(all, meter), "product");
    },
  ],
  filter("permutations", ["r?"], (value, [count = null], { meter }) => {
    const items = listed(value instanceof Undefined ? value.fail() : itemsOf(value, meter).slice(), meter);
    const size = count === null ? items.length : integer(count, 0);
    return new PyIterator(choices(items, size, true, meter), "permutations");
  }),
  filter("combinations", ["r"], (value, [count], { meter }) => {
    const items = value instanceof Undefined ? value.fail() : itemsOf(value, meter);
    return new PyIterator(choices(items, integer(count, 0), false, meter), "combinations");
  }),
];
