/** Python values in JavaScript: the closed set of kinds that templates and macros can hold. */
import { undefinedError } from "../errors.ts";
import type { Meter } from "../limits.ts";
import { escapeHtml } from "../text/html.ts";

/**
 * None = null, True/False = boolean, int = integral number within the safe range or else bigint,
 * str = string, list = array; every other kind extends `PyObject`. No other object is ever a value.
 */
export type Value = null | boolean | number | bigint | string | Value[] | PyObject;
export type Kwargs = ReadonlyMap<string, Value>;
export type Operator = "+" | "-" | "*" | "/" | "//" | "%" | "**";

/** Base class of kinds that are not plain JavaScript values; only `getattr` exposes attributes. */
export abstract class PyObject {
  /** The Python class name, as in `'tuple' object has no attribute 'x'`. */
  abstract readonly typeName: string;

  repr(_meter: Meter): string {
    return `<${this.typeName} object>`;
  }
  str(meter: Meter): string {
    return this.repr(meter);
  }
  /** Objects with a length are truthy if not empty; all others always. */
  truth(): boolean {
    return this.length === undefined || this.length() > 0;
  }
  equals(other: Value): boolean {
    return this === other;
  }
  /** `undefined`: by identity; a string: equal objects return equal strings; throws if unhashable. */
  hash(): string | undefined {
    return undefined;
  }
  /** An allow-listed attribute or bound method; `undefined` if there is none of that name. */
  getattr(_name: string, _meter: Meter): Value | undefined {
    return undefined;
  }

  // Optional operations; a missing one raises Python's TypeError.

  iterate?(meter: Meter): Iterator<Value>;
  length?(): number;
  /** The items of another kind of dictionary (`ChainMap`). */
  mapping?(): PyObject;
  contains?(item: Value, meter: Meter): boolean;
  /** `undefined`: no such key or index. */
  getitem?(key: Value, meter: Meter): Value | undefined;
  setitem?(key: Value, value: Value, meter: Meter): void;
  /** Whether attributes can be assigned (`namespace`). */
  setattr?(name: string, value: Value): void;
  call?(args: readonly Value[], kwargs: Kwargs | undefined, meter: Meter): Value;
  /** Negative, zero or positive; `undefined` if the two have no order. */
  compare?(other: Value): number | undefined;
  /** `-self`. */
  negative?(): Value;
  /** `int(self)`. */
  int?(): bigint;
  /** `format(self, spec)` for a non-empty spec. */
  format?(spec: string, meter: Meter): string;
  /** Text that is already safe HTML. */
  html?(): string;
  /** `self op other`, or `other op self` if `reflected`; `undefined`: not supported. */
  binary?(op: Operator, other: Value, reflected: boolean, meter: Meter): Value | undefined;
}

export class PyFloat extends PyObject {
  override get typeName(): string {
    return "float";
  }
  constructor(readonly value: number) {
    super();
  }
  override truth(): boolean {
    return this.value !== 0;
  }
}

export class PyTuple extends PyObject {
  override get typeName(): string {
    return "tuple";
  }
  /** False: its items have names (`namedtuple`). */
  get isPlain(): boolean {
    return true;
  }
  constructor(readonly items: readonly Value[]) {
    super();
  }
  override length(): number {
    return this.items.length;
  }
  override iterate(): Iterator<Value> {
    return this.items[Symbol.iterator]();
  }
}

/** Text that is safe HTML. */
export class Markup extends PyObject {
  override get typeName(): string {
    return "Markup";
  }
  constructor(readonly value: string) {
    super();
  }
  override truth(): boolean {
    return this.value !== "";
  }
  override binary(op: Operator, other: Value, reflected: boolean, meter: Meter): Value | undefined {
    if (op !== "+" || !isText(other)) return undefined;
    const text = typeof other === "string" ? escapeHtml(other) : other.value;
    meter.text(this.value.length + text.length);
    return new Markup(reflected ? text + this.value : this.value + text);
  }
}

export type Callable = (args: readonly Value[], kwargs: Kwargs | undefined, meter: Meter) => Value;

export class PyFunction extends PyObject {
  override readonly typeName: string;
  constructor(
    readonly name: string,
    private readonly body: Callable,
    typeName = "function",
  ) {
    super();
    this.typeName = typeName;
  }
  override repr(): string {
    return `<${this.typeName} ${this.name}>`;
  }
  override call(args: readonly Value[], kwargs: Kwargs | undefined, meter: Meter): Value {
    return this.body(args, kwargs, meter);
  }
}

/** `AnsibleUndefined`: members of it are undefined as well, any other use is an error. */
export type UndefinedKind =
  | "Undefined"
  | "StrictUndefined"
  | "ChainableUndefined"
  | "DebugUndefined"
  | "AnsibleUndefined";

/** A missing name, attribute or item; `hint` is the error message for using it. */
export class Undefined extends PyObject {
  constructor(
    private readonly kind: UndefinedKind,
    readonly hint: string,
    /** Output of `DebugUndefined`. */
    readonly debug = "",
    /** The missing name or key, if known. */
    readonly missed: string | undefined = undefined,
  ) {
    super();
  }
  override get typeName(): UndefinedKind {
    return this.kind;
  }
  override getattr(name: string): Value | undefined {
    if (name === "_undefined_name") return this.missed === undefined ? null : this.missed;
    return name === "_undefined_message" ? this.hint : undefined;
  }
  /** Throws for every use that this kind does not allow. */
  fail(): never {
    throw undefinedError(this.hint);
  }
  private loose(): void {
    if (this.kind === "StrictUndefined" || this.kind === "AnsibleUndefined") this.fail();
  }
  override str(): string {
    this.loose();
    return this.typeName === "DebugUndefined" ? this.debug : "";
  }
  override repr(): string {
    return "Undefined";
  }
  override truth(): boolean {
    this.loose();
    return false;
  }
  override equals(other: Value): boolean {
    this.loose();
    return other instanceof Undefined && other.typeName === this.typeName;
  }
  override hash(): string {
    this.loose();
    return `undefined:${this.typeName}`;
  }
  override length(): number {
    this.loose();
    return 0;
  }
  override iterate(): Iterator<Value> {
    this.loose();
    const none: Value[] = [];
    return none[Symbol.iterator]();
  }
  override contains(): boolean {
    this.loose();
    return false;
  }
}

/** An integer as Python's int: a number if exact, otherwise a bigint. */
export function toInt(value: bigint): number | bigint {
  return value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value;
}

export function isInt(value: Value): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

/** str or Markup. */
export function isText(value: Value): value is string | Markup {
  return typeof value === "string" || value instanceof Markup;
}

export function textOf(value: string | Markup): string {
  return typeof value === "string" ? value : value.value;
}

export function truth(value: Value): boolean {
  switch (typeof value) {
    case "boolean":
      return value;
    case "string":
      return value !== "";
    case "number":
      return value !== 0;
    case "bigint":
      return value !== 0n;
    default:
      if (value === null) return false;
      return Array.isArray(value) ? value.length > 0 : value.truth();
  }
}

/** `type(value).__name__`. */
export function typeName(value: Value): string {
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "string":
      return "str";
    case "number":
    case "bigint":
      return "int";
    default:
      if (value === null) return "NoneType";
      return Array.isArray(value) ? "list" : value.typeName;
  }
}
