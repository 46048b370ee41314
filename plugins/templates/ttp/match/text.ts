/** Match functions on text: checks, joins, replacements. */
import { contains } from "../../python/compare.ts";
import { PyDict } from "../../python/dict.ts";
import { eq } from "../../python/equal.ts";
import { indexError, PyError, typeError } from "../../python/errors.ts";
import { callMethod } from "../../python/methods.ts";
import { toInteger } from "../../python/numbers.ts";
import { str } from "../../python/repr.ts";
import { getItem } from "../../python/slice.ts";
import { joinText, replaceText } from "../../python/strings.ts";
import { isInt, typeName, type Value } from "../../python/values.ts";
import { lengthOf } from "../macro/builtins.ts";
import { type DataFunction, decide, keep, type Outcome, type Runtime } from "../runtime.ts";
import { bindArguments, text, textData } from "./arguments.ts";

const isDigits = (data: Value, rt: Runtime): boolean =>
  callMethod(textData(data, "strip").trim(), "isdigit", [], undefined, rt.meter) === true;

const compared =
  (sign: 1 | -1): DataFunction =>
  (data, args, kwargs, rt) => {
    const [value] = bindArguments("greaterthan", ["value"], args, kwargs);
    const limit = textData(value ?? null, "strip").trim();
    if (!isDigits(data, rt) || !isDigits(limit, rt)) return decide(data, false);
    const [mine, other] = [toInteger(text(data, "data").trim()), toInteger(limit)];
    return decide(data, sign > 0 ? mine > other : mine < other);
  };

/** A template variable of that name, or the text itself. */
function fromVars(value: Value | undefined, rt: Runtime): Value {
  if (value === undefined) return null;
  return rt.vars.get(value) ?? value;
}

