/** dict and set: insertion order, with Python's key equality (`1 == 1.0 == True`, tuples by value). */

import { typeError } from "../errors.ts";
import { same } from "./equal.ts";
import { Growth, type Shape, type Site } from "./shape.ts";
import { Markup, PyFloat, PyObject, PyTuple, typeName, type Value } from "./values.ts";

/** The Map key of a Python key: equal Python keys share one. */
type Key = null | number | bigint | string | PyObject;

const growth = new Growth(2_000);

export class PyDict extends PyObject {
  /** While there are few keys and all are text: the shared shape, and the values in its order. */
  private shape: Shape = growth.empty;
  private items: Value[] | undefined;
  private map: Map<Key, Value> | undefined;
  /** Keys that differ from their Map key, such as True (1) or 2.0 (2). */
  private originals: Map<Key, Value> | undefined;
  /** Tuples and objects with value equality, by hash. */
  private buckets: Map<string, PyObject[]> | undefined;

  static from(entries: Iterable<readonly [Value, Value]>): PyDict {
    const dict = new PyDict();
    for (const [key, value] of entries) dict.set(key, value);
    return dict;
  }
  /** Makes a dictionary from a shape and its values; it takes ownership of the array. */
  static shaped(shape: Shape, values: Value[]): PyDict {
    const dict = new PyDict();
    dict.shape = shape;
    dict.items = values;
    return dict;
  }

  override get typeName(): string {
    return "dict";
  }
  get size(): number {
    if (this.map !== undefined) return this.map.size;
    return this.items === undefined ? 0 : this.items.length;
  }
  get(key: Value): Value | undefined {
    const stands = typeof key === "string" || typeof key === "number" ? key : this.find(key, false);
    if (this.map !== undefined) return this.map.get(stands);
    const index = this.position(stands);
    return index === undefined ? undefined : this.items?.[index];
  }
  /** `get` of a text key through an inline cache. */
  getAt(name: string, site: Site): Value | undefined {
    if (this.map !== undefined) return this.map.get(name);
    if (site.shape !== this.shape) {
      site.shape = this.shape;
      site.index = this.shape.indexOf(name) ?? -1;
    }
    return site.index < 0 ? undefined : this.items?.[site.index];
  }
  has(key: Value): boolean {
    return this.get(key) !== undefined;
  }
  set(key: Value, value: Value): void {
    if (this.map === undefined && typeof key === "string" && this.setShaped(key, value)) return;
    const stands = typeof key === "string" || typeof key === "number" ? key : this.find(key, true);
    if (this.map === undefined) {
      const index = this.position(stands);
      if (index !== undefined && this.items !== undefined) {
        this.items[index] = value;
        return;
      }
    }
    const map = this.ownMap();
    if (stands !== key && !map.has(stands)) {
      this.originals ??= new Map();
      this.originals.set(stands, key);
    }
    map.set(stands, value);
  }
  /** Returns whether the key existed. */
  delete(key: Value): boolean {
    if (this.map === undefined && typeof key === "string") {
      const index = this.shape.indexOf(key);
      if (index === undefined) return false;
      const shorter = growth.without(this.shape, index);
      if (shorter !== undefined) {
        this.items?.splice(index, 1);
        this.shape = shorter;
        return true;
      }
    }
    const stands = this.find(key, false);
    this.originals?.delete(stands);
    if (this.buckets !== undefined && stands instanceof PyObject) this.forget(stands);
    return this.ownMap().delete(stands);
  }
  clear(): void {
    this.map = new Map();
    this.shape = growth.empty;
    this.items = undefined;
    this.originals = undefined;
    this.buckets = undefined;
  }
  keys(): Value[] {
    if (this.map === undefined) return this.shape.names.slice();
    const keys: Value[] = [...this.map.keys()];
    const originals = this.originals;
    return originals === undefined ? keys : keys.map((key) => this.original(originals, key));
  }
  values(): Value[] {
    return this.map === undefined ? (this.items?.slice() ?? []) : [...this.map.values()];
  }
  entries(): [Value, Value][] {
    if (this.map === undefined) {
      const { names } = this.shape;
      return this.items?.map((item, i): [Value, Value] => [names[i] as string, item]) ?? [];
    }
    const entries: [Value, Value][] = [...this.map];
    const originals = this.originals;
    if (originals !== undefined) for (const entry of entries) entry[0] = this.original(originals, entry[0]);
    return entries;
  }
  /** Calls back for each key and value without allocating the pairs of `entries`. */
  each(call: (key: Value, value: Value) => void): void {
    const { map, items } = this;
    if (map === undefined) {
      const { names } = this.shape;
      const count = items?.length ?? 0;
      for (let i = 0; i < count; i++) call(names[i] as string, items?.[i] as Value);
    } else if (this.originals === undefined) {
      for (const [key, value] of map) call(key, value);
    } else for (const [key, value] of this.entries()) call(key, value);
  }
  copy(): PyDict {
    if (this.items !== undefined) return PyDict.shaped(this.shape, this.items.slice());
    return PyDict.from(this.entries());
  }
  /** A dictionary with the same keys and these values; it takes ownership of the array. */
  withValues(values: Value[]): PyDict {
    if (this.map === undefined) return PyDict.shaped(this.shape, values);
    return PyDict.from(this.keys().map((key, i) => [key, values[i] ?? null] as const));
  }
  /** Copies the entries of another dictionary, whose values win. */
  take(other: PyDict): void {
    const { items, shape } = other;
    if (this.size > 0 || items === undefined)
      for (const [key, value] of other.entries()) this.set(key, value);
    else {
      this.map = undefined;
      this.shape = shape;
      this.items = items.slice();
    }
  }
  /** Keys and values in order, while the dictionary has a shape. */
  get shaped(): { readonly shape: Shape; readonly items: readonly Value[] } | undefined {
    return this.items && { shape: this.shape, items: this.items };
  }

