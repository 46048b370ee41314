/** Python's `itertools` for macros; infinite and lazy functions return iterators. */
import { add } from "../../../python/arith.ts";
import { choices } from "../../../python/builtins.ts";
import { callValue } from "../../../python/call.ts";
import { same } from "../../../python/equal.ts";
import { each, itemsOf, PyIterator } from "../../../python/iterate.ts";
import type { Meter } from "../../../python/limits.ts";
import { PyFunction, PyTuple, type Value } from "../../../python/values.ts";
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
