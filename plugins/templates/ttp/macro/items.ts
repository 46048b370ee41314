/** `x[i]`, `x[i] = v` and `del x[i]`, including slices, with Python's errors. */

import {
  getItem,
  indexError,
  indexOf,
  itemsOf,
  type Meter,
  MissingKey,
  outside,
  PyDict,
  PyObject,
  PySlice,
  PyTuple,
  placeOf,
  setItem,
  sliceBounds,
  slicePlaces,
  typeError,
  typeName,
  type Value,
  valueError,
} from "../../python/index.ts";
import { missingItem } from "./defaultdict.ts";

export function readItem(target: Value, key: Value, meter: Meter): Value {
  const value = getItem(target, key, meter);
  if (value !== undefined) return value;
  if (target instanceof PyDict) {
    const item = missingItem(target, key, meter);
    if (item !== undefined) return item;
    throw new MissingKey(key, meter);
  }
  const kind = typeName(target);
  if (typeof target === "string" || Array.isArray(target) || target instanceof PyTuple || kind === "range") {
    if (indexOf(key) !== undefined)
      throw indexError(`${kind === "str" ? "string" : kind} index out of range`);
    throw typeError(`${kind} indices must be integers or slices, not ${typeName(key)}`);
  }
  if (target instanceof PyObject && target.getitem !== undefined) throw new MissingKey(key, meter);
  throw typeError(`'${kind}' object is not subscriptable`);
}

export function writeItem(target: Value, key: Value, value: Value, meter: Meter): void {
  if (!(Array.isArray(target) && key instanceof PySlice)) {
    setItem(target, key, value, meter);
    return;
  }
  const { start, step } = sliceBounds(key, target.length);
  const places = slicePlaces(key, target.length);
  const items = itemsOf(value, meter).slice();
  meter.items(target.length + items.length);
  if (step === 1) {
    target.splice(start, places.length, ...items);
    return;
  }
  if (places.length !== items.length)
    throw valueError(
      `attempt to assign sequence of size ${items.length} to extended slice of size ${places.length}`,
    );
  places.forEach((place, i) => {
    target[place] = items[i] as Value;
  });
}

export function deleteItem(target: Value, key: Value, meter: Meter): void {
  if (target instanceof PyDict) {
    if (!target.delete(key)) throw new MissingKey(key, meter);
    return;
  }
  if (!Array.isArray(target)) throw typeError(`'${typeName(target)}' object doesn't support item deletion`);
  if (key instanceof PySlice) {
    for (const place of slicePlaces(key, target.length).sort((a, b) => b - a)) target.splice(place, 1);
    return;
  }
  const index = indexOf(key);
  if (index === undefined) throw typeError(`list indices must be integers or slices, not ${typeName(key)}`);
  target.splice(placeOf(index, target.length) ?? outside(), 1);
}
