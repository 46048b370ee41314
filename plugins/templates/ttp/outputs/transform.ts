/** Output functions that traverse and flatten results. */

import {
  getItem,
  type Meter,
  MissingKey,
  PyDict,
  typeError,
  typeName,
  type Value,
} from "../../python/index.ts";
import { follow } from "../functions/match/lookup.ts";

/** The element at a path; for a list, that of each item. */
export function traverse(data: Value, path: readonly string[], strict: boolean, meter: Meter): Value {
  if (Array.isArray(data)) return data.map((item) => traverse(item, path, strict, meter));
  if (!(data instanceof PyDict)) return data;
  if (!strict) return follow(data, path, { meter });
  let at: Value = data;
  for (const key of path) {
    const next: Value | undefined = at instanceof PyDict ? at.get(key) : getItem(at, key, meter);
    if (next === undefined)
      throw at instanceof PyDict
        ? new MissingKey(key, meter)
        : typeError(`${typeName(at)} indices must be integers or slices, not str`);
    at = next;
  }
  return at;
}

/** Converts a dictionary of dictionaries to a list, with the key as an additional field. */
export function dictToList(
  data: Value,
  keyName: string,
  path: readonly string[],
  strict: boolean,
  meter: Meter,
): Value {
  const traversed = path.length === 0 ? data : traverse(data, path, strict, meter);
  if (Array.isArray(traversed)) return traversed.map((item) => dictToList(item, keyName, [], false, meter));
  const result: Value[] = [];
  if (!(traversed instanceof PyDict)) return result;
  for (const [key, value] of traversed.entries()) {
    if (!(value instanceof PyDict)) return traversed;
    value.set(keyName, key);
    result.push(value);
  }
  return result;
}
