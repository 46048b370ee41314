/** Python's `collections.deque` and `collections.ChainMap`. */

import {
  bound,
  compare,
  eq,
  indexError,
  indexOf,
  itemsOf,
  type Kwargs,
  type Meter,
  MissingKey,
  methods,
  type Operator,
  PyDict,
  PyFunction,
  PyIterator,
  PyObject,
  PyTuple,
  repr,
  typeError,
  typeName,
  type Value,
  valueError,
} from "../../python/index.ts";

export class Deque extends PyObject {
  override readonly typeName = "collections.deque";
  /** At most `maxlen`, the newest. */
  items: Value[] = [];
  constructor(
    items: readonly Value[],
    readonly maxlen: number | null,
  ) {
    super();
    this.extend(items);
  }
  extend(more: readonly Value[]): void {
    const all = [...this.items, ...more];
    this.items = this.maxlen === null ? all : all.slice(Math.max(0, all.length - this.maxlen));
  }
  extendLeft(more: readonly Value[]): void {
    const all = [...more.slice().reverse(), ...this.items];
    this.items = this.maxlen === null ? all : all.slice(0, this.maxlen);
  }
  override repr(meter: Meter): string {
    const end = this.maxlen === null ? "" : `, maxlen=${this.maxlen}`;
    return `deque(${repr(this.items, meter)}${end})`;
  }
  override length(): number {
    return this.items.length;
  }
  override iterate(): Iterator<Value> {
    return this.items.slice()[Symbol.iterator]();
  }
  override contains(item: Value): boolean {
    return this.items.some((one) => eq(one, item));
  }
  override hash(): string {
    throw typeError("unhashable type: 'collections.deque'");
  }
  override equals(other: Value): boolean {
    return other instanceof Deque && eq(this.items, other.items);
  }
  override compare(other: Value): number | undefined {
    if (!(other instanceof Deque)) return undefined;
    if (eq(this.items, other.items)) return 0;
    return compare("<", this.items, other.items) ? -1 : 1;
  }
  /** The place of an index. */
  place(key: Value): number {
    const index = indexOf(key);
    if (index === undefined) throw typeError(`sequence index must be integer, not '${typeName(key)}'`);
    const at = index < 0 ? index + this.items.length : index;
    if (at < 0 || at >= this.items.length) throw indexError("deque index out of range");
    return at;
  }
  override getitem(key: Value): Value | undefined {
    return this.items[this.place(key)];
  }
  override setitem(key: Value, value: Value): void {
    this.items[this.place(key)] = value;
  }
  override binary(op: Operator, other: Value, reflected: boolean): Value | undefined {
    if (op === "+" && !reflected && other instanceof Deque)
      return new Deque([...this.items, ...other.items], this.maxlen);
    if (op === "*" && typeof other === "number")
      return new Deque(Array.from({ length: Math.max(0, other) }, () => this.items).flat(), this.maxlen);
    return undefined;
  }
  override getattr(name: string): Value | undefined {
    if (name === "maxlen") return this.maxlen;
    return bound(DEQUE_METHODS, this, name);
  }
}

const empty = (what: string) => indexError(`${what} from an empty deque`);

const DEQUE_METHODS = methods<Deque>({
  "append(x, /)": (self, [item = null], meter) => {
    meter.items(self.items.length + 1);
    self.extend([item]);
    return null;
  },
  "appendleft(x, /)": (self, [item = null], meter) => {
    meter.items(self.items.length + 1);
    self.extendLeft([item]);
    return null;
  },
  "extend(iterable, /)": (self, [items = []], meter) => {
    const more = itemsOf(items, meter);
    meter.items(self.items.length + more.length);
    self.extend(more);
    return null;
  },
  "extendleft(iterable, /)": (self, [items = []], meter) => {
    const more = itemsOf(items, meter);
    meter.items(self.items.length + more.length);
    self.extendLeft(more);
    return null;
  },
  "pop()": (self) => {
    if (self.items.length === 0) throw empty("pop");
    return self.items.pop();
  },
  "popleft()": (self, _args, meter) => {
    if (self.items.length === 0) throw empty("pop");
    meter.step();
    return self.items.shift();
  },
  "clear()": (self) => {
    self.items = [];
    return null;
  },
  "copy()": (self) => new Deque(self.items, self.maxlen),
  "count(x, /)": (self, [item = null]) => self.items.filter((one) => eq(one, item)).length,
  "index(x, start?, stop?, /)": (self, [item = null, start = 0, stop = self.items.length], meter) => {
    const size = self.items.length;
    const bound = (value: Value) => {
      const at = indexOf(value) ?? 0;
      return Math.max(0, Math.min(size, at < 0 ? at + size : at));
    };
    for (let at = bound(start); at < bound(stop); at++) if (eq(self.items[at] ?? null, item)) return at;
    throw valueError(`${repr(item, meter)} is not in deque`);
  },
  "insert(index, object, /)": (self, [index = 0, item = null], meter) => {
    if (self.maxlen !== null && self.items.length >= self.maxlen)
      throw indexError("deque already at its maximum size");
    meter.items(self.items.length + 1);
    self.items.splice(indexOf(index) ?? 0, 0, item);
    return null;
  },
  "remove(value, /)": (self, [item = null], meter) => {
    const at = self.items.findIndex((one) => eq(one, item));
    if (at < 0) throw valueError(`${repr(item, meter)} is not in deque`);
    self.items.splice(at, 1);
    return null;
  },
  "reverse()": (self) => {
    self.items.reverse();
    return null;
  },
  "rotate(n?, /)": (self, [by = 1], meter) => {
    const size = self.items.length;
    meter.step(size);
    if (size === 0) return null;
    const cut = ((-(indexOf(by) ?? 0) % size) + size) % size;
    self.items = [...self.items.slice(cut), ...self.items.slice(0, cut)];
    return null;
  },
});

