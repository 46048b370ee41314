/** Small modules of Python's standard library: copy, collections, string, typing, logging. */

import {
  buildDict,
  capitalize,
  deepCopy,
  itemsOf,
  PyDict,
  PyFunction,
  PyObject,
  PySet,
  str,
  typeError,
  typeName,
  type Value,
  valueError,
  words,
} from "../../../python/index.ts";
import { Counter, DefaultDict } from "../defaultdict.ts";
import { ChainMap, Deque } from "../deque.ts";
import { makeNamedTuple } from "../namedtuple.ts";
import { PyType } from "../types.ts";
import { functools, operator } from "./callables.ts";
import { math } from "./math.ts";
import { makeModule, type PyModule } from "./module.ts";

function shallowCopy(value: Value): Value {
  if (Array.isArray(value)) return value.slice();
  if (value instanceof PyDict) return value.copy();
  return value instanceof PySet ? new PySet(value.values()) : value;
}

const collections = makeModule(
  "collections",
  {
    OrderedDict: buildDict,
    defaultdict([factory = null, ...rest], kwargs, meter) {
      const dict = new DefaultDict(factory);
      buildDict(rest, kwargs, meter).each((key, value) => dict.set(key, value));
      return dict;
    },
    Counter([source = []], kwargs, meter) {
      const counts = new Counter();
      counts.count(source, kwargs, meter);
      return counts;
    },
    namedtuple: makeNamedTuple,
  },
  {
    deque: new PyType(
      "collections.deque",
      (value) => value instanceof Deque,
      ([source = [], maxlen = null], _kwargs, meter) => new Deque(itemsOf(source, meter), lengthOf(maxlen)),
      {},
      "iterable, maxlen",
    ),
    ChainMap: new PyType(
      "collections.ChainMap",
      (value) => value instanceof ChainMap,
      (maps) => {
        const other = maps.find((map) => !(map instanceof PyDict));
        if (other !== undefined) throw typeError(`ChainMap() takes dictionaries, not ${typeName(other)}`);
        return new ChainMap(maps.length === 0 ? [new PyDict()] : maps.filter((map) => map instanceof PyDict));
      },
    ),
  },
);

/** `maxlen` of a deque. */
function lengthOf(value: Value): number | null {
  if (value === null) return null;
  if (typeof value !== "number") throw typeError("an integer is required");
  if (value < 0) throw valueError("maxlen must be non-negative");
  return value;
}

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
const BLANKS = " \t\n\r\v\f";
const strings = {
  ascii_lowercase: LETTERS,
  ascii_uppercase: LETTERS.toUpperCase(),
  ascii_letters: LETTERS + LETTERS.toUpperCase(),
  digits: "0123456789",
  octdigits: "01234567",
  hexdigits: "0123456789abcdefABCDEF",
  punctuation: PUNCTUATION,
  whitespace: BLANKS,
  printable: `0123456789${LETTERS}${LETTERS.toUpperCase()}${PUNCTUATION}${BLANKS}`,
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
    makeModule(
      "copy",
      {
        copy: ([value = null]) => shallowCopy(value),
        deepcopy: ([value = null]) => deepCopy(value),
      },
      {},
      { copy: "x", deepcopy: "x, memo" },
    ),
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
          const phrase = str(text, meter);
          const parts = separator === null ? words(phrase) : phrase.split(str(separator, meter));
          return parts.map(capitalize).join(separator === null ? " " : str(separator, meter));
        },
      },
      strings,
      { capwords: "s, sep" },
    ),
  ],
]);

/** @param log output of the loggers. */
export function createLogging(log: (text: string) => void): PyModule {
  const write = new PyFunction("log", (args, _kwargs, meter) => {
    log(args.map((arg) => str(arg, meter)).join(" "));
    return null;
  });
  const names = ["debug", "info", "warning", "error", "critical", "exception"];
  const methods = Object.fromEntries(names.map((name): [string, Value] => [name, write]));
  const logger = makeModule("logger", {}, methods);
  return makeModule("logging", { getLogger: () => logger, basicConfig: () => null }, methods);
}