  override length(): number {
    return this.size;
  }
  override equals(other: Value): boolean {
    if (this === other) return true;
    if (!(other instanceof PyDict) || other.size !== this.size) return false;
    for (const [key, value] of this.entries()) {
      const its = other.get(key);
      if (its === undefined || !same(value, its)) return false;
    }
    return true;
  }
  override hash(): string {
    throw typeError("unhashable type: 'dict'");
  }
  override iterate(): Iterator<Value> {
    return this.keys()[Symbol.iterator]();
  }
  override contains(item: Value): boolean {
    return this.has(item);
  }
  override getitem(key: Value): Value | undefined {
    return this.get(key);
  }
  override setitem(key: Value, value: Value): void {
    this.set(key, value);
  }

  /** Returns false if the dictionary needs a Map. */
  private setShaped(key: string, value: Value): boolean {
    const { shape } = this;
    // A key that leads to a longer shape is not in this one.
    const next = shape.lastKey === key ? shape.lastShape : undefined;
    if (next !== undefined) return this.push(next, value);
    const index = shape.indexOf(key);
    if (index !== undefined && this.items !== undefined) {
      this.items[index] = value;
      return true;
    }
    const grown = growth.grown(shape, key);
    return grown !== undefined && this.push(grown, value);
  }
  private push(shape: Shape, value: Value): boolean {
    if (this.items === undefined) this.items = [value];
    else this.items.push(value);
    this.shape = shape;
    return true;
  }
  private position(stands: Key): number | undefined {
    return typeof stands === "string" ? this.shape.indexOf(stands) : undefined;
  }
  /** Switches from the shared shape to a Map. */
  private ownMap(): Map<Key, Value> {
    if (this.map === undefined) {
      const { names } = this.shape;
      this.map = new Map(this.items?.map((item, i): [Key, Value] => [names[i] as string, item]));
      this.items = undefined;
      this.shape = growth.empty;
    }
    return this.map;
  }
  private original(originals: ReadonlyMap<Key, Value>, key: Value): Value {
    const original = originals.get(key as Key);
    return original === undefined ? key : original;
  }
  private find(key: Value, remember: boolean): Key {
    switch (typeof key) {
      case "string":
      case "number":
      case "bigint":
        return key;
      case "boolean":
        return key ? 1 : 0;
    }
    if (key === null) return key;
    if (Array.isArray(key)) throw typeError("unhashable type: 'list'");
    if (key instanceof Markup) return key.value;
    if (key instanceof PyFloat) return floatKey(key);
    const hash = key instanceof PyTuple ? String(hash32(key)) : key.hash();
    if (hash === undefined) return key;
    const bucket = this.buckets?.get(hash);
    const existing = bucket?.find((candidate) => same(candidate, key));
    if (existing !== undefined) return existing;
    if (remember) {
      this.buckets ??= new Map();
      if (bucket === undefined) this.buckets.set(hash, [key]);
      else bucket.push(key);
    }
    return key;
  }
  private forget(key: PyObject): void {
    for (const [hash, bucket] of this.buckets ?? []) {
      const at = bucket.indexOf(key);
      if (at < 0) continue;
      bucket.splice(at, 1);
      if (bucket.length === 0) this.buckets?.delete(hash);
      return;
    }
  }
}

