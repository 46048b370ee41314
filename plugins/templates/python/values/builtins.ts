/** Python functions that filters and macros share: round, min and max, zip, the combinatorics of itertools. */

import { typeError } from "../errors.ts";
import type { Meter } from "../limits.ts";
import { roundFloat } from "../numbers/floats.ts";
import { compare } from "./compare.ts";
import { isInt, PyFloat, PyTuple, toInt, typeName, type Value } from "./values.ts";

/** `round(value, digits)`: rounds half to even; a result of zero keeps its sign. */
export function roundTo(value: Value, digits: number): Value {
  if (value instanceof PyFloat) {
    const result = roundFloat(value.value, digits);
    const negative = value.value < 0 || Object.is(value.value, -0);
    return new PyFloat(result === 0 && negative ? -0 : result);
  }
  const number = typeof value === "boolean" ? Number(value) : value;
  if (!isInt(number)) throw typeError(`type ${typeName(value)} doesn't define __round__ method`);
  if (digits >= 0) return number;
  const unit = 10n ** BigInt(Math.min(-digits, 400));
  const size = BigInt(number) < 0n ? -BigInt(number) : BigInt(number);
  const rest = size % unit;
  const up = rest * 2n > unit || (rest * 2n === unit && (size / unit) % 2n === 1n);
  const result = size - rest + (up ? unit : 0n);
  return toInt(BigInt(number) < 0n ? -result : result);
}

/** The smallest (or largest) item by its sort key; `undefined` if there are no items. */
export function extreme(
  sign: "<" | ">",
  items: readonly Value[],
  meter: Meter,
  key: (item: Value) => Value = (item) => item,
): Value | undefined {
  let best: { readonly item: Value; readonly rank: Value } | undefined;
  for (const item of items) {
    meter.step();
    const rank = key(item);
    if (best === undefined || compare(sign, rank, best.rank)) best = { item, rank };
  }
  return best?.item;
}

/** `zip`, which stops at the shortest list, or `zip_longest` if `fill` is given. */
export function* zipped(
  sources: readonly Iterator<Value>[],
  meter: Meter,
  fill?: Value,
): Generator<PyTuple, undefined> {
  const exhausted = sources.map(() => false);
  while (sources.length > 0) {
    meter.step();
    const turn: Value[] = [];
    for (const [i, source] of sources.entries()) {
      const next = exhausted[i] === true ? undefined : source.next();
      if (next === undefined || next.done === true) {
        if (fill === undefined) return;
        exhausted[i] = true;
        turn.push(fill);
      } else turn.push(next.value);
    }
    if (fill !== undefined && exhausted.every((isExhausted) => isExhausted)) return;
    yield new PyTuple(turn);
  }
}

export type Choice = "product" | "permutations" | "combinations";

/** Every combination of one item from each list; the last list varies fastest. */
export function* choices(
  choice: Choice,
  lists: readonly (readonly Value[])[],
  meter: Meter,
): Generator<Value> {
  const chosen: number[] = [];
  let at = 0;
  for (;;) {
    meter.step();
    const list = lists[chosen.length];
    if (list === undefined) yield new PyTuple(chosen.map((i, n) => lists[n]?.[i] ?? null));
    else {
      while (choice === "permutations" && chosen.includes(at)) at++;
      if (at < list.length) {
        chosen.push(at);
        at = choice === "combinations" ? at + 1 : 0;
        continue;
      }
    }
    const last = chosen.pop();
    if (last === undefined) return;
    at = last + 1;
  }
}