/** Several dictionaries as one: the first that has a key counts, and what is written goes to the first. */
export class ChainMap extends PyObject {
  override readonly typeName = "ChainMap";
  constructor(readonly maps: PyDict[]) {
    super();
  }
  private first(): PyDict {
    return this.maps[0] ?? new PyDict();
  }
  /** In Python's order: that of the last map first. */
  whole(): PyDict {
    const all = new PyDict();
    for (const map of this.maps.slice().reverse()) map.each((key, value) => all.set(key, value));
    return all;
  }
  override repr(meter: Meter): string {
    return `ChainMap(${this.maps.map((map) => repr(map, meter)).join(", ")})`;
  }
  override length(): number {
    return this.whole().size;
  }
  override mapping(): PyDict {
    return this.whole();
  }
  override iterate(): Iterator<Value> {
    return this.whole().keys()[Symbol.iterator]();
  }
  override contains(item: Value): boolean {
    return this.maps.some((map) => map.has(item));
  }
  override hash(): string {
    throw typeError("unhashable type: 'ChainMap'");
  }
  override equals(other: Value): boolean {
    if (other instanceof ChainMap) return eq(this.whole(), other.whole());
    return other instanceof PyDict && eq(this.whole(), other);
  }
  override getitem(key: Value): Value | undefined {
    return this.maps.find((map) => map.has(key))?.get(key);
  }
  override setitem(key: Value, value: Value): void {
    this.first().set(key, value);
  }
  pop(key: Value, fallback: Value | undefined, meter: Meter): Value {
    const value = this.first().get(key);
    if (this.first().delete(key)) return value ?? null;
    if (fallback !== undefined) return fallback;
    throw new MissingKey(`Key not found in the first mapping: ${repr(key, meter)}`, meter);
  }
  override getattr(name: string): Value | undefined {
    if (name === "maps") return this.maps;
    if (name === "parents") return new ChainMap(this.maps.slice(1));
    if (name === "new_child")
      return new PyFunction(name, (args, kwargs) => this.child(args[0] ?? kwargs?.get("m") ?? null, kwargs));
    return bound(CHAIN_METHODS, this, name);
  }
  private child(given: Value, kwargs: Kwargs | undefined): Value {
    const map = given instanceof PyDict ? given : new PyDict();
    for (const [key, value] of kwargs ?? []) if (key !== "m") map.set(key, value);
    return new ChainMap([map, ...this.maps]);
  }
}

const CHAIN_METHODS = methods<ChainMap>({
  "get(key, default?)": (self, [key = null, fallback = null]) => {
    const found = self.getitem(key);
    return found === undefined ? fallback : found;
  },
  "keys()": (self) => new PyIterator(self.whole().keys()[Symbol.iterator](), "KeysView"),
  "values()": (self) => new PyIterator(self.whole().values()[Symbol.iterator](), "ValuesView"),
  "items()": (self) =>
    new PyIterator(
      self
        .whole()
        .entries()
        .map((entry) => new PyTuple(entry))
        [Symbol.iterator](),
      "ItemsView",
    ),
  "pop(key, default?)": (self, [key = null, fallback], meter) => self.pop(key, fallback, meter),
  "copy()": (self) => new ChainMap(self.maps.map((map, at) => (at === 0 ? map.copy() : map))),
  "update(*)": (self, [source = null], meter, kwargs) => {
    if (source instanceof PyDict) source.each((key, value) => self.setitem(key, value));
    else if (source !== null)
      for (const pair of itemsOf(source, meter)) {
        const [key = null, value = null] = itemsOf(pair, meter);
        self.setitem(key, value);
      }
    for (const [key, value] of kwargs ?? []) self.setitem(key, value);
    return null;
  },
  "setdefault(key, default?)": (self, [key = null, fallback = null]) => {
    const found = self.getitem(key);
    if (found !== undefined) return found;
    self.setitem(key, fallback);
    return fallback;
  },
});
