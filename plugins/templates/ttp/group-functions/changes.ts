/** Group functions that change a record. */
import { callValue } from "../../python/call.ts";
import { PyDict } from "../../python/dict.ts";
import { PyError } from "../../python/errors.ts";
import { callMethod } from "../../python/methods.ts";
import { toFloatValue, toInteger } from "../../python/numbers.ts";
import { str } from "../../python/repr.ts";
import { getItem } from "../../python/slice.ts";
import { type Kwargs, truth, type Value } from "../../python/values.ts";
import { macroOf } from "../macro/find.ts";
import { bindArguments, text } from "../match/arguments.ts";
import { toIp } from "../match/ip.ts";
import { dotted, follow, groupResults, templateResults, warnOfTable } from "../match/lookup.ts";
import { type DataFunction, decide, keep, type Runtime } from "../runtime.ts";
import { record } from "./checks.ts";

const isError = (error: unknown, ...types: string[]): boolean =>
  error instanceof PyError && types.includes(error.pythonType);

const given = (value: Value | undefined): value is Value => value !== undefined && truth(value);

/** One after the other: False drops the record, another value than True and None replaces it. */
const macro: DataFunction = (data, args, _kwargs, rt) => {
  let now = data;
  for (const name of args.flatMap((one) => text(one, "a macro name").split(","))) {
    const body = macroOf(name.trim(), rt);
    if (body === undefined) continue;
    const result = callValue(body, [now], undefined, rt.meter);
    if (result === false) return decide(now, false);
    if (result !== null && result !== true) now = result;
  }
  return keep(now);
};

function formatted(format: string, values: readonly PyDict[], rt: Runtime): Value {
  const kwargs: Kwargs = new Map(
    values.flatMap((one) => one.entries().map(([key, value]) => [str(key, rt.meter), value])),
  );
  return callMethod(format, "format", [], kwargs, rt.meter) ?? format;
}

const sformat: DataFunction = (data, args, kwargs, rt) => {
  const [format, field = null] = bindArguments("sformat", ["string", "add_field"], args, kwargs);
  const values = record(data);
  const source = text(format, "string");
  try {
    values.set(field, formatted(source, [values], rt));
  } catch (error) {
    if (!isError(error, "KeyError")) throw error;
    try {
      values.set(field, formatted(source, [rt.globals, rt.vars, values], rt));
    } catch (second) {
      // What can't be formatted leaves the record as it is.
      if (!(second instanceof PyError)) throw second;
      rt.note(`sformat: ${second.message}`);
    }
  }
  return decide(data, true);
};

/** The record becomes one of its values, and its path a list. */
const itemize: DataFunction = (data, args, kwargs, rt) => {
  const [key = null, path] = bindArguments("itemize", ["key", "path?"], args, kwargs);
  const values = record(data);
  const { results } = rt;
  const value = values.get(key);
  if (value === undefined || results === undefined) return decide(data, false);
  for (const [name, one] of values.entries()) results.pathCache.set(str(name, rt.meter), one);
  if (given(path)) {
    results.saveAt(listed(dotted(path)), value);
    return keep(data);
  }
  const own = results.record.path;
  const last = own.at(-1);
  if (typeof last === "string") own.splice(-1, 1, ...listed([last]));
  values.delete(key);
  return keep(value);
};

function listed(path: string[]): string[] {
  return path.map((one, i) => (i === path.length - 1 ? `${one.replace(/\*+$/, "")}*` : one));
}

function number(value: Value): Value {
  try {
    return toInteger(value);
  } catch (error) {
    if (!isError(error, "ValueError")) throw error;
  }
  try {
    return toFloatValue(value);
  } catch (error) {
    if (error instanceof PyError) return value;
    throw error;
  }
}

const toInt: DataFunction = (data, keys, kwargs) => {
  const values = record(data);
  const lists = truth(kwargs.get("intlist") ?? false);
  for (const key of keys.length === 0 ? values.keys() : keys) {
    const value = values.get(key);
    if (value === undefined) continue;
    if (Array.isArray(value)) {
      if (lists)
        values.set(
          key,
          value.map((one) => (typeof one === "string" ? number(one) : one)),
        );
    } else if (value !== null && !(value instanceof PyDict)) values.set(key, number(value));
  }
  return keep(data);
};

