/** Attribute and item access as in Jinja: `x.y` tries the attribute first, `x["y"]` the item. */

import {
  attempt,
  attribute,
  callMethod,
  callValue,
  dictMethods,
  getItem,
  type Kwargs,
  Markup,
  PyDict,
  PyObject,
  type PySlice,
  PyTuple,
  typeError,
  typeName,
  Undefined,
  undefinedError,
  type Value,
} from "../../python/index.ts";
import type { FilterContext } from "../filters/kinds.ts";
import { whyNoFunction } from "../syntax/absent.ts";
import { Macro } from "./macro.ts";
import { missingMember } from "./missing.ts";

export function isDictMethod(name: string): boolean {
  return dictMethods.has(name);
}

function orMissing(found: Value | undefined, value: Value, key: Value, { run, meter }: FilterContext): Value {
  return found === undefined ? missingMember(run.undefinedKind, value, key, meter) : found;
}

/** `value.name`. */
export function getAttribute(value: Value, name: string, context: FilterContext): Value {
  if (value instanceof PyDict) {
    if (!dictMethods.has(name)) return orMissing(value.get(name), value, name, context);
  } else if (value instanceof Undefined) {
    const member = value.getattr(name);
    return member === undefined ? memberOfUndefined(value) : member;
  }
  const found = attribute(value, name, context.meter);
  if (found !== undefined) return found;
  const item = value instanceof PyObject ? lenientItem(value, name, context) : undefined;
  return orMissing(item, value, name, context);
}

/** `value[key]`. */
export function getSubscript(value: Value, key: Value, context: FilterContext): Value {
  if (value instanceof Undefined) return memberOfUndefined(value);
  if (value instanceof PyDict && !isHashable(key)) return orMissing(undefined, value, key, context);
  const item =
    value instanceof PyObject && value.getitem !== undefined
      ? lenientItem(value, key, context)
      : getItem(value, key, context.meter);
  if (item !== undefined) return item;
  if (key instanceof Undefined) key.str();
  const name = typeof key === "string" ? key : key instanceof Markup ? key.value : undefined;
  const found = name === undefined ? undefined : attribute(value, name, context.meter);
  return orMissing(found, value, key, context);
}

/** An item that cannot be read, such as `b"x"["name"]`, is missing. */
function lenientItem(value: PyObject, key: Value, { meter }: FilterContext): Value | undefined {
  return attempt(
    () => value.getitem?.(key, meter),
    () => undefined,
    "TypeError",
    "IndexError",
    "KeyError",
  );
}

function memberOfUndefined(value: Undefined): Value {
  const isChainable = value.typeName === "ChainableUndefined" || value.typeName === "AnsibleUndefined";
  return isChainable ? value : value.fail();
}

export function isHashable(key: Value): boolean {
  if (Array.isArray(key) || key instanceof PyDict) return false;
  return key instanceof PyTuple ? key.items.every(isHashable) : true;
}

/** `value[a:b:c]`; raises the same errors as Python. */
export function getSlice(value: Value, slice: PySlice, context: FilterContext): Value {
  if (value instanceof Undefined) return memberOfUndefined(value);
  const part = getItem(value, slice, context.meter);
  if (part === undefined) throw typeError(`'${typeName(value)}' object is not subscriptable`);
  return part;
}

export function call(
  target: Value,
  args: readonly Value[],
  kwargs: Kwargs | undefined,
  context: FilterContext,
): Value {
  if (target instanceof Macro) return target.invoke(args, kwargs, context.autoescape);
  const why = target instanceof Undefined ? whyNoFunction(target.missed ?? "") : "";
  if (target instanceof Undefined && why !== "") throw undefinedError(`${target.hint}.${why}`);
  return callValue(target, args, kwargs, context.meter);
}

/** `value.name(...)`; methods of built-in values are called without allocating a bound method. */
export function callMember(
  value: Value,
  name: string,
  args: readonly Value[],
  kwargs: Kwargs | undefined,
  context: FilterContext,
): Value {
  if (typeof value === "string" || Array.isArray(value) || value instanceof PyDict) {
    const result = callMethod(value, name, args, kwargs, context.meter);
    if (result !== undefined) return result;
  }
  return call(getAttribute(value, name, context), args, kwargs, context);
}
