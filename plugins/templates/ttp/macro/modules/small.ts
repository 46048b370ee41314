/** Small modules of Python's library: math, copy, collections, itertools, functools, string, typing, logging, operator. */
import { add } from "../../../python/arith.ts";
import { callValue } from "../../../python/call.ts";
import { PyDict, PySet } from "../../../python/dict.ts";
import { buildDict } from "../../../python/dicts.ts";
import { same } from "../../../python/equal.ts";
import { typeError, valueError } from "../../../python/errors.ts";
import { itemsOf, iterate, PyIterator } from "../../../python/iterate.ts";
import { limitError, type Meter } from "../../../python/limits.ts";
import { requireAttribute } from "../../../python/methods.ts";
import { toFloatValue } from "../../../python/numbers.ts";
import { str } from "../../../python/repr.ts";
import {
  isInt,
  type Kwargs,
  PyFloat,
  PyFunction,
  PyObject,
  PyTuple,
  toInt,
  type Value,
} from "../../../python/values.ts";
import { DefaultDict } from "../defaultdict.ts";
import { readItem } from "../items.ts";
import { asCount } from "../operators.ts";
import { makeModule, type PyModule } from "./module.ts";

/** A deep copy; what holds itself is refused. */
export function deepCopy(value: Value, depth = 0): Value {
  if (depth > 200) throw limitError("a value nested deeper than 200 levels");
  if (Array.isArray(value)) return value.map((item) => deepCopy(item, depth + 1));
  if (value instanceof PyDict)
    return PyDict.from(
      value.entries().map(([key, item]): [Value, Value] => [key, deepCopy(item, depth + 1)]),
    );
  if (value instanceof PyTuple) return new PyTuple(value.items.map((item) => deepCopy(item, depth + 1)));
  if (value instanceof PySet) return new PySet(value.values());
  return value;
}

function shallowCopy(value: Value): Value {
  if (Array.isArray(value)) return value.slice();
  if (value instanceof PyDict) return value.copy();
  return value instanceof PySet ? new PySet(value.values()) : value;
}

function whole(value: number): Value {
  if (!Number.isFinite(value)) throw valueError("cannot convert float to integer");
  return Number.isSafeInteger(value) ? value + 0 : toInt(BigInt(value));
}

const real = (value: Value | undefined): number => toFloatValue(value ?? null).value;

const onFloat =
  (apply: (value: number) => number) =>
  ([value]: readonly Value[]): Value => {
    const result = apply(real(value));
    if (Number.isNaN(result)) throw valueError("math domain error");
    return new PyFloat(result);
  };

function createMath(): PyModule {
  return makeModule(
    "math",
    {
      ceil: ([value = 0]) => (isInt(value) ? value : whole(Math.ceil(real(value)))),
      floor: ([value = 0]) => (isInt(value) ? value : whole(Math.floor(real(value)))),
      trunc: ([value = 0]) => (isInt(value) ? value : whole(Math.trunc(real(value)))),
      sqrt: onFloat(Math.sqrt),
      fabs: onFloat(Math.abs),
      exp: onFloat(Math.exp),
      log2: onFloat(Math.log2),
      log10: onFloat(Math.log10),
      log: ([value, base]) =>
        new PyFloat(
          base === undefined ? Math.log(real(value)) : Math.log(real(value)) / Math.log(real(base)),
        ),
      pow: ([a, b]) => new PyFloat(real(a) ** real(b)),
      isnan: ([value]) => Number.isNaN(real(value)),
      isinf: ([value]) => Math.abs(real(value)) === Number.POSITIVE_INFINITY,
    },
    {
      pi: new PyFloat(Math.PI),
      e: new PyFloat(Math.E),
      inf: new PyFloat(Number.POSITIVE_INFINITY),
      nan: new PyFloat(Number.NaN),
    },
  );
}

function createCollections(): PyModule {
  return makeModule("collections", {
    OrderedDict: (args, kwargs, meter) => buildDict(args, kwargs, meter),
    defaultdict: ([factory = null, ...rest], kwargs, meter) => {
      const dict = new DefaultDict(factory);
      for (const [key, value] of buildDict(rest, kwargs, meter).entries()) dict.set(key, value);
      return dict;
    },
    Counter: ([source = []], _kwargs, meter) => {
      const counts = new DefaultDict(new PyFunction("int", () => 0));
      for (const item of itemsOf(source, meter)) counts.set(item, add(counts.get(item) ?? 0, 1, meter));
      return counts;
    },
  });
}

function* chained(sources: Iterable<Value>, meter: Meter): Generator<Value> {
  for (const source of sources) {
    const iterator = iterate(source, meter);
    for (let one = iterator.next(); one.done !== true; one = iterator.next()) {
      meter.step();
      yield one.value;
    }
  }
}

function* grouped(source: Value, key: Value, meter: Meter): Generator<Value> {
  let group: { key: Value; items: Value[] } | undefined;
  for (const item of chained([source], meter)) {
    const now = key === null ? item : callValue(key, [item], undefined, meter);
    if (group !== undefined && same(group.key, now)) group.items.push(item);
    else {
      if (group !== undefined) yield new PyTuple([group.key, new PyIterator(group.items[Symbol.iterator]())]);
      group = { key: now, items: [item] };
    }
  }
  if (group !== undefined) yield new PyTuple([group.key, new PyIterator(group.items[Symbol.iterator]())]);
}

