/** Cerberus's value types. */

import { isInt, PyDict, PyFloat, PyRange, PySet, PyTuple, typeName, type Value } from "../../python/index.ts";

const isList = (value: Value): boolean =>
  Array.isArray(value) || value instanceof PyTuple || value instanceof PyRange;
const isBool = (value: Value): boolean => typeof value === "boolean";

/** In Python a bool is an int; only `number` excludes it. */
const TYPES: Readonly<Record<string, (value: Value) => boolean>> = {
  // There are no bytes values here.
  binary: () => false,
  boolean: isBool,
  container: (value) => isList(value) || value instanceof PyDict || value instanceof PySet,
  date: (value) => ["datetime.date", "datetime.datetime"].includes(typeName(value)),
  datetime: (value) => typeName(value) === "datetime.datetime",
  dict: (value) => value instanceof PyDict,
  float: (value) => value instanceof PyFloat || isInt(value) || isBool(value),
  integer: (value) => isInt(value) || isBool(value),
  list: isList,
  number: (value) => value instanceof PyFloat || (isInt(value) && !isBool(value)),
  set: (value) => value instanceof PySet,
  string: (value) => typeof value === "string",
};

export const isTypeName = (name: string): boolean => Object.hasOwn(TYPES, name);

export const isOfType = (value: Value, name: string): boolean => TYPES[name]?.(value) ?? false;

/** Sized and iterable, except text. */
export const isCollection = (value: Value): boolean =>
  isList(value) || value instanceof PyDict || value instanceof PySet;

export const isSequence = isList;
