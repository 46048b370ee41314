/** Python's `functools` and `operator` for macros. */

import {
  type Callable,
  callMethod,
  callValue,
  contains,
  eq,
  itemsOf,
  type Meter,
  negate,
  PyFunction,
  PyObject,
  PyTuple,
  requireAttribute,
  str,
  truth,
  typeError,
  typeName,
  type Value,
} from "../../../python/index.ts";
import { readItem } from "../items.ts";
import { asCount, type BinaryOp, binaryOperator, type CompareOp, compareOperators } from "../operators.ts";
import { makeModule } from "./module.ts";

/** An item with the order of a comparing function (`cmp_to_key`). */
class Ranked extends PyObject {
  override readonly typeName = "functools.KeyWrapper";
  constructor(
    private readonly item: Value,
    private readonly comparing: Value,
    private readonly meter: Meter,
  ) {
    super();
  }
  override compare(other: Value): number | undefined {
    if (!(other instanceof Ranked)) return undefined;
    const { comparing, meter } = this;
    return asCount(callValue(comparing, [this.item, other.item], undefined, meter), "cmp_to_key");
  }
}

export const functools = makeModule(
  "functools",
  {
    reduce([callee = null, source = [], start], _kwargs, meter) {
      let total = start;
      for (const item of itemsOf(source, meter))
        total = total === undefined ? item : callValue(callee, [total, item], undefined, meter);
      if (total === undefined) throw typeError("reduce() of empty iterable with no initial value");
      return total;
    },
    cmp_to_key: ([comparing = null]) =>
      new PyFunction("K", ([item = null], _kwargs, meter) => new Ranked(item, comparing, meter)),
    partial([callee = null, ...first], named) {
      const given = [...(named ?? [])];
      return new PyFunction("partial", (args, kwargs, meter) =>
        callValue(callee, [...first, ...args], new Map([...given, ...(kwargs ?? [])]), meter),
      );
    },
  },
  {},
  { reduce: "function, iterable, initial, /", cmp_to_key: "mycmp" },
);

const BINARY: Readonly<Record<string, BinaryOp>> = {
  ...{ add: "+", sub: "-", mul: "*", truediv: "/", floordiv: "//", mod: "%", pow: "**" },
  ...{ and_: "&", or_: "|", xor: "^", lshift: "<<", rshift: ">>" },
};
const COMPARE: Readonly<Record<string, CompareOp>> = {
  ...{ eq: "==", ne: "!=", lt: "<", le: "<=", gt: ">", ge: ">=", is_: "is", is_not: "is not" },
};

const functions: Record<string, Callable> = {
  itemgetter: (keys) =>
    new PyFunction("itemgetter", ([target = null], _kwargs, meter) =>
      oneOrAll(keys.map((key) => readItem(target, key, meter))),
    ),
  attrgetter: (names, _kwargs, meter) =>
    new PyFunction("attrgetter", ([target = null]) =>
      oneOrAll(
        names.map((name) =>
          str(name, meter)
            .split(".")
            .reduce<Value>((found, part) => requireAttribute(found, part, meter), target),
        ),
      ),
    ),
  methodcaller: ([name = "", ...args], kwargs, meter) => {
    const given = new Map(kwargs ?? []);
    return new PyFunction("methodcaller", ([target = null]) => {
      const method = str(name, meter);
      return callMethod(target, method, args, given, meter) ?? requireAttribute(target, method, meter);
    });
  },
  getitem: ([target = null, key = null], _kwargs, meter) => readItem(target, key, meter),
  contains: ([all = null, item = null], _kwargs, meter) => contains(all, item, meter),
  countOf: ([all = null, item = null], _kwargs, meter) =>
    itemsOf(all, meter).filter((one) => eq(one, item)).length,
  concat([a = null, b = null], _kwargs, meter) {
    if (typeof a !== "string" && !Array.isArray(a) && !(a instanceof PyTuple))
      throw typeError(`'${typeName(a)}' object can't be concatenated`);
    return binaryOperator("+")(a, b, meter);
  },
  neg: ([value = null]) => negate(value),
  not_: ([value = null]) => !truth(value),
  truth: ([value = null]) => truth(value),
};
for (const [name, op] of Object.entries(BINARY))
  functions[name] = (args, _kwargs, meter) => binaryOperator(op)(...pair(name, args), meter);
for (const [name, op] of Object.entries(COMPARE))
  functions[name] = (args, _kwargs, meter) => compareOperators[op](...pair(name, args), meter);

export const operator = makeModule(
  "operator",
  functions,
  {},
  {
    ...Object.fromEntries([...Object.keys(BINARY), ...Object.keys(COMPARE)].map((name) => [name, "a, b, /"])),
    ...{ getitem: "a, b, /", contains: "a, b, /", countOf: "a, b, /", concat: "a, b, /" },
    ...{ neg: "a, /", not_: "a, /", truth: "a, /" },
  },
);

function pair(name: string, args: readonly Value[]): [Value, Value] {
  const [a, b] = args;
  if (a === undefined || b === undefined || args.length > 2)
    throw typeError(`${name} expected 2 arguments, got ${args.length}`);
  return [a, b];
}

const oneOrAll = (found: readonly Value[]): Value =>
  found.length === 1 ? (found[0] ?? null) : new PyTuple([...found]);
