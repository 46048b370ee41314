/** Match functions on text: checks, joins, replacements. */

import {
  type Bound,
  callMethod,
  contains,
  eq,
  getItem,
  indexError,
  isInt,
  joinText,
  lengthOf,
  PyDict,
  PyError,
  parseInteger,
  replaceText,
  str,
  toInteger,
  typeError,
  typeName,
  type Value,
} from "../../../python/index.ts";
import { decide, keep, type Outcome, type Runtime } from "../../run/runtime.ts";
import { functions, text, textData, variableOr } from "../functions.ts";

const isDigits = (data: Value, rt: Runtime): boolean =>
  callMethod(textData(data, "strip").trim(), "isdigit", [], undefined, rt.meter) === true;

const compared =
  (sign: 1 | -1) =>
  (data: Value, [value = null]: Bound, rt: Runtime): Outcome => {
    // The limit is only evaluated if the match is a number.
    if (!isDigits(data, rt) || !isDigits(value, rt)) return decide(data, false);
    const limit = text(value, "the limit").trim();
    const [mine, other] = [toInteger(text(data, "data").trim()), toInteger(limit)];
    return decide(data, sign > 0 ? mine > other : mine < other);
  };

const extended =
  (atEnd: boolean) =>
  (data: Value, [char = null]: Bound, rt: Runtime): Outcome => {
    // A template variable of that name, otherwise the text itself.
    const added = variableOr(rt.vars, char);
    if (Array.isArray(data)) {
      if (atEnd) data.push(added);
      else data.unshift(added);
      return keep(data);
    }
    if (typeof data !== "string") return keep(data);
    if (typeof added !== "string")
      throw typeError(`can only concatenate str (not "${typeName(added)}") to str`);
    rt.meter.text(data.length + added.length);
    return keep(atEnd ? data + added : added + data);
  };

/**
 * Replaces each `old` text: items of a list variable, values of a dictionary variable (replaced with their
 * key), or literal text.
 * @param replaceLiteral for a variable that is text; without it, that variable replaces nothing.
 */
export function replaceEach(
  data: string,
  args: Bound,
  rt: Runtime,
  replace: (data: string, old: string, by: string) => string,
  replaceLiteral?: typeof replace,
): Outcome {
  const [first, ...olds] = args;
  const by = args.length > 1 ? text(first, "the new text") : "";
  let result = data;
  for (const old of args.length > 1 ? olds : args) {
    if (old === undefined) continue;
    const value = rt.vars.get(old);
    if (value === undefined) result = replace(result, text(old, "the old text"), by);
    else if (Array.isArray(value)) {
      for (const old of value) if (typeof old === "string") result = replace(result, old, by);
    } else if (value instanceof PyDict) {
      for (const [key, olds] of value.entries())
        for (const old of Array.isArray(olds) ? olds : [olds])
          if (typeof old === "string") result = replace(result, old, str(key, rt.meter));
    } else if (typeof value === "string") result = replaceLiteral?.(result, value, by) ?? result;
  }
  return keep(result);
}

function item(data: Value, position: Value, rt: Runtime): Outcome {
  const index = Number(toInteger(position));
  const length = lengthOf(data);
  if (length === 0) throw indexError("index out of range");
  const at = index >= 0 ? Math.min(index, length - 1) : -index <= length - 1 ? index : 0;
  const found = getItem(data, at, rt.meter);
  if (found === undefined) throw typeError(`'${typeName(data)}' object is not subscriptable`);
  return keep(found);
}

export const textFunctions = functions<Outcome>({
  "contains(*)": (data, patterns, rt) =>
    decide(
      data,
      patterns.some((pattern = null) => contains(data, pattern, rt.meter)),
    ),
  "exclude(pattern)": (data, [pattern = null], rt) => decide(data, !contains(data, pattern, rt.meter)),
  "equal(value)": (data, [value = null]) => decide(data, eq(data, value)),
  "notequal(value)": (data, [value = null]) => decide(data, !eq(data, value)),
  "isdigit(*)": (data, _given, rt) => decide(data, isDigits(data, rt)),
  "notdigit(*)": (data, _given, rt) => decide(data, !isDigits(data, rt)),
  "greaterthan(value)": compared(1),
  "lessthan(value)": compared(-1),
  "append(char)": extended(true),
  "prepend(char)": extended(false),
  "print(*)": (data, _given, rt) => {
    rt.note(str(data, rt.meter));
    return keep(data);
  },
  "replaceall(*)": (data, args, rt) =>
    replaceEach(textData(data, "replace"), args, rt, (text, old, by) =>
      replaceText(text, old, by, -1, rt.meter),
    ),
  "truncate(truncate)": (data, [count = null]) => {
    const parts = textData(data, "split").split(" ");
    if (!isInt(count)) throw typeError("truncate needs a number of words");
    return keep(parts.length >= Number(count) ? parts.slice(0, Number(count)).join(" ") : data);
  },
  "sformat(string)": (data, [format = null], rt) =>
    keep(callMethod(textData(format, "format"), "format", [data], undefined, rt.meter) ?? data),
  "join(char)": (data, [char], rt) => {
    if (!Array.isArray(data)) return keep(data);
    const items = data.map((item) => text(item, "an item to join"));
    return keep(joinText(text(char, "the separator"), items, rt.meter));
  },
  "item(item_index)": (data, [index = null], rt) => item(data, index, rt),
  "joinmatches(*)": keep,
  "void(*)": (data) => decide(data, false),
  "raise(message?)": (_data, [message = ""], rt) => {
    throw new PyError("RuntimeError", str(message, rt.meter));
  },
  "unrange(rangechar, joinchar)": (data, [range, join], rt) =>
    contains(data, range ?? null, rt.meter)
      ? unrange(textData(data, "split"), text(range, "rangechar"), text(join, "joinchar"), rt)
      : keep(data),
  "mac_eui(*)": (data, _given, rt) => {
    const bare = str(data, rt.meter).replace(/[.:-]/g, "").toLowerCase();
    if (!/^[\p{L}\p{N}]+$/u.test(bare)) return keep(data);
    const full = bare.padEnd(12, "0");
    return keep((full.match(/[\s\S]{1,2}/g) ?? []).join(":"));
  },
});

/** Expands `1,3-5` to `1,3,4,5`; an invalid range leaves the text unchanged. */
function unrange(data: string, range: string, join: string, rt: Runtime): Outcome {
  if (range === "" || join === "") throw new PyError("ValueError", "empty separator");
  let result: string[] | undefined;
  for (const part of data.split(range)) {
    const items = part.split(join).filter((item) => item !== "");
    if (result === undefined || result.length === 0) {
      result = items;
      continue;
    }
    const start = Number(toInteger(result.at(-1) ?? null));
    const [first] = items;
    if (first === undefined) throw indexError("list index out of range");
    const end = parseInteger(first);
    if (end === undefined) {
      rt.note(`unrange: can't read '${data}'`);
      return keep(data);
    }
    const last = Number(end);
    rt.meter.items(result.length + Math.max(0, last - start) + items.length);
    for (let number = start + 1; number < last; number++) result.push(String(number));
    for (const item of items) result.push(item);
  }
  return keep(joinText(join, result ?? [], rt.meter));
}
