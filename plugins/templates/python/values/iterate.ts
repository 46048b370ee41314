/** Iteration: range, lazy iterators, dictionary views, and everything that Python's `iter(x)` accepts. */

import { PyError, typeError, valueError } from "../errors.ts";
import { limitError, type Meter } from "../limits.ts";
import { textLength } from "../text/codepoints.ts";
import { repr } from "../text/repr.ts";
import { PyDict, PySet } from "./dict.ts";
import { numeric, same } from "./equal.ts";
import { isText, Markup, PyObject, PyTuple, textOf, typeName, type Value } from "./values.ts";

export class PyRange extends PyObject {
  override readonly typeName = "range";
  readonly size: number;
  constructor(
    readonly start: number,
    readonly stop: number,
    readonly step: number,
  ) {
    super();
    if (step === 0) throw valueError("range() arg 3 must not be zero");
    this.size = Math.max(0, Math.ceil((stop - start) / step));
  }
  at(index: number): number {
    return this.start + index * this.step;
  }
  override length(): number {
    return this.size;
  }
  override repr(): string {
    const step = this.step === 1 ? "" : `, ${this.step}`;
    return `range(${this.start}, ${this.stop}${step})`;
  }
  override *iterate(meter: Meter): Iterator<Value> {
    if (this.size > meter.limits.listItems)
      throw limitError(`a range of more than ${meter.limits.listItems} numbers`);
    for (let i = 0; i < this.size; i++) yield this.at(i);
  }
  override contains(item: Value): boolean {
    const number = numeric(item);
    if (typeof number !== "number") return false;
    const index = (number - this.start) / this.step;
    return Number.isInteger(index) && index >= 0 && index < this.size;
  }
  override equals(other: Value): boolean {
    if (!(other instanceof PyRange) || other.size !== this.size) return false;
    if (this.size === 0) return true;
    return other.start === this.start && (this.size === 1 || other.step === this.step);
  }
  /** Ranges of the same numbers are equal. */
  override hash(): string {
    if (this.size === 0) return "range:";
    return `range:${this.size}:${this.start}:${this.size === 1 ? "" : this.step}`;
  }
}

/** A generator or iterator: it can be consumed once. */
export class PyIterator extends PyObject {
  override readonly typeName: string;
  constructor(
    private readonly source: Iterator<Value>,
    typeName = "generator",
  ) {
    super();
    this.typeName = typeName;
  }
  /** Returns `undefined` at the end. */
  next(): Value | undefined {
    const turn = this.source.next();
    return turn.done === true ? undefined : turn.value;
  }
  override repr(): string {
    return `<${this.typeName} object>`;
  }
  override iterate(): Iterator<Value> {
    return this.source;
  }
}

/** `d.keys()`, `d.values()`, `d.items()`: live views of the dictionary. */
export class PyView extends PyObject {
  override readonly typeName: string;
  constructor(
    private readonly dict: PyDict,
    private readonly kind: "keys" | "values" | "items",
  ) {
    super();
    this.typeName = `dict_${kind}`;
  }
  /** Views of keys and items support set operations. */
  get isSet(): boolean {
    return this.kind !== "values";
  }
  items(): Value[] {
    if (this.kind === "keys") return this.dict.keys();
    if (this.kind === "values") return this.dict.values();
    return this.dict.entries().map((entry) => new PyTuple(entry));
  }
  override length(): number {
    return this.dict.size;
  }
  override repr(meter: Meter): string {
    return `${this.typeName}(${repr(this.items(), meter)})`;
  }
  override iterate(): Iterator<Value> {
    return new UnchangedItems(this.items(), this.dict, "dictionary changed size");
  }
  override contains(item: Value): boolean {
    return this.kind === "keys" ? this.dict.has(item) : this.items().some((entry) => same(entry, item));
  }
  override hash(): string | undefined {
    if (this.isSet) throw typeError(`unhashable type: '${this.typeName}'`);
    return undefined;
  }
  override equals(other: Value): boolean {
    if (this === other) return true;
    if (!(other instanceof PyView) || !this.isSet || other.length() !== this.length()) return false;
    return this.items().every((item) => other.contains(item));
  }
}