function* products(sources: readonly (readonly Value[])[], meter: Meter): Generator<Value> {
  const [first, ...rest] = sources;
  if (first === undefined) {
    yield new PyTuple([]);
    return;
  }
  for (const item of first)
    for (const tail of products(rest, meter)) {
      meter.step();
      yield new PyTuple([item, ...(tail as PyTuple).items]);
    }
}

function* counting(start: Value, step: Value, meter: Meter): Generator<Value> {
  for (let at = start; ; at = add(at, step, meter)) {
    meter.step();
    yield at;
  }
}

function createItertools(): PyModule {
  const chain = new PyFunction("chain", (sources, _kwargs, meter) => new PyIterator(chained(sources, meter)));
  const fromIterable = new PyFunction(
    "from_iterable",
    ([source = []], _kwargs, meter) => new PyIterator(chained(itemsOf(source, meter), meter)),
  );
  return makeModule(
    "itertools",
    {
      groupby: ([source = [], key = null], kwargs, meter) =>
        new PyIterator(grouped(source, kwargs?.get("key") ?? key, meter), "groupby"),
      product: (sources, _kwargs, meter) =>
        new PyIterator(
          products(
            sources.map((one) => itemsOf(one, meter)),
            meter,
          ),
          "product",
        ),
      count: ([start = 0, step = 1], _kwargs, meter) => new PyIterator(counting(start, step, meter), "count"),
      islice: ([source = [], first = null, second], _kwargs, meter) => {
        const [from, to] = second === undefined ? [0, first] : [first ?? 0, second];
        const most = to === null ? Number.POSITIVE_INFINITY : asCount(to, "islice");
        const items: Value[] = [];
        let at = 0;
        for (const item of chained([source], meter)) {
          if (at >= most) break;
          if (at >= asCount(from, "islice")) items.push(item);
          at++;
        }
        return new PyIterator(items[Symbol.iterator]());
      },
    },
    { chain: new Attributed(chain, new Map([["from_iterable", fromIterable]])) },
  );
}

/** A function that has attributes. */
class Attributed extends PyObject {
  override readonly typeName = "type";
  constructor(
    private readonly body: PyFunction,
    private readonly names: ReadonlyMap<string, Value>,
  ) {
    super();
  }
  override getattr(name: string): Value | undefined {
    return this.names.get(name);
  }
  override call(args: readonly Value[], kwargs: Kwargs | undefined, meter: Meter): Value {
    return this.body.call(args, kwargs, meter);
  }
}

function createFunctools(): PyModule {
  return makeModule("functools", {
    reduce: ([callee = null, source = [], start], _kwargs, meter) => {
      let total = start;
      for (const item of itemsOf(source, meter))
        total = total === undefined ? item : callValue(callee, [total, item], undefined, meter);
      if (total === undefined) throw typeError("reduce() of empty iterable with no initial value");
      return total;
    },
    partial: ([callee = null, ...first], given) =>
      new PyFunction("partial", (args, kwargs, meter) =>
        callValue(callee, [...first, ...args], new Map([...(given ?? []), ...(kwargs ?? [])]), meter),
      ),
  });
}

function createOperator(): PyModule {
  return makeModule("operator", {
    itemgetter: (keys) =>
      new PyFunction("itemgetter", ([target = null], _kwargs, meter) => {
        const found = keys.map((key) => readItem(target, key, meter));
        return found.length === 1 ? (found[0] ?? null) : new PyTuple(found);
      }),
    attrgetter: ([name = ""], _kwargs, meter) =>
      new PyFunction("attrgetter", ([target = null]) => requireAttribute(target, str(name, meter), meter)),
  });
}

/** Whatever is asked of it is there, and means nothing: annotations. */
class Anything extends PyObject {
  override readonly typeName = "typing";
  override getattr(): Value {
    return this;
  }
  override getitem(): Value {
    return this;
  }
}

function createLogging(log: (text: string) => void): PyModule {
  const write = new PyFunction("log", (args, _kwargs, meter) => {
    log(args.map((one) => str(one, meter)).join(" "));
    return null;
  });
  const names = ["debug", "info", "warning", "error", "critical", "exception"];
  const methods = Object.fromEntries(names.map((name): [string, Value] => [name, write]));
  const logger = makeModule("logger", {}, methods);
  return makeModule("logging", { getLogger: () => logger, basicConfig: () => null }, methods);
}

const LETTERS = "abcdefghijklmnopqrstuvwxyz";

/** @param log where `logging` writes. */
export function createSmallModules(log: (text: string) => void): ReadonlyMap<string, () => Value> {
  return new Map<string, () => Value>([
    ["math", createMath],
    [
      "copy",
      () =>
        makeModule("copy", {
          copy: ([value = null]) => shallowCopy(value),
          deepcopy: ([value = null]) => deepCopy(value),
        }),
    ],
    ["collections", createCollections],
    ["itertools", createItertools],
    ["functools", createFunctools],
    ["operator", createOperator],
    ["typing", () => new Anything()],
    ["__future__", () => new Anything()],
    ["logging", () => createLogging(log)],
    [
      "string",
      () =>
        makeModule(
          "string",
          {},
          {
            ascii_lowercase: LETTERS,
            ascii_uppercase: LETTERS.toUpperCase(),
            ascii_letters: LETTERS + LETTERS.toUpperCase(),
            digits: "0123456789",
            hexdigits: "0123456789abcdefABCDEF",
            punctuation: "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
            whitespace: " \t\n\r\v\f",
          },
        ),
    ],
  ]);
}
