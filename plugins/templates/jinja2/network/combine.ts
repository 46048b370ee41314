/** Filters over several lists: flatten, union and its kin, zip, and the orders of items. */
import { signature } from "../../python/args.ts";
import { zipped } from "../../python/builtins.ts";
import { PySet } from "../../python/dict.ts";
import { eq } from "../../python/equal.ts";
import { PyError, typeError } from "../../python/errors.ts";
import { itemsOf, iterate, PyIterator } from "../../python/iterate.ts";
import type { Meter } from "../../python/limits.ts";
import { isText, PyTuple, Undefined, type Value } from "../../python/values.ts";
import type { FilterContext } from "../filter.ts";
import { define, type FilterEntries, integer, variadic } from "../filters/define.ts";

/** Items seen so far; those that cannot be keys are compared one by one. */
class Seen {
  private readonly keys = new PySet();
  private readonly others: Value[] = [];
  constructor(private readonly meter: Meter) {}

  has(item: Value): boolean {
    this.meter.step(1 + (this.others.length >> 3));
    return attempt(() => this.keys.has(item)) ?? this.others.some((other) => eq(other, item));
  }
  add(item: Value): void {
    const added = attempt(() => {
      this.keys.add(item);
      return true;
    });
    if (added === undefined) this.others.push(item);
  }
}

/** `undefined` where Python raises a TypeError. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof PyError && error.pythonType === "TypeError") return undefined;
    throw error;
  }
}

type Wanted = (item: Value) => boolean;

function unique(items: readonly Value[], meter: Meter, wanted: Wanted = () => true): Value[] {
  const seen = new Seen(meter);
  return items.filter((item) => {
    if (!wanted(item) || seen.has(item)) return false;
    seen.add(item);
    return true;
  });
}

export function membersOf(items: readonly Value[], meter: Meter): Wanted {
  const seen = new Seen(meter);
  for (const item of items) if (!seen.has(item)) seen.add(item);
  return (item) => seen.has(item);
}

type SetOperation = (a: readonly Value[], b: readonly Value[], meter: Meter) => Value[];

/** @param letters whether a text is taken for the list of its letters */
function setFilter(name: string, operate: SetOperation, letters = false): FilterEntries {
  const listed = (value: Value, { meter }: FilterContext): readonly Value[] => {
    if (value instanceof Undefined) return value.fail();
    if (isText(value) && !letters) throw typeError("a list is needed, not text");
    return itemsOf(value, meter);
  };
  return define(name, listed, "b", (items, other, context) =>
    operate(items, listed(other, context), context.meter),
  );
}

const without: SetOperation = (a, b, meter) => {
  const inOther = membersOf(b, meter);
  return unique(a, meter, (item) => !inOther(item));
};

const inOneOnly: SetOperation = (a, b, meter) => {
  const inA = membersOf(a, meter);
  const inB = membersOf(b, meter);
  return unique([...a, ...b], meter, (item) => !(inA(item) && inB(item)));
};

/** Beyond this many levels a list is taken to hold itself. */
const MAX_LEVELS = 200;
const NOTHING: readonly Value[] = [null, "None", "null"];

function flattened(
  items: readonly Value[],
  levels: number,
  skipNulls: boolean,
  into: Value[],
  meter: Meter,
): Value[] {
  for (const item of items) {
    meter.step();
    if (skipNulls && NOTHING.includes(item)) continue;
    const inner = item instanceof PyTuple ? item.items : item;
    if (Array.isArray(inner) && levels > 0) flattened(inner, levels - 1, skipNulls, into, meter);
    else into.push(item);
    if (into.length > meter.limits.listItems) meter.items(into.length);
  }
  return into;
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

/** A filter of any number of lists, with at most one keyword. */
function overLists(
  name: string,
  parameters: readonly string[],
  combine: (lists: readonly Value[], option: Value | undefined, context: FilterContext) => Iterator<Value>,
): FilterEntries {
  const bind = signature(name, parameters);
  return variadic(name, (value, args, kwargs, context) => {
    const [option] = bind([], kwargs);
    for (const list of [value, ...args]) if (list instanceof Undefined) return list.fail();
    return new PyIterator(combine([value, ...args], option, context), name);
  });
}

const iterators = (lists: readonly Value[], { meter }: FilterContext): Iterator<Value>[] =>
  lists.map((list) => iterate(list, meter));

export const combiningFilters: FilterEntries = [
  define(
    "flatten",
    "items",
    "levels: int = none, skip_nulls: flag = true",
    (items, levels, skip, { meter }) =>
      flattened(items, Math.min(levels ?? MAX_LEVELS, MAX_LEVELS), skip, [], meter),
  ),
  setFilter("union", (a, b, meter) => unique([...a, ...b], meter)),
  setFilter("intersect", (a, b, meter) => unique(a, meter, membersOf(b, meter)), true),
  setFilter("difference", without, true),
  setFilter("symmetric_difference", inOneOnly),
  overLists("zip", [], (lists, _option, context) => zipped(iterators(lists, context), context.meter)),
  overLists("zip_longest", ["fillvalue?"], (lists, fill = null, context) =>
    zipped(iterators(lists, context), context.meter, fill),
  ),
  overLists("product", ["repeat?"], (lists, repeat = 1, { meter }) => {
    const times = Math.max(0, integer(repeat));
    const all = lists.map((list) => itemsOf(list, meter));
    meter.items(all.length * times);
    return products(Array.from({ length: times }, () => all).flat(), meter);
  }),
  define("permutations", "items", "r: int = none", (items, count, { meter }) => {
    const kept = items.slice();
    return new PyIterator(choices(kept, count ?? kept.length, true, meter), "permutations");
  }),
  define(
    "combinations",
    "items",
    "r: int",
    (items, count, { meter }) => new PyIterator(choices(items, count, false, meter), "combinations"),
  ),
].flat();