/** The items of a dictionary or set, which must keep its size meanwhile. */
class UnchangedItems implements Iterator<Value> {
  private at = 0;
  private readonly size: number;
  constructor(
    private readonly items: readonly Value[],
    private readonly owner: { readonly size: number },
    private readonly wrong: string,
  ) {
    this.size = owner.size;
  }
  next(): IteratorResult<Value, undefined> {
    if (this.owner.size !== this.size) throw new PyError("RuntimeError", `${this.wrong} during iteration`);
    const value = this.items[this.at++];
    return value === undefined ? { done: true, value } : { done: false, value };
  }
}

/** The iterator of a `for` loop over an array (which must not change) or a lazy iterator. */
export function iterate(value: Value, meter: Meter): Iterator<Value> {
  if (Array.isArray(value)) return value[Symbol.iterator]();
  if (typeof value === "string") return value[Symbol.iterator]();
  if (value instanceof Markup) return value.value[Symbol.iterator]();
  if (value instanceof PyDict) return new UnchangedItems(value.keys(), value, "dictionary changed size");
  if (value instanceof PySet) return new UnchangedItems(value.values(), value, "Set changed size");
  if (value instanceof PyObject && value.iterate !== undefined) return value.iterate(meter);
  throw notIterable(value);
}

/** Yields the items; each counts as a step. */
export function* each(value: Value, meter: Meter): Generator<Value, undefined> {
  const iterator = iterate(value, meter);
  for (let turn = iterator.next(); turn.done !== true; turn = iterator.next()) {
    meter.step();
    yield turn.value;
  }
}

export function notIterable(value: Value): Error {
  return typeError(`'${typeName(value)}' object is not iterable`);
}

export function isIterable(value: Value): boolean {
  if (typeof value === "string" || Array.isArray(value) || value instanceof Markup) return true;
  return value instanceof PyObject && value.iterate !== undefined;
}

/** `len(value)`. */
export function lengthOf(value: Value): number {
  if (isText(value)) return textLength(textOf(value));
  if (Array.isArray(value)) return value.length;
  const length = value instanceof PyObject ? value.length?.() : undefined;
  if (length === undefined) throw typeError(`object of type '${typeName(value)}' has no len()`);
  return length;
}

/** The items as an array. A list returns itself, so do not modify the result. */
export function itemsOf(value: Value, meter: Meter): readonly Value[] {
  if (Array.isArray(value)) return value;
  if (value instanceof PyTuple) return value.items;
  if (value instanceof PyView) return value.items();
  if (value instanceof PyDict) return value.keys();
  if (value instanceof PyRange) meter.items(value.size);
  const items: Value[] = [];
  const iterator = iterate(value, meter);
  for (let turn = iterator.next(); turn.done !== true; turn = iterator.next()) {
    meter.step();
    if (items.length >= meter.limits.listItems) meter.items(items.length + 1);
    items.push(turn.value);
  }
  return items;
}

/**
 * Unpacks the right side of `a, b = …`.
 * @param count number of names on the left.
 * @param orMore whether one of them is starred and takes the remaining items.
 */
export function unpack(value: Value, count: number, meter: Meter, orMore = false): readonly Value[] {
  if (!isIterable(value)) throw typeError(`cannot unpack non-iterable ${typeName(value)} object`);
  const values = itemsOf(value, meter);
  const least = orMore ? `at least ${count}` : count;
  if (values.length < count)
    throw valueError(`not enough values to unpack (expected ${least}, got ${values.length})`);
  if (values.length > count && !orMore) throw valueError(`too many values to unpack (expected ${count})`);
  return values;
}

/** `list(value)`: always a new array. */
export function listOf(value: Value, meter: Meter): Value[] {
  const items = itemsOf(value, meter);
  meter.items(items.length);
  return items.slice();
}

/** What Python shows as an object (a generator, a view, a range) as a list; anything else as it is. */
export function asList(value: Value, meter: Meter): Value {
  const isRolled = value instanceof PyIterator || value instanceof PyView || value instanceof PyRange;
  return isRolled ? [...itemsOf(value, meter)] : value;
}
