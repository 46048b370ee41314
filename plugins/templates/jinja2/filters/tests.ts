/** Jinja2's tests, used with `is`. */
import {
  arithmetic,
  compare,
  contains,
  eq,
  identical,
  isCallable,
  isInt,
  isIterable,
  isLower,
  isText,
  isUpper,
  Markup,
  PyDict,
  PyFloat,
  PyObject,
  PyRange,
  PySet,
  PyTuple,
  PyView,
  textOf,
  Undefined,
  type Value,
} from "../../python/index.ts";
import { define, type TestEntries } from "./define.ts";

function isSequence(value: Value): boolean {
  if (isText(value) || Array.isArray(value)) return true;
  if (value instanceof Undefined)
    return value.typeName !== "StrictUndefined" && value.typeName !== "AnsibleUndefined";
  if (value instanceof PySet || value instanceof PyView) return false;
  if (value instanceof PyTuple || value instanceof PyRange) return true;
  return value instanceof PyObject && value.length !== undefined && value.getitem !== undefined;
}

function isHtml(value: Value): boolean {
  if (value instanceof Undefined) return value.typeName === "ChainableUndefined";
  return value instanceof Markup || (value instanceof PyObject && value.html !== undefined);
}

function isKnown(name: Value, table: ReadonlyMap<string, unknown>): boolean {
  // An unhashable name raises an error, as a dictionary lookup does.
  new PyDict().has(name);
  return isText(name) && table.has(textOf(name));
}

const is = (name: string, holds: (value: Value) => boolean) => define(name, "any", "", holds);
const compared = (names: string, holds: (value: Value, other: Value) => boolean) =>
  define(names, "any", "other", holds);

export const coreTests: TestEntries = [
  define("odd", "any", "", (value, { meter }) => eq(arithmetic["%"](value, 2, meter), 1)),
  define("even", "any", "", (value, { meter }) => eq(arithmetic["%"](value, 2, meter), 0)),
  define("divisibleby", "any", "num", (value, num, { meter }) => eq(arithmetic["%"](value, num, meter), 0)),
  is("defined", (value) => !(value instanceof Undefined)),
  is("undefined", (value) => value instanceof Undefined),
  define("filter", "any", "", (name, { run }) => isKnown(name, run.filters)),
  define("test", "any", "", (name, { run }) => isKnown(name, run.tests)),
  is("none", (value) => value === null),
  is("boolean", (value) => typeof value === "boolean"),
  is("true", (value) => value === true),
  is("false", (value) => value === false),
  is("integer", isInt),
  is("float", (value) => value instanceof PyFloat),
  is("number", (value) => isInt(value) || typeof value === "boolean" || value instanceof PyFloat),
  is("string", isText),
  is("mapping", (value) => value instanceof PyDict),
  is("sequence", isSequence),
  is("iterable", (value) => {
    if (value instanceof Undefined) value.iterate();
    return isIterable(value);
  }),
  is("callable", (value) => isCallable(value) || value instanceof Undefined),
  define("lower", "text", "", isLower),
  define("upper", "text", "", isUpper),
  is("escaped", isHtml),
  compared("sameas", identical),
  define("in", "any", "seq", (value, seq, { meter }) => contains(seq, value, meter)),
  compared("== eq equalto", (value, other) => eq(value, other)),
  compared("!= ne", (value, other) => !eq(value, other)),
  compared("< lt lessthan", (value, other) => compare("<", value, other)),
  compared("<= le", (value, other) => compare("<=", value, other)),
  compared("> gt greaterthan", (value, other) => compare(">", value, other)),
  compared(">= ge", (value, other) => compare(">=", value, other)),
].flat();
