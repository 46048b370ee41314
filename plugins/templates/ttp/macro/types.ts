/** Python types as values: callable for conversion, and usable with `isinstance`. */

import {
  attribute,
  buildDict,
  type Callable,
  callMethod,
  IpAddress,
  IpInterface,
  IpNetwork,
  isInt,
  itemsOf,
  type Kwargs,
  listOf,
  type Meter,
  PyDict,
  PyFloat,
  PyFunction,
  PyObject,
  PyRange,
  PySet,
  PySlice,
  PyTuple,
  str,
  toFloatValue,
  toInt,
  toInteger,
  truth,
  typeError,
  typeName,
  type Value,
} from "../../python/index.ts";
import { checked } from "./arguments.ts";
import { ExceptionType, ExceptionValue, isKindOf } from "./exceptions.ts";
import { asCount } from "./operators.ts";

export class PyType extends PyObject {
  override readonly typeName = "type";
  private readonly construct: Callable;
  constructor(
    readonly name: string,
    readonly holds: (value: Value) => boolean,
    construct: Callable,
    private readonly statics: Readonly<Record<string, Value>> = {},
    parameters?: string,
  ) {
    super();
    this.construct = checked(name, construct, parameters);
  }
  override repr(): string {
    return `<class '${this.name}'>`;
  }
  override equals(other: Value): boolean {
    return other instanceof PyType && other.name === this.name;
  }
  override hash(): string {
    return `type ${this.name}`;
  }
  override getattr(name: string): Value | undefined {
    if (name === "__name__" || name === "__qualname__") return this.name;
    if (Object.hasOwn(this.statics, name)) return this.statics[name];
    // `str.upper` and the like: an unbound method.
    return new PyFunction(name, ([self, ...rest], kwargs, meter) => {
      const method = self === undefined || !this.holds(self) ? undefined : attribute(self, name, meter);
      if (!(method instanceof PyFunction)) throw typeError(`type '${this.name}' has no attribute '${name}'`);
      return method.call(rest, kwargs, meter);
    });
  }
  override call(args: readonly Value[], kwargs: Kwargs | undefined, meter: Meter): Value {
    return this.construct(args, kwargs, meter);
  }
  /** `list[int]` in annotations. */
  override getitem(): Value {
    return this;
  }
}

const makeSet: Callable = ([items = []], _kwargs, meter) => new PySet(itemsOf(items, meter));

function makeInt(args: readonly Value[], kwargs: Kwargs | undefined, meter: Meter): Value {
  const [value = 0] = args;
  const base = args[1] ?? kwargs?.get("base");
  if (value instanceof IpAddress) return toInt(value.ip);
  if (base !== undefined && typeof value !== "string")
    throw typeError("int() can't convert non-string with explicit base");
  meter.step();
  return toInteger(value, base === undefined ? 10 : asCount(base, "base"));
}

function makeRange(args: readonly Value[]): Value {
  const [a = 0, b, c = 1] = args;
  if (args.length === 0) throw typeError("range expected at least 1 argument, got 0");
  const [start, stop] =
    b === undefined ? [0, asCount(a, "range")] : [asCount(a, "range"), asCount(b, "range")];
  return new PyRange(start, stop, asCount(c, "range"));
}

const noInstances =
  (message: string): Callable =>
  () => {
    throw typeError(message);
  };

/** The instance check and the constructor of each type. */
const TYPES: Readonly<Record<string, [holds: (value: Value) => boolean, construct: Callable]>> = {
  bool: [(value) => typeof value === "boolean", ([value = false]) => truth(value)],
  int: [(value) => isInt(value) || typeof value === "boolean", makeInt],
  float: [(value) => value instanceof PyFloat, ([value = new PyFloat(0)]) => toFloatValue(value)],
  str: [(value) => typeof value === "string", ([value = ""], _kwargs, meter) => str(value, meter)],
  dict: [(value) => value instanceof PyDict, buildDict],
  list: [Array.isArray, ([items = []], _kwargs, meter) => listOf(items, meter)],
  tuple: [
    (value) => value instanceof PyTuple,
    ([items = []], _kwargs, meter) => new PyTuple(itemsOf(items, meter).slice()),
  ],
  set: [(value) => value instanceof PySet, makeSet],
  frozenset: [(value) => value instanceof PySet, makeSet],
  range: [(value) => value instanceof PyRange, makeRange],
  slice: [
    (value) => value instanceof PySlice,
    ([a = null, b, c = null]) => (b === undefined ? new PySlice(null, a, c) : new PySlice(a, b, c)),
  ],
  NoneType: [(value) => value === null, () => null],
  object: [() => true, () => new PyDict()],
};

const PARAMETERS: Readonly<Record<string, string>> = {
  ...{
    bool: "x, /",
    float: "x, /",
    str: "object, encoding, errors",
    list: "iterable, /",
    tuple: "iterable, /",
  },
  ...{
    set: "iterable, /",
    frozenset: "iterable, /",
    range: "start, stop, step, /",
    slice: "start, stop, step, /",
  },
};

/** Class methods. */
const STATICS: Readonly<Record<string, Readonly<Record<string, Value>>>> = {
  dict: { fromkeys: ofType(() => new PyDict(), "fromkeys") },
  str: { maketrans: ofType(() => "", "maketrans") },
};

function ofType(empty: () => Value, name: string): Value {
  return new PyFunction(
    name,
    (args, kwargs, meter) => callMethod(empty(), name, args, kwargs, meter) ?? null,
  );
}

const BY_NAME: ReadonlyMap<string, PyType> = new Map(
  Object.entries(TYPES).map(([name, [holds, construct]]) => [
    name,
    new PyType(name, holds, construct, STATICS[name], PARAMETERS[name]),
  ]),
);

export function builtinType(name: string): PyType | undefined {
  return name === "NoneType" ? undefined : BY_NAME.get(name);
}

/** `type(value)`. */
export function typeOf(value: Value): Value {
  const name = typeName(value);
  if (value instanceof ExceptionValue) return new ExceptionType(name);
  return (
    BY_NAME.get(name) ??
    ipType(name) ??
    new PyType(name, (other) => typeName(other) === name, noInstances(`cannot create '${name}' instances`))
  );
}

/** The classes of `ipaddress`, for `isinstance`. */
export function ipType(name: string, construct?: Callable): PyType | undefined {
  const match = /^IPv([46])(Address|Network|Interface)$/.exec(name);
  if (match === null) return undefined;
  const version = match[1] === "4" ? 4 : 6;
  const kind =
    { Address: IpAddress, Network: IpNetwork, Interface: IpInterface }[match[2] ?? ""] ?? IpAddress;
  return new PyType(
    name,
    (value) => value instanceof kind && value.version === version,
    construct ?? noInstances(`call ipaddress.${name}`),
  );
}

export function isInstance(value: Value, types: Value): boolean {
  if (types instanceof PyTuple) return types.items.some((type) => isInstance(value, type));
  if (types instanceof PyType) return types.holds(value);
  if (types instanceof ExceptionType)
    return value instanceof ExceptionValue && isKindOf(value.typeName, types.name);
  throw typeError("isinstance() arg 2 must be a type or a tuple of types");
}
