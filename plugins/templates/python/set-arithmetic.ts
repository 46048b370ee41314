/** Intersection and difference of sets. */
import { PySet } from "./dict.ts";
import type { Value } from "./values.ts";

/** @param wanted false: the items that the other set lacks. */
export const common = (one: PySet, other: PySet, wanted = true): Value[] =>
  one.values().filter((item) => other.has(item) === wanted);

export const unshared = (one: PySet, other: PySet): PySet =>
  new PySet([...common(one, other, false), ...common(other, one, false)]);
