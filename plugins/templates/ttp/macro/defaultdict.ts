/** A dictionary that creates missing items. */
import { callValue } from "../../python/call.ts";
import { PyDict } from "../../python/dict.ts";
import type { Meter } from "../../python/limits.ts";
import type { Value } from "../../python/values.ts";

export class DefaultDict extends PyDict {
  constructor(readonly factory: Value) {
    super();
  }
}

/** Creates the missing `d[key]`; `undefined` for ordinary dictionaries. */
export function missingItem(target: PyDict, key: Value, meter: Meter): Value | undefined {
  if (!(target instanceof DefaultDict) || target.factory === null) return undefined;
  const made = callValue(target.factory, [], undefined, meter);
  target.set(key, made);
  return made;
}
