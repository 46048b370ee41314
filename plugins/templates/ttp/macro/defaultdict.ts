/** A dictionary that creates missing items. */
import { callValue } from "../../python/call.ts";
import { compare } from "../../python/compare.ts";
import { PyDict } from "../../python/dict.ts";
import type { Meter } from "../../python/limits.ts";
import { PyFunction, PyTuple, type Value } from "../../python/values.ts";
import { asCount } from "./operators.ts";

export class DefaultDict extends PyDict {
  constructor(readonly factory: Value) {
    super();
  }
}

/** Counts of items; a missing item counts 0 and is not added. */
export class Counter extends PyDict {
  override getattr(name: string): Value | undefined {
    if (name !== "most_common") return undefined;
    return new PyFunction(name, ([limit = null], kwargs, meter) => {
      const count = kwargs?.get("n") ?? limit;
      const pairs = this.entries().map((pair): [Value, Value] => [pair[1], new PyTuple(pair)]);
      const ranked = pairs
        .sort(([a], [b]) => (compare(">", a, b) ? -1 : compare(">", b, a) ? 1 : 0))
        .map(([, pair]) => pair);
      meter.step(ranked.length);
      return count === null ? ranked : ranked.slice(0, Math.max(0, asCount(count, name)));
    });
  }
}

/** Creates the missing `d[key]`; `undefined` for ordinary dictionaries. */
export function missingItem(target: PyDict, key: Value, meter: Meter): Value | undefined {
  if (target instanceof Counter) return 0;
  if (!(target instanceof DefaultDict) || target.factory === null) return undefined;
  const made = callValue(target.factory, [], undefined, meter);
  target.set(key, made);
  return made;
}
