/** Converts results to plain JSON values, and JSON values to Python's. */

import { typeError } from "../errors.ts";
import { IpAddress, IpNetwork } from "../ip/objects.ts";
import { limitError, type Meter } from "../limits.ts";
import { floatRepr } from "../numbers/floats.ts";
import { intText, str } from "../text/repr.ts";
import { PyDict, PySet } from "../values/dict.ts";
import { itemsOf, PyRange, PyView } from "../values/iterate.ts";
import { MAX_SHAPED_KEYS } from "../values/shape.ts";
import { isInt, Markup, PyFloat, PyObject, PyTuple, typeName, type Value } from "../values/values.ts";
import { nativeJson } from "./native.ts";

const MAX_DEPTH = 200;

/** The results as plain values, parsed back from their JSON. */
export const toPlain = (value: Value, meter: Meter): unknown => JSON.parse(toJson(value, meter));

/**
 * Keys become text as in Python's JSON and keep their order, 2.0 stays distinct from 2, ints keep all digits,
 * IP objects become text. A value that JSON cannot represent is an error.
 */
export const toJson = (value: Value, meter: Meter): string =>
  nativeJson(value, meter) ?? ownJson(value, meter);

function ownJson(value: Value, meter: Meter): string {
  let length = 0;
  const bounded = (text: string): string => {
    length += text.length;
    if (length > meter.limits.outputChars) throw limitError("the results are too large");
    return text;
  };
  const visit = (value: Value, depth: number): string => {
    if (typeof value === "string") return bounded(JSON.stringify(value));
    if (value === null || typeof value === "boolean") return String(value);
    if (typeof value === "number" || typeof value === "bigint") return bounded(intText(value));
    meter.step();
    if (depth > MAX_DEPTH) throw limitError(`results nested deeper than ${MAX_DEPTH} levels`);
    if (Array.isArray(value)) return list(value, depth);
    if (value instanceof PyDict) return dictionary(value, depth);
    if (value instanceof PyFloat)
      return Number.isFinite(value.value) ? floatRepr(value.value) : JSON.stringify(str(value, meter));
    if (isSequence(value)) return list(itemsOf(value, meter), depth);
    if (value instanceof Markup || isTextObject(value)) return bounded(JSON.stringify(str(value, meter)));
    throw typeError(`a result of type ${typeName(value)} has no form in JSON`);
  };
  const list = (items: readonly Value[], depth: number): string => {
    let text = "";
    for (const item of items) text += (text === "" ? "" : ",") + visit(item, depth + 1);
    return `[${text}]`;
  };
  /** Cache for dictionaries with few keys, which tend to repeat; keys of larger ones do not. */
  const keys = new Map<string, string>();
  const keyJson = (key: string): string => {
    let json = keys.get(key);
    if (json === undefined) {
      json = `${JSON.stringify(key)}:`;
      keys.set(key, json);
    }
    return bounded(json);
  };
  const dictionary = (dict: PyDict, depth: number): string => {
    const asJson =
      dict.size > MAX_SHAPED_KEYS ? (key: string) => bounded(`${JSON.stringify(key)}:`) : keyJson;
    let text = "";
    let allTexts = true;
    dict.each((key, item) => {
      if (typeof key !== "string") allTexts = false;
      if (allTexts) text += (text === "" ? "" : ",") + asJson(String(key)) + visit(item, depth + 1);
    });
    return allTexts ? `{${text}}` : mixed(dict, depth);
  };
  /** 1 and "1" are distinct keys in Python but the same in JSON: the last one wins. */
  const mixed = (dict: PyDict, depth: number): string => {
    const members = new Map<string, string>();
    dict.each((key, item) => members.set(keyText(key, meter), visit(item, depth + 1)));
    return `{${[...members].map(([key, item]) => keyJson(key) + item).join(",")}}`;
  };
  return visit(value, 0);
}

const isSequence = (value: Value): boolean =>
  value instanceof PyTuple || value instanceof PySet || value instanceof PyView || value instanceof PyRange;

/** Objects that are written as text. */
const isTextObject = (value: Value): boolean =>
  value instanceof IpAddress ||
  value instanceof IpNetwork ||
  (value instanceof PyObject && /^datetime\./.test(value.typeName));

/** Copies a value with such objects as text; numbers keep their types. */
export function withTexts(value: Value, meter: Meter, depth = 0): Value {
  if (depth > MAX_DEPTH) throw limitError(`results nested deeper than ${MAX_DEPTH} levels`);
  meter.step();
  const inner = (item: Value): Value => withTexts(item, meter, depth + 1);
  if (Array.isArray(value)) return value.map(inner);
  if (value instanceof PyTuple) return new PyTuple(value.items.map(inner));
  if (value instanceof PyDict)
    return PyDict.from(value.entries().map(([key, item]): [Value, Value] => [inner(key), inner(item)]));
  return isTextObject(value) ? str(value, meter) : value;
}

function keyText(key: Value, meter: Meter): string {
  if (typeof key === "string") return key;
  if (key === null) return "null";
  if (typeof key === "boolean") return key ? "true" : "false";
  if (isInt(key)) return intText(key);
  return key instanceof PyFloat ? floatRepr(key.value) : str(key, meter);
}

/** Converts a JSON value as Python's json module does; integral numbers become ints. */
export function fromPlain(value: unknown, depth = 0): Value {
  if (depth > MAX_DEPTH) throw limitError(`a value nested deeper than ${MAX_DEPTH} levels`);
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || typeof value === "boolean" || typeof value === "bigint") return value;
  if (typeof value === "number") return Number.isSafeInteger(value) ? value : new PyFloat(value);
  if (Array.isArray(value)) return value.map((item) => fromPlain(item, depth + 1));
  if (typeof value === "object")
    return PyDict.from(
      Object.entries(value).map(([key, item]): [string, Value] => [key, fromPlain(item, depth + 1)]),
    );
  throw typeError(`a ${typeof value} is not a JSON value`);
}
