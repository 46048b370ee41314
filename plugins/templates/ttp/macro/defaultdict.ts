/** A dictionary that creates missing items. */

import {
  add,
  bound,
  CountingDict,
  callValue,
  compare,
  itemsOf,
  type Kwargs,
  type Meter,
  methods,
  PyDict,
  PyIterator,
  PyTuple,
  type Value,
} from "../../python/index.ts";
import { asCount, binaryOperator } from "./operators.ts";

export class DefaultDict extends PyDict {
  constructor(readonly factory: Value) {
    super();
  }
}

/** Counts of items; a missing item counts 0 and is not added. */
export class Counter extends CountingDict {
  override count(source: Value, kwargs: Kwargs | undefined, meter: Meter, sign = 1): void {
    const add = (key: Value, by: Value) => {
      this.set(key, binaryOperator(sign < 0 ? "-" : "+")(this.get(key) ?? 0, by, meter));
    };
    if (source instanceof PyDict) source.each((key, by) => add(key, by));
    else if (source !== null) for (const item of itemsOf(source, meter)) add(item, 1);
    for (const [key, by] of kwargs ?? []) add(key, by);
  }
  override getattr(name: string): Value | undefined {
    return bound(COUNTER_METHODS, this, name);
  }
}

const COUNTER_METHODS = methods<Counter>({
  "most_common(n?)": (self, [limit = null], meter) => {
    const pairs = self.entries().map((pair): [Value, Value] => [pair[1], new PyTuple(pair)]);
    const ranked = pairs
      .sort(([a], [b]) => (compare(">", a, b) ? -1 : compare(">", b, a) ? 1 : 0))
      .map(([, pair]) => pair);
    meter.step(ranked.length);
    return limit === null ? ranked : ranked.slice(0, Math.max(0, asCount(limit, "n")));
  },
  "elements()": (self, _given, meter) => new PyIterator(elements(self, meter), "chain"),
  "total()": (self, _given, meter) => self.values().reduce<Value>((sum, one) => add(sum, one, meter), 0),
  "subtract(*)": (self, [source = null], meter, kwargs) => {
    self.count(source, kwargs, meter, -1);
    return null;
  },
});

function* elements(counts: Counter, meter: Meter): Generator<Value> {
  for (const [key, count] of counts.entries())
    for (let i = 0; i < asCount(count, "elements"); i++) {
      meter.step();
      yield key;
    }
}

/** Creates the missing `d[key]`; `undefined` for ordinary dictionaries. */
export function missingItem(target: PyDict, key: Value, meter: Meter): Value | undefined {
  if (target instanceof Counter) return 0;
  if (!(target instanceof DefaultDict) || target.factory === null) return undefined;
  const value = callValue(target.factory, [], undefined, meter);
  target.set(key, value);
  return value;
}
