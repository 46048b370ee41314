/** Python's `itertools` for macros; infinite and lazy functions return iterators. */

import {
  add,
  type Choice,
  callValue,
  choices,
  each,
  itemsOf,
  iterate,
  type Meter,
  PyFunction,
  PyIterator,
  PyTuple,
  same,
  truth,
  type Value,
  valueError,
  zipped,
} from "../../../python/index.ts";
import { checked } from "../arguments.ts";
import { asCount } from "../operators.ts";
import { makeModule } from "./module.ts";

const iterator = (items: Iterable<Value>, kind = "generator"): Value =>
  new PyIterator(items[Symbol.iterator](), kind);

function* chained(sources: Iterable<Value>, meter: Meter): Generator<Value> {
  for (const source of sources) yield* each(source, meter);
}

function* grouped(source: Value, key: Value, meter: Meter): Generator<Value> {
  let group: { key: Value; items: Value[] } | undefined;
  const asPair = ({ key, items }: { key: Value; items: Value[] }) => new PyTuple([key, iterator(items)]);
  for (const item of each(source, meter)) {
    const now = key === null ? item : callValue(key, [item], undefined, meter);
    if (group !== undefined && same(group.key, now)) group.items.push(item);
    else {
      if (group !== undefined) yield asPair(group);
      group = { key: now, items: [item] };
    }
  }
  if (group !== undefined) yield asPair(group);
}

function* counting(start: Value, step: Value, meter: Meter): Generator<Value> {
  for (let at = start; ; at = add(at, step, meter)) {
    meter.step();
    yield at;
  }
}

function* accumulated(
  source: Value,
  callee: Value,
  first: Value | undefined,
  meter: Meter,
): Generator<Value> {
  let total = first;
  if (total !== undefined) yield total;
  for (const item of each(source, meter)) {
    if (total === undefined) total = item;
    else
      total = callee === null ? add(total, item, meter) : callValue(callee, [total, item], undefined, meter);
    yield total;
  }
}

function* repeated(value: Value, times: number, meter: Meter): Generator<Value> {
  for (let turn = 0; turn < times; turn++) {
    meter.step();
    yield value;
  }
}

/** `takewhile`: the items up to the first that fails; `dropwhile`: the others. */
function* whileTrue(take: boolean, callee: Value, source: Value, meter: Meter): Generator<Value> {
  let holds = true;
  for (const item of each(source, meter)) {
    holds &&= truth(callValue(callee, [item], undefined, meter));
    if (take && !holds) return;
    if (take || !holds) yield item;
  }
}

function* cycled(source: Value, meter: Meter): Generator<Value> {
  const seen: Value[] = [];
  for (const item of each(source, meter)) {
    seen.push(item);
    yield item;
  }
  while (seen.length > 0)
    for (const item of seen) {
      meter.step();
      yield item;
    }
}

/** The items of a source for several iterators, each at its own place. */
function copies(source: Value, count: number, meter: Meter): Value {
  const items = iterate(source, meter);
  const seen: Value[] = [];
  function* copy(): Generator<Value> {
    for (let at = 0; ; at++) {
      meter.step();
      if (at === seen.length) {
        const next = items.next();
        if (next.done === true) return;
        seen.push(next.value);
      }
      yield seen[at] ?? null;
    }
  }
  return new PyTuple(Array.from({ length: count }, () => iterator(copy(), "_tee")));
}

function* pairs(source: Value, meter: Meter): Generator<Value> {
  let before: Value | undefined;
  for (const item of each(source, meter)) {
    if (before !== undefined) yield new PyTuple([before, item]);
    before = item;
  }
}

function* chosen(source: Value, selectors: Value, meter: Meter): Generator<Value> {
  for (const { items } of zipped([iterate(source, meter), iterate(selectors, meter)], meter))
    if (truth(items[1] ?? null)) yield items[0] ?? null;
}

function* failing(test: Value, source: Value, meter: Meter): Generator<Value> {
  for (const item of each(source, meter))
    if (!truth(test === null ? item : callValue(test, [item], undefined, meter))) yield item;
}

function someOf(how: Choice, source: Value, count: Value, meter: Meter): Value {
  const list = itemsOf(source, meter).slice();
  const size = count === null ? list.length : asCount(count, how);
  if (size < 0) throw valueError("r must be non-negative");
  if (size > list.length) return iterator([], how);
  meter.items(size);
  return iterator(choices(how, new Array<readonly Value[]>(size).fill(list), meter), how);
}

function* sliced(source: Value, [from, to, step]: readonly number[], meter: Meter): Generator<Value> {
  let [at, next] = [0, from ?? 0];
  if (to === 0) return;
  for (const item of each(source, meter)) {
    if (at === next && at < (to ?? 0)) {
      yield item;
      next += step ?? 1;
    }
    // The source is read no further than needed.
    if (++at >= (to ?? 0)) return;
  }
}

