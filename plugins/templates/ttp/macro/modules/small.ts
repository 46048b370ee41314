/**
 * Small modules of Python's standard library: math, copy, collections, functools, operator, string, typing,
 * logging.
 */
import { add } from "../../../python/arith.ts";
import { capitalize, words } from "../../../python/blanks.ts";
import { callValue } from "../../../python/call.ts";
import { PyDict, PySet } from "../../../python/dict.ts";
import { buildDict } from "../../../python/dicts.ts";
import { typeError, valueError } from "../../../python/errors.ts";
import { itemsOf } from "../../../python/iterate.ts";
import { limitError } from "../../../python/limits.ts";
import { requireAttribute } from "../../../python/methods.ts";
import { toFloatValue, toInteger } from "../../../python/numbers.ts";
import { str } from "../../../python/repr.ts";
import {
  isInt,
  PyFloat,
  PyFunction,
  PyObject,
  PyTuple,
  typeName,
  type Value,
} from "../../../python/values.ts";
import { Counter, DefaultDict } from "../defaultdict.ts";
import { readItem } from "../items.ts";
import { makeModule, type PyModule } from "./module.ts";

/** A deep copy; cyclic values are an error. */
export function deepCopy(value: Value, depth = 0): Value {
  if (depth > 200) throw limitError("a value nested deeper than 200 levels");
  if (Array.isArray(value)) return value.map((item) => deepCopy(item, depth + 1));
  if (value instanceof PyDict)
    return value.withValues(value.values().map((item) => deepCopy(item, depth + 1)));
  if (value instanceof PyTuple) return new PyTuple(value.items.map((item) => deepCopy(item, depth + 1)));
  if (value instanceof PySet) return new PySet(value.values());
  return value;
}

function shallowCopy(value: Value): Value {
  if (Array.isArray(value)) return value.slice();
  if (value instanceof PyDict) return value.copy();
  return value instanceof PySet ? new PySet(value.values()) : value;
}

const whole = (value: number): Value => toInteger(new PyFloat(value));

/** A number for `math`, which converts no text. */
function real(value: Value = null): number {
  if (isInt(value) || typeof value === "boolean" || value instanceof PyFloat)
    return toFloatValue(value).value;
  throw typeError(`must be real number, not ${typeName(value)}`);
}

const onFloat =
  (apply: (value: number) => number) =>
  ([value]: readonly Value[]): Value => {
    const result = apply(real(value));
    if (Number.isNaN(result)) throw valueError("math domain error");
    return new PyFloat(result);
  };

const math = makeModule(
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
      new PyFloat(base === undefined ? Math.log(real(value)) : Math.log(real(value)) / Math.log(real(base))),
    pow: ([a, b]) => new PyFloat(real(a) ** real(b)),
    isfinite: ([value]) => Number.isFinite(real(value)),
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

const collections = makeModule("collections", {
  OrderedDict: buildDict,
  defaultdict([factory = null, ...rest], kwargs, meter) {
    const dict = new DefaultDict(factory);
    buildDict(rest, kwargs, meter).each((key, value) => dict.set(key, value));
    return dict;
  },
  Counter([source = []], kwargs, meter) {
    const counts = new Counter();
    if (source instanceof PyDict) counts.take(source);
    else for (const item of itemsOf(source, meter)) counts.set(item, add(counts.get(item) ?? 0, 1, meter));
    for (const [key, count] of kwargs ?? []) counts.set(key, add(counts.get(key) ?? 0, count, meter));
    return counts;
  },
});

const functools = makeModule("functools", {
  reduce([callee = null, source = [], start], _kwargs, meter) {
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

const operator = makeModule("operator", {
  itemgetter: (keys) =>
    new PyFunction("itemgetter", ([target = null], _kwargs, meter) => {
      const found = keys.map((key) => readItem(target, key, meter));
      return found.length === 1 ? (found[0] ?? null) : new PyTuple(found);
    }),
  attrgetter: ([name = ""], _kwargs, meter) =>
    new PyFunction("attrgetter", ([target = null]) => requireAttribute(target, str(name, meter), meter)),
});

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const strings = {
  ascii_lowercase: LETTERS,
  ascii_uppercase: LETTERS.toUpperCase(),
  ascii_letters: LETTERS + LETTERS.toUpperCase(),
  digits: "0123456789",
  hexdigits: "0123456789abcdefABCDEF",
  punctuation: "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
  whitespace: " \t\n\r\v\f",
};

/** Has every attribute and item; for annotations, which have no effect. */
class Anything extends PyObject {
  override readonly typeName = "typing";
  override getattr(): Value {
    return this;
  }
  override getitem(): Value {
    return this;
  }
}

export const smallModules: ReadonlyMap<string, Value> = new Map<string, Value>([
  ["math", math],
  [
    "copy",
    makeModule("copy", {
      copy: ([value = null]) => shallowCopy(value),
      deepcopy: ([value = null]) => deepCopy(value),
    }),
  ],
  ["collections", collections],
  ["functools", functools],
  ["operator", operator],
  ["typing", new Anything()],
  ["__future__", new Anything()],
  [
    "string",
    makeModule(
      "string",
      {
        capwords([text = "", mark = null], kwargs, meter) {
          const separator = kwargs?.get("sep") ?? mark;
          const given = str(text, meter);
          const parts = separator === null ? words(given) : given.split(str(separator, meter));
          return parts.map(capitalize).join(separator === null ? " " : str(separator, meter));
        },
      },
      strings,
    ),
  ],
]);

/** @param log output of the loggers. */
export function createLogging(log: (text: string) => void): PyModule {
  const write = new PyFunction("log", (args, _kwargs, meter) => {
    log(args.map((one) => str(one, meter)).join(" "));
    return null;
  });
  const names = ["debug", "info", "warning", "error", "critical", "exception"];
  const methods = Object.fromEntries(names.map((name): [string, Value] => [name, write]));
  const logger = makeModule("logger", {}, methods);
  return makeModule("logging", { getLogger: () => logger, basicConfig: () => null }, methods);
}