const extended =
  (atEnd: boolean): DataFunction =>
  (data, args, kwargs, rt) => {
    const added = fromVars(bindArguments("append", ["char"], args, kwargs)[0], rt);
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

/** Each `old` of a variable's list, of a dictionary's values (the key is then the new text), or given as text. */
export function replaceEach(
  data: string,
  args: readonly Value[],
  rt: Runtime,
  replace: (data: string, old: string, by: string, literal: boolean) => string,
): Outcome {
  const [first, ...others] = args;
  const by = args.length > 1 ? text(first, "the new text") : "";
  let made = data;
  for (const old of args.length > 1 ? others : args) {
    const value = rt.vars.get(old);
    if (value === undefined) made = replace(made, text(old, "the old text"), by, false);
    else if (Array.isArray(value)) {
      for (const one of value) if (typeof one === "string") made = replace(made, one, by, false);
    } else if (value instanceof PyDict) {
      for (const [key, olds] of value.entries())
        for (const one of Array.isArray(olds) ? olds : [olds])
          if (typeof one === "string") made = replace(made, one, str(key, rt.meter), false);
    } else if (typeof value === "string") made = replace(made, value, by, true);
  }
  return keep(made);
}

function item(data: Value, args: readonly Value[], rt: Runtime): Outcome {
  const index = Number(toInteger(args[0] ?? null));
  const length = lengthOf(data);
  if (length === 0) throw indexError("index out of range");
  const at = index >= 0 ? Math.min(index, length - 1) : -index <= length - 1 ? index : 0;
  const found = getItem(data, at, rt.meter);
  if (found === undefined) throw typeError(`'${typeName(data)}' object is not subscriptable`);
  return keep(found);
}

export const textFunctions: Readonly<Record<string, DataFunction>> = {
  contains: (data, patterns, _kwargs, rt) =>
    decide(
      data,
      patterns.some((one) => contains(data, one, rt.meter)),
    ),
  exclude: (data, args, kwargs, rt) => {
    const [pattern = null] = bindArguments("exclude", ["pattern"], args, kwargs);
    return decide(data, !contains(data, pattern, rt.meter));
  },
  equal: (data, args, kwargs) =>
    decide(data, eq(data, bindArguments("equal", ["value"], args, kwargs)[0] ?? null)),
  notequal: (data, args, kwargs) =>
    decide(data, !eq(data, bindArguments("notequal", ["value"], args, kwargs)[0] ?? null)),
  isdigit: (data, _args, _kwargs, rt) => decide(data, isDigits(data, rt)),
  notdigit: (data, _args, _kwargs, rt) => decide(data, !isDigits(data, rt)),
  greaterthan: compared(1),
  lessthan: compared(-1),
  append: extended(true),
  prepend: extended(false),
  print: (data, _args, _kwargs, rt) => {
    rt.note(str(data, rt.meter));
    return keep(data);
  },
  replaceall: (data, args, _kwargs, rt) =>
    replaceEach(textData(data, "replace"), args, rt, (made, old, by) =>
      replaceText(made, old, by, -1, rt.meter),
    ),
  truncate: (data, args, kwargs) => {
    const [count] = bindArguments("truncate", ["truncate"], args, kwargs);
    const parts = textData(data, "split").split(" ");
    if (!isInt(count ?? null)) throw typeError("truncate needs a number of words");
    const wanted = Number(count);
    return keep(parts.length >= wanted ? parts.slice(0, wanted).join(" ") : data);
  },
  sformat: (data, args, kwargs, rt) => {
    const [format] = bindArguments("sformat", ["string"], args, kwargs);
    return keep(
      callMethod(textData(format ?? null, "format"), "format", [data], undefined, rt.meter) ?? data,
    );
  },
  join: (data, args, kwargs, rt) => {
    const [char] = bindArguments("join", ["char"], args, kwargs);
    if (!Array.isArray(data)) return keep(data);
    const items = data.map((one) => text(one, "an item to join"));
    return keep(joinText(text(char, "the separator"), items, rt.meter));
  },
  item: (data, args, kwargs, rt) =>
    item(data, [bindArguments("item", ["item_index"], args, kwargs)[0] ?? null], rt),
  joinmatches: keep,
  void: (data) => decide(data, false),
  raise: (_data, args, kwargs, rt) => {
    const [message = ""] = bindArguments("raise", ["message?"], args, kwargs);
    throw new PyError("RuntimeError", str(message, rt.meter));
  },
  unrange: (data, args, kwargs, rt) => {
    const [range, join] = bindArguments("unrange", ["rangechar", "joinchar"], args, kwargs);
    return unrange(textData(data, "split"), text(range, "rangechar"), text(join, "joinchar"), rt);
  },
  mac_eui: (data, _args, _kwargs, rt) => {
    const bare = str(data, rt.meter).replace(/[.:-]/g, "").toLowerCase();
    if (!/^[\p{L}\p{N}]+$/u.test(bare)) return keep(data);
    const full = bare.padEnd(12, "0");
    return keep((full.match(/[\s\S]{1,2}/g) ?? []).join(":"));
  },
};

/** `1,3-5` to `1,3,4,5`; a range that can't be read leaves the text as it is. */
function unrange(data: string, range: string, join: string, rt: Runtime): Outcome {
  if (!data.includes(range)) return keep(data);
  if (range === "" || join === "") throw new PyError("ValueError", "empty separator");
  let result: string[] | undefined;
  for (const part of data.split(range)) {
    const items = part.split(join).filter((one) => one !== "");
    if (result === undefined || result.length === 0) {
      result = items;
      continue;
    }
    const start = Number(toInteger(result.at(-1) ?? null));
    const [first] = items;
    if (first === undefined) throw indexError("list index out of range");
    const end = integer(first);
    if (end === undefined) {
      rt.note(`unrange: can't read '${data}'`);
      return keep(data);
    }
    rt.meter.items(result.length + Math.max(0, end - start) + items.length);
    for (let one = start + 1; one < end; one++) result.push(String(one));
    result.push(...items);
  }
  return keep(joinText(join, result ?? [], rt.meter));
}

function integer(value: string): number | undefined {
  try {
    return Number(toInteger(value));
  } catch (error) {
    if (error instanceof PyError && error.pythonType === "ValueError") return undefined;
    throw error;
  }
}