/** Arguments as of `range`; no end means all. */
function sliceOf(args: readonly Value[]): readonly number[] {
  const [first = null, second, third = null] = args;
  const [from, to] = second === undefined ? [null, first] : [first, second];
  const numbers = [
    from === null ? 0 : asCount(from, "islice"),
    to === null ? Number.POSITIVE_INFINITY : asCount(to, "islice"),
    third === null ? 1 : asCount(third, "islice"),
  ];
  if (numbers.some((number) => number < 0) || numbers[2] === 0)
    throw valueError("Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize.");
  return numbers;
}

/** A function with an attribute, `chain.from_iterable`. */
class Chain extends PyFunction {
  override getattr(name: string): Value | undefined {
    if (name !== "from_iterable") return undefined;
    return new PyFunction(name, ([source = []], _kwargs, meter) =>
      iterator(chained(itemsOf(source, meter), meter)),
    );
  }
}

export const itertools = makeModule(
  "itertools",
  {
    groupby: ([source = [], key = null], kwargs, meter) =>
      iterator(grouped(source, kwargs?.get("key") ?? key, meter), "groupby"),
    product(sources, kwargs, meter) {
      const pools = sources.map((source) => itemsOf(source, meter).slice());
      const turns = asCount(kwargs?.get("repeat") ?? 1, "product");
      if (turns < 0) throw valueError("repeat argument cannot be negative");
      meter.items(turns * pools.length);
      const all = Array.from({ length: turns }, () => pools).flat();
      return iterator(choices("product", all, meter), "product");
    },
    combinations: ([source = [], count = null], kwargs, meter) =>
      someOf("combinations", source, kwargs?.get("r") ?? count, meter),
    permutations: ([source = [], count = null], kwargs, meter) =>
      someOf("permutations", source, kwargs?.get("r") ?? count, meter),
    zip_longest: (sources, kwargs, meter) =>
      iterator(
        zipped(
          sources.map((source) => iterate(source, meter)),
          meter,
          kwargs?.get("fillvalue") ?? null,
        ),
        "zip_longest",
      ),
    accumulate: ([source = [], callee = null], kwargs, meter) =>
      iterator(
        accumulated(source, kwargs?.get("func") ?? callee, kwargs?.get("initial") ?? undefined, meter),
        "accumulate",
      ),
    repeat([value = null, times], kwargs, meter) {
      const limit = kwargs?.get("times") ?? times;
      const count = limit === undefined ? Number.POSITIVE_INFINITY : asCount(limit, "repeat");
      return iterator(repeated(value, count, meter), "repeat");
    },
    takewhile: ([callee = null, source = []], _kwargs, meter) =>
      iterator(whileTrue(true, callee, source, meter), "takewhile"),
    dropwhile: ([callee = null, source = []], _kwargs, meter) =>
      iterator(whileTrue(false, callee, source, meter), "dropwhile"),
    starmap: ([callee = null, source = []], _kwargs, meter) =>
      iterator(
        itemsOf(source, meter).map((args) => callValue(callee, itemsOf(args, meter), undefined, meter)),
        "starmap",
      ),
    count: ([start = 0, step = 1], _kwargs, meter) => iterator(counting(start, step, meter), "count"),
    islice: ([source = [], ...rest], _kwargs, meter) =>
      iterator(sliced(source, sliceOf(rest), meter), "islice"),
    cycle: ([source = []], _kwargs, meter) => iterator(cycled(source, meter), "cycle"),
    pairwise: ([source = []], _kwargs, meter) => iterator(pairs(source, meter), "pairwise"),
    tee: ([source = [], count = 2], _kwargs, meter) => copies(source, asCount(count, "tee"), meter),
    compress: ([source = [], selectors = []], _kwargs, meter) =>
      iterator(chosen(source, selectors, meter), "compress"),
    filterfalse: ([test = null, source = []], _kwargs, meter) =>
      iterator(failing(test, source, meter), "filterfalse"),
  },
  {
    chain: new Chain(
      "chain",
      checked("chain", (sources, _kwargs, meter) => iterator(chained(sources, meter))),
      "type",
    ),
  },
  {
    ...{ groupby: "iterable, key", combinations: "iterable, r", permutations: "iterable, r" },
    ...{
      combinations_with_replacement: "iterable, r",
      accumulate: "iterable, func",
      repeat: "object, times",
    },
    ...{ takewhile: "predicate, iterable, /", dropwhile: "predicate, iterable, /", cycle: "iterable, /" },
    ...{ starmap: "function, iterable, /", count: "start, step", islice: "iterable, start, stop, step, /" },
    ...{ pairwise: "iterable, /", tee: "iterable, n, /", compress: "data, selectors" },
    ...{ filterfalse: "function, iterable, /" },
  },
);
