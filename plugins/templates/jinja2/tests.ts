/** The tests: what stands behind `is`. */
import { signature } from "../python/args.ts";
import { modulo } from "../python/arith.ts";
import { isLower, isUpper } from "../python/blanks.ts";
import { isCallable } from "../python/call.ts";
import { compare, contains, identical } from "../python/compare.ts";
import { PyDict, PySet } from "../python/dict.ts";
import { eq } from "../python/equal.ts";
import { isIterable, PyRange, PyView } from "../python/iterate.ts";
import type { Meter } from "../python/limits.ts";
import { str } from "../python/repr.ts";
import {
  isInt,
  isText,
  Markup,
  PyFloat,
  PyObject,
  PyTuple,
  textOf,
  Undefined,
  type Value,
} from "../python/values.ts";
import type { Test, TestTable } from "./filter.ts";
import { networkTests } from "./network/tests.ts";

const noArguments = signature("test", [], false);

function unary(test: (value: Value, meter: Meter) => boolean): Test {
  return (value, args, kwargs, { meter }) => {
    noArguments(args, kwargs);
    return test(value, meter);
  };
}

function binary(test: (value: Value, other: Value, meter: Meter) => boolean, parameter = "other"): Test {
  const bind = signature("test", [parameter]);
  return (value, args, kwargs, { meter }) => test(value, bind(args, kwargs)[0] ?? null, meter);
}

function isNumber(value: Value): boolean {
  return isInt(value) || typeof value === "boolean" || value instanceof PyFloat;
}

function isSequence(value: Value): boolean {
  if (isText(value) || Array.isArray(value)) return true;
  if (value instanceof Undefined) return value.typeName !== "StrictUndefined";
  if (value instanceof PySet || value instanceof PyView) return false;
  if (value instanceof PyTuple || value instanceof PyRange) return true;
  return value instanceof PyObject && value.length !== undefined && value.getitem !== undefined;
}

function isHtml(value: Value): boolean {
  if (value instanceof Undefined) return value.typeName === "ChainableUndefined";
  return value instanceof Markup || (value instanceof PyObject && value.html !== undefined);
}

function isKnown(name: Value, table: ReadonlyMap<string, unknown>): boolean {
  // What can't be a key is an error, as a look-up in a dictionary is.
  new PyDict().has(name);
  return isText(name) && table.has(textOf(name));
}

const equal = binary((value, other) => eq(value, other));
const unequal = binary((value, other) => !eq(value, other));
const less = binary((value, other) => compare("<", value, other));
const lessOrEqual = binary((value, other) => compare("<=", value, other));
const greater = binary((value, other) => compare(">", value, other));
const greaterOrEqual = binary((value, other) => compare(">=", value, other));

const coreTests: readonly (readonly [string, Test])[] = [
  ["odd", unary((value, meter) => eq(modulo(value, 2, meter), 1))],
  ["even", unary((value, meter) => eq(modulo(value, 2, meter), 0))],
  ["divisibleby", binary((value, other, meter) => eq(modulo(value, other, meter), 0), "num")],
  ["defined", unary((value) => !(value instanceof Undefined))],
  ["undefined", unary((value) => value instanceof Undefined)],
  [
    "filter",
    (value, args, kwargs, { run }) => {
      noArguments(args, kwargs);
      return isKnown(value, run.filters);
    },
  ],
  [
    "test",
    (value, args, kwargs, { run }) => {
      noArguments(args, kwargs);
      return isKnown(value, run.tests);
    },
  ],
  ["none", unary((value) => value === null)],
  ["boolean", unary((value) => typeof value === "boolean")],
  ["true", unary((value) => value === true)],
  ["false", unary((value) => value === false)],
  ["integer", unary(isInt)],
  ["float", unary((value) => value instanceof PyFloat)],
  ["number", unary(isNumber)],
  ["string", unary(isText)],
  ["mapping", unary((value) => value instanceof PyDict)],
  ["sequence", unary(isSequence)],
  [
    "iterable",
    unary((value) => {
      if (value instanceof Undefined) value.iterate();
      return isIterable(value);
    }),
  ],
  ["callable", unary((value) => isCallable(value) || value instanceof Undefined)],
  ["lower", unary((value, meter) => isLower(str(value, meter)))],
  ["upper", unary((value, meter) => isUpper(str(value, meter)))],
  ["escaped", unary(isHtml)],
  ["sameas", binary(identical)],
  ["in", binary((value, other, meter) => contains(other, value, meter), "seq")],
  ["==", equal],
  ["eq", equal],
  ["equalto", equal],
  ["!=", unequal],
  ["ne", unequal],
  ["<", less],
  ["lt", less],
  ["lessthan", less],
  ["<=", lessOrEqual],
  ["le", lessOrEqual],
  [">", greater],
  ["gt", greater],
  ["greaterthan", greater],
  [">=", greaterOrEqual],
  ["ge", greaterOrEqual],
];

/** Jinja2's own come last: where a name is in both, theirs is what templates get. */
export const allTests: TestTable = new Map<string, Test>([...networkTests, ...coreTests]);