/** `a.b` among the names becomes a dictionary in a dictionary. */
const expand: DataFunction = (data) => {
  if (!(data instanceof PyDict)) return decide(data, true);
  const made = new PyDict();
  for (const [key, value] of data.entries()) {
    const path = text(key, "a name").split(".");
    const last = path.pop() ?? "";
    let at: Value = made;
    for (const name of path) {
      if (!(at instanceof PyDict))
        throw new PyError("AttributeError", `'${name}' is below a value that is no dictionary`);
      let next: Value | undefined = at.get(name);
      if (next === undefined) {
        next = new PyDict();
        at.set(name, next);
      }
      at = next;
    }
    if (at instanceof PyDict) at.set(last, value);
  }
  return decide(made, true);
};

const lookup: DataFunction = (data, args, kwargs, rt) => {
  const names = ["key", "name?", "template?", "group?", "add_field?", "replace?", "update?"];
  const [key = null, name, template, group, field, replace = true, update] = bindArguments(
    "lookup",
    names,
    args,
    kwargs,
  );
  const values = record(data);
  let table: Value;
  let path: string[];
  if (given(name)) {
    path = dotted(name);
    warnOfTable(path, rt);
    table = rt.lookups;
  } else if (given(template)) {
    path = dotted(template);
    table = templateResults(path, rt);
  } else if (given(group)) {
    path = dotted(group);
    const first = path.shift() ?? "";
    const own = rt.mainResults instanceof PyDict ? rt.mainResults.get(first) : undefined;
    table = own ?? groupResults(first, rt);
  } else return keep(data);
  const found = follow(table, path, rt);
  const wanted = values.get(key);
  if (wanted === undefined) return keep(data);
  let value: Value = null;
  if (found instanceof PyDict) {
    const hit = getItem(found, wanted, rt.meter);
    if (hit === undefined) return keep(data);
    value = hit;
  }
  if (given(field)) values.set(field, value);
  else if (update === true && value instanceof PyDict)
    for (const [one, item] of value.entries()) values.set(one, item);
  else if (truth(replace)) values.set(key, value);
  return keep(data);
};

export const changeFunctions: Readonly<Record<string, DataFunction>> = {
  macro,
  sformat,
  itemize,
  to_int: toInt,
  expand,
  lookup,
  del: (data, names) => {
    for (const name of names) record(data).delete(name);
    return keep(data);
  },
  items2dict: (data, args, kwargs) => {
    const [keyName = null, valueName = null] = bindArguments(
      "items2dict",
      ["key_name", "value_name"],
      args,
      kwargs,
    );
    const values = record(data);
    const [key, value] = [values.get(keyName), values.get(valueName)];
    if (key === undefined || value === undefined) return decide(data, false);
    values.delete(keyName);
    values.delete(valueName);
    values.set(key, value);
    return keep(data);
  },
  set: (data, args, kwargs, rt) => {
    const [source = null, target, fallback] = bindArguments(
      "set",
      ["source", "target?", "default?"],
      args,
      kwargs,
    );
    const recorded = rt.vars.get(source) ?? rt.globals.get(source);
    const value = recorded === undefined ? (fallback === undefined ? source : fallback) : recorded;
    record(data).set(target === undefined ? source : target, value);
    return keep(data);
  },
  record: (data, args, kwargs, rt) => {
    const [source = null, target] = bindArguments("record", ["source", "target?"], args, kwargs);
    const value = record(data).get(source);
    if (value === undefined) return keep(data);
    const name = target === undefined ? source : target;
    rt.vars.set(name, value);
    rt.globals.set(name, value);
    return keep(data);
  },
  to_ip: (data, args, kwargs, rt) => {
    const [ipKey = null, maskKey = null] = bindArguments("to_ip", ["ip_key", "mask_key"], args, kwargs);
    const values = record(data);
    const [ip, mask] = [values.get(ipKey), values.get(maskKey)];
    if (ip === undefined || mask === undefined) return keep(data);
    try {
      values.set(ipKey, toIp(`${str(ip, rt.meter)}/${str(mask, rt.meter)}`, [], rt));
    } catch (error) {
      // What is no address stays text.
      if (!(error instanceof PyError)) throw error;
    }
    return keep(data);
  },
};
