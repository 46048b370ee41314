/** Subscripts `x[i]` and `x[a:b:c]` of sequences and dictionaries. */

import { indexError, typeError, valueError } from "../errors.ts";
import type { Meter } from "../limits.ts";
import { textLength, textSlice } from "../text/codepoints.ts";
import { PyDict } from "./dict.ts";
import { PyRange } from "./iterate.ts";
import { Markup, PyObject, PyTuple, typeName, type Value } from "./values.ts";

/** `a:b:c` as a subscript. */
export class PySlice extends PyObject {
  override readonly typeName = "slice";
  constructor(
    readonly start: Value,
    readonly stop: Value,
    readonly step: Value,
  ) {
    super();
  }
  override hash(): string {
    throw typeError("unhashable type: 'slice'");
  }
}

/** `undefined`: no such item, or the value is not subscriptable; the caller chooses the error. */
export function getItem(value: Value, key: Value, meter: Meter): Value | undefined {
  if (value instanceof PyDict) return value.get(key);
  if (value instanceof Markup) {
    const part = getItem(value.value, key, meter);
    return typeof part === "string" ? new Markup(part) : part;
  }
  if (key instanceof PySlice) return sliced(value, key, meter);
  const index = indexOf(key);
  if (Array.isArray(value)) return index === undefined ? undefined : value.at(index);
  if (value instanceof PyTuple) return index === undefined ? undefined : value.items.at(index);
  if (typeof value === "string") return index === undefined ? undefined : charAt(value, index);
  if (value instanceof PyRange) {
    const at = index === undefined ? undefined : placeOf(index, value.size);
    return at === undefined ? undefined : value.at(at);
  }
  return value instanceof PyObject ? value.getitem?.(key, meter) : undefined;
}

/** `x[key] = item` of lists, dictionaries and objects that allow it. */
export function setItem(value: Value, key: Value, item: Value, meter: Meter): void {
  if (Array.isArray(value)) {
    const index = indexOf(key);
    if (index === undefined) throw typeError(`list indices must be integers or slices, not ${typeName(key)}`);
    value[placeOf(index, value.length) ?? outside()] = item;
    return;
  }
  if (!(value instanceof PyObject) || value.setitem === undefined) {
    throw typeError(`'${typeName(value)}' object does not support item assignment`);
  }
  value.setitem(key, item, meter);
}

/** An integer index; bools count as in Python. */
export function indexOf(key: Value): number | undefined {
  if (typeof key === "number") return key;
  if (typeof key === "boolean") return key ? 1 : 0;
  return typeof key === "bigint" ? Number(key) : undefined;
}

/** Resolves a negative index; `undefined` if out of range. */
export function placeOf(index: number, length: number): number | undefined {
  const at = index < 0 ? length + index : index;
  return at >= 0 && at < length ? at : undefined;
}

export function outside(): never {
  throw indexError("list assignment index out of range");
}

function charAt(text: string, index: number): string | undefined {
  const at = placeOf(index, textLength(text));
  return at === undefined ? undefined : textSlice(text, at, at + 1);
}

/** Start, stop and step of a slice over `length` items, as Python's `slice.indices`. */
export function sliceBounds(slice: PySlice, length: number): { start: number; stop: number; step: number } {
  const step = bound(slice.step) ?? 1;
  if (step === 0) throw valueError("slice step cannot be zero");
  const low = step < 0 ? -1 : 0;
  const high = step < 0 ? length - 1 : length;
  const clamp = (value: number | undefined, absent: number): number => {
    if (value === undefined) return absent;
    return Math.min(Math.max(value < 0 ? value + length : value, low), high);
  };
  return {
    start: clamp(bound(slice.start), step < 0 ? high : low),
    stop: clamp(bound(slice.stop), step < 0 ? low : high),
    step,
  };
}

function bound(value: Value): number | undefined {
  if (value === null) return undefined;
  const index = indexOf(value);
  if (index === undefined) {
    throw typeError("slice indices must be integers or None or have an __index__ method");
  }
  return index;
}

/** Indexes that a slice selects from `length` items. */
export function slicePlaces(slice: PySlice, length: number): number[] {
  const { start, stop, step } = sliceBounds(slice, length);
  const places: number[] = [];
  for (let i = start; step > 0 ? i < stop : i > stop; i += step) places.push(i);
  return places;
}

export const pick = <T>(items: readonly T[], slice: PySlice): T[] =>
  slicePlaces(slice, items.length).map((place) => items[place] as T);

function sliced(value: Value, slice: PySlice, meter: Meter): Value | undefined {
  if (Array.isArray(value)) {
    meter.items(value.length);
    return pick(value, slice);
  }
  if (value instanceof PyTuple) return new PyTuple(pick(value.items, slice));
  if (typeof value === "string") return slicedText(value, slice);
  if (value instanceof PyRange) {
    const { start, stop, step } = sliceBounds(slice, value.size);
    return new PyRange(value.at(start), value.at(stop), value.step * step);
  }
  return value instanceof PyObject ? value.getitem?.(slice, meter) : undefined;
}

function slicedText(text: string, slice: PySlice): string {
  const { start, stop, step } = sliceBounds(slice, textLength(text));
  if (step === 1) return textSlice(text, start, stop);
  return pick(Array.from(text), slice).join("");
}