export class PySet extends PyObject {
  override readonly typeName = "set";
  private readonly dict = new PyDict();
  constructor(items: Iterable<Value> = []) {
    super();
    for (const item of items) this.add(item);
  }
  get size(): number {
    return this.dict.size;
  }
  add(item: Value): void {
    if (!this.dict.has(item)) this.dict.set(item, null);
  }
  has(item: Value): boolean {
    return this.dict.has(item);
  }
  delete(item: Value): boolean {
    return this.dict.delete(item);
  }
  clear(): void {
    this.dict.clear();
  }
  values(): Value[] {
    return this.dict.keys();
  }
  override length(): number {
    return this.dict.size;
  }
  override equals(other: Value): boolean {
    return (
      other instanceof PySet && other.size === this.size && this.values().every((item) => other.has(item))
    );
  }
  override hash(): string {
    throw typeError("unhashable type: 'set'");
  }
  override iterate(): Iterator<Value> {
    return this.values()[Symbol.iterator]();
  }
  override contains(item: Value): boolean {
    return this.has(item);
  }
}

/** 2.0 and 2 are the same key. */
function floatKey(key: PyFloat): number | bigint | PyFloat {
  const { value } = key;
  if (Number.isNaN(value)) return key;
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(value) : value;
}

/** A hash that is equal for equal values. Tuples cache it, so shared nesting is visited once. */
function hash32(value: Value): number {
  switch (typeof value) {
    case "string":
      return textHash(value);
    case "number":
      return value | 0;
    case "bigint":
      return textHash(String(value));
    case "boolean":
      return value ? 1 : 0;
  }
  if (value === null) return 17;
  if (Array.isArray(value)) throw typeError("unhashable type: 'list'");
  if (value instanceof Markup) return textHash(value.value);
  if (value instanceof PyFloat) {
    const key = floatKey(value);
    return typeof key === "bigint" ? textHash(String(key)) : typeof key === "number" ? key | 0 : 23;
  }
  if (value instanceof PyTuple) {
    let hash = tupleHashes.get(value);
    if (hash === undefined) {
      hash = value.items.length;
      for (const item of value.items) hash = (Math.imul(hash, 31) + hash32(item)) | 0;
      tupleHashes.set(value, hash);
    }
    return hash;
  }
  return textHash(value.hash() ?? typeName(value));
}

const tupleHashes = new WeakMap<PyTuple, number>();

function textHash(text: string): number {
  let hash = text.length;
  const end = Math.min(text.length, 64);
  for (let i = 0; i < end; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
  return hash;
}
