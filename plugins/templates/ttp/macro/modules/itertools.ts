/** Python's `itertools` for macros; infinite and lazy functions return iterators. */
import { add } from "../../../python/arith.ts";
import { type Choice, choices, zipped } from "../../../python/builtins.ts";
import { callValue } from "../../../python/call.ts";
import { same } from "../../../python/equal.ts";
import { valueError } from "../../../python/errors.ts";
import { each, itemsOf, iterate, PyIterator } from "../../../python/iterate.ts";
import type { Meter } from "../../../python/limits.ts";
import { PyFunction, PyTuple, truth, type Value } from "../../../python/values.ts";
import { asCount } from "../operators.ts";
import { makeModule } from "./module.ts";

const iterator = (items: Iterable<Value>, kind = "generator"): Value =>
  new PyIterator(items[Symbol.iterator](), kind);

function* chained(sources: Iterable<Value>, meter: Meter): Generator<Value> {
  for (const source of sources) yield* each(source, meter);
}

function* grouped(source: Value, key: Value, meter: Meter): Generator<Value> {
  let group: { key: Value; items: Value[] } | undefined;
  const told = ({ key, items }: { key: Value; items: Value[] }) => new PyTuple([key, iterator(items)]);
  for (const item of each(source, meter)) {
    const now = key === null ? item : callValue(key, [item], undefined, meter);
    if (group !== undefined && same(group.key, now)) group.items.push(item);
    else {
      if (group !== undefined) yield told(group);
      group = { key: now, items: [item] };
    }
  }
  if (group !== undefined) yield told(group);
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

function someOf(how: Choice, source: Value, count: Value, meter: Meter): Value {
  const list = itemsOf(source, meter).slice();
  const size = count === null ? list.length : asCount(count, how);
  if (size < 0) throw valueError("r must be non-negative");
  if (size > list.length) return iterator([], how);
  meter.items(size);
  return iterator(choices(how, new Array<readonly Value[]>(size).fill(list), meter), how);
}

function sliced(source: Value, from: number, to: number, meter: Meter): Value[] {
  const items: Value[] = [];
  let at = 0;
  for (const item of each(source, meter)) {
    if (at >= to) break;
    if (at++ >= from) items.push(item);
  }
  return items;
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
    product(sources, _kwargs, meter) {
      const all = sources.map((one) => itemsOf(one, meter));
      return iterator(choices("product", all, meter), "product");
    },
    combinations: ([source = [], count = null], kwargs, meter) =>
      someOf("combinations", source, kwargs?.get("r") ?? count, meter),
    permutations: ([source = [], count = null], kwargs, meter) =>
      someOf("permutations", source, kwargs?.get("r") ?? count, meter),
    zip_longest: (sources, kwargs, meter) =>
      iterator(
        zipped(
          sources.map((one) => iterate(one, meter)),
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
    islice([source = [], first = null, second], _kwargs, meter) {
      const [from, to] = second === undefined ? [0, first] : [first ?? 0, second];
      const end = to === null ? Number.POSITIVE_INFINITY : asCount(to, "islice");
      return iterator(sliced(source, asCount(from, "islice"), end, meter));
    },
  },
  {
    chain: new Chain("chain", (sources, _kwargs, meter) => iterator(chained(sources, meter)), "type"),
  },
);
