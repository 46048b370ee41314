/** Intersection and difference of sets. */
import { PySet } from "./dict.ts";
import type { Value } from "./values.ts";

/** @param isShared false: the items that the other set lacks. */
export const common = (a: PySet, b: PySet, isShared = true): Value[] =>
  a.values().filter((item) => b.has(item) === isShared);

export const unshared = (a: PySet, b: PySet): PySet =>
  new PySet([...common(a, b, false), ...common(b, a, false)]);
