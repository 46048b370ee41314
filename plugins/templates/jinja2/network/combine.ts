/** Filters over several lists: flatten, union and its kin, zip, and combinatorics. */

import {
  attempt,
  type Choice,
  choices,
  eq,
  isText,
  itemsOf,
  iterate,
  type Meter,
  PyIterator,
  PySet,
  PyTuple,
  signature,
  typeError,
  Undefined,
  type Value,
  valueError,
  zipped,
} from "../../python/index.ts";
import { define, type FilterEntries, integer, variadic } from "../filters/define.ts";
import type { FilterContext } from "../filters/kinds.ts";

/** Items seen so far; unhashable ones are compared one by one. */
class Seen {
  private readonly keys = new PySet();
  private readonly others: Value[] = [];
  constructor(private readonly meter: Meter) {}

  has(item: Value): boolean {
    this.meter.step(1 + (this.others.length >> 3));
    return hashed(() => this.keys.has(item)) ?? this.others.some((other) => eq(other, item));
  }
  add(item: Value): void {
    const added = hashed(() => {
      this.keys.add(item);
      return true;
    });
    if (added === undefined) this.others.push(item);
  }
}

/** Returns `undefined` on a TypeError: the item is unhashable. */
const hashed = (work: () => boolean): boolean | undefined =>
  attempt<boolean | undefined>(work, () => undefined, "TypeError");

type ItemTest = (item: Value) => boolean;

export function onceEach(items: readonly Value[], meter: Meter, accepts: ItemTest = () => true): Value[] {
  const seen = new Seen(meter);
  return items.filter((item) => {
    if (!accepts(item) || seen.has(item)) return false;
    seen.add(item);
    return true;
  });
}

export function membersOf(items: readonly Value[], meter: Meter): ItemTest {
  const seen = new Seen(meter);
  for (const item of items) if (!seen.has(item)) seen.add(item);
  return (item) => seen.has(item);
}

type SetOperation = (a: readonly Value[], b: readonly Value[], meter: Meter) => Value[];

/** @param letters whether text is accepted as a list of characters */
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
  return onceEach(a, meter, (item) => !inOther(item));
};

const inOneOnly: SetOperation = (a, b, meter) => {
  const inA = membersOf(a, meter);
  const inB = membersOf(b, meter);
  return onceEach([...a, ...b], meter, (item) => !(inA(item) && inB(item)));
};

/** Depth limit, because lists may be cyclic. */
const MAX_LEVELS = 200;
const NOTHING: readonly Value[] = [null, "None", "null"];

export function flattened(
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

function chosenFrom(choice: Choice, lists: readonly (readonly Value[])[], meter: Meter): PyIterator {
  return new PyIterator(choices(choice, lists, meter), choice);
}

/** Combinations or permutations of `count` items of a list. */
function someOf(choice: Choice, items: readonly Value[], count: number, meter: Meter): PyIterator {
  if (count < 0) throw valueError("r must be non-negative");
  if (count > items.length) return chosenFrom(choice, [[]], meter);
  meter.items(count);
  const list = items.slice();
  return chosenFrom(choice, new Array<readonly Value[]>(count).fill(list), meter);
}

/** A filter of any number of lists with at most one keyword argument. */
function overLists(
  name: string,
  parameters: readonly string[],
  combine: (lists: readonly Value[], option: Value | undefined, context: FilterContext) => PyIterator,
): FilterEntries {
  const bind = signature(name, parameters);
  return variadic(name, (value, args, kwargs, context) => {
    const [option] = bind([], kwargs);
    for (const list of [value, ...args]) if (list instanceof Undefined) return list.fail();
    return combine([value, ...args], option, context);
  });
}

const zipping =
  (name: string, absent?: Value) =>
  (lists: readonly Value[], fill = absent, { meter }: FilterContext): PyIterator => {
    const sources = lists.map((list) => iterate(list, meter));
    return new PyIterator(zipped(sources, meter, fill), name);
  };

export const combiningFilters: FilterEntries = [
  define(
    "flatten",
    "items",
    "levels: int = none, skip_nulls: flag = true",
    (items, levels, skip, { meter }) =>
      flattened(items, Math.min(levels ?? MAX_LEVELS, MAX_LEVELS), skip, [], meter),
  ),
  setFilter("union", (a, b, meter) => onceEach([...a, ...b], meter)),
  setFilter("intersect", (a, b, meter) => onceEach(a, meter, membersOf(b, meter)), true),
  setFilter("difference", without, true),
  setFilter("symmetric_difference", inOneOnly),
  overLists("zip", [], zipping("zip")),
  overLists("zip_longest", ["fillvalue?"], zipping("zip_longest", null)),
  overLists("product", ["repeat?"], (lists, repeat = 1, { meter }) => {
    const times = integer(repeat);
    if (times < 0) throw valueError("repeat argument cannot be negative");
    const itemLists = lists.map((list) => itemsOf(list, meter));
    meter.items(itemLists.length * times);
    const empty = times > 0 && itemLists.some((list) => list.length === 0);
    return chosenFrom("product", empty ? [[]] : Array.from({ length: times }, () => itemLists).flat(), meter);
  }),
  define("permutations", "items", "r: int = none", (items, count, { meter }) =>
    someOf("permutations", items, count ?? items.length, meter),
  ),
  define("combinations", "items", "r: int", (items, count, { meter }) =>
    someOf("combinations", items, count, meter),
  ),
].flat();
