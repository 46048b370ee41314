/** Group functions that modify a record. */

import {
  attempt,
  attributeError,
  callMethod,
  getItem,
  PyDict,
  str,
  toFloatValue,
  toInteger,
  truth,
  type Value,
} from "../../../python/index.ts";
import { runMacro } from "../../macro/find.ts";
import { decide, keep, type Outcome, type Runtime } from "../../run/runtime.ts";
import { formatValues, functions, isGiven, remember, text } from "../functions.ts";
import { toIp } from "../match/ip.ts";
import { dotted, tableOf } from "../match/lookup.ts";
import { has, record } from "./checks.ts";

const formatted = (format: string, sources: readonly PyDict[], rt: Runtime): Value =>
  callMethod(format, "format", [], formatValues(sources, rt), rt.meter) ?? format;

function listed(path: string[]): string[] {
  return path.map((step, i) => (i === path.length - 1 ? `${step.replace(/\*+$/, "")}*` : step));
}

const number = (value: Value): Value =>
  attempt<Value>(
    () => toInteger(value),
    () =>
      attempt<Value>(
        () => toFloatValue(value),
        () => value,
      ),
  );

/** Walks a path of names and creates missing dictionaries. */
function inside(root: PyDict, path: readonly string[]): Value {
  let at: Value = root;
  for (const name of path) {
    if (!(at instanceof PyDict)) throw attributeError(`'${name}' is below a value that is not a dictionary`);
    const next: Value | undefined = at.get(name);
    if (next === undefined) at.set(name, new PyDict());
    at = at.get(name) ?? null;
  }
  return at;
}

export const changeFunctions = functions<Outcome>({
  /** Runs macros in order: False drops the record; any value except True and None replaces it. */
  "macro(*)": (data, names, rt) => {
    let now = data;
    for (const name of names.flatMap((item) => text(item, "a macro name").split(","))) {
      const result = runMacro(name.trim(), now, rt);
      if (result === false) return decide(now, false);
      if (result !== null && result !== true) now = result;
    }
    return keep(now);
  },
  "sformat(string, add_field)": (data, [format, field = null], rt) => {
    const values = record(data);
    const source = text(format, "string");
    const set = (...sources: PyDict[]) => values.set(field, formatted(source, sources, rt));
    attempt(
      () => set(values),
      () =>
        attempt(
          () => set(rt.globals, rt.vars, values),
          // If formatting fails, the record is unchanged.
          (error) => rt.note(`sformat: ${error.message}`),
        ),
      "KeyError",
    );
    return decide(data, true);
  },
  /** Replaces the record with one of its values, and makes its path a list. */
  "itemize(key, path?)": (data, [key = null, path], rt) => {
    const values = record(data);
    const { results } = rt;
    const value = values.get(key);
    if (value === undefined || results === undefined) return decide(data, false);
    values.each((name, value) => results.pathCache.set(str(name, rt.meter), value));
    if (isGiven(path)) {
      results.saveAt(listed(dotted(path)), value);
      return keep(data);
    }
    const recordPath = results.record.path;
    const last = recordPath.at(-1);
    if (typeof last === "string") recordPath.splice(-1, 1, ...listed([last]));
    values.delete(key);
    return keep(value);
  },
  "to_int(*)": (data, keys, _rt, kwargs) => {
    const values = record(data);
    const lists = truth(kwargs.get("intlist") ?? false);
    for (const key of keys.length === 0 ? values.keys() : keys) {
      const value = key === undefined ? undefined : values.get(key);
      if (key === undefined || value === undefined) continue;
      if (!Array.isArray(value)) values.set(key, number(value));
      else if (lists) values.set(key, value.map(number));
    }
    return keep(data);
  },
  /** Expands names such as `a.b` to nested dictionaries. */
  "expand(*)": (data) => {
    if (!(data instanceof PyDict)) return decide(data, true);
    const root = new PyDict();
    for (const [key, value] of data.entries()) {
      const path = text(key, "a name").split(".");
      const last = path.pop() ?? "";
      const owner = inside(root, path);
      if (owner instanceof PyDict) owner.set(last, value);
    }
    return decide(root, true);
  },
  "lookup(key, name?, template?, group?, add_field?, replace?, update?)": (data, args, rt) => {
    const [key = null, name, template, group, field, replace = true, update] = args;
    const values = record(data);
    const table = tableOf([name, template, group], rt, rt.mainResults);
    const lookupKey = table === undefined ? undefined : values.get(key);
    if (table === undefined || lookupKey === undefined) return keep(data);
    const value = table instanceof PyDict ? getItem(table, lookupKey, rt.meter) : null;
    if (value === undefined) return keep(data);
    if (isGiven(field)) values.set(field, value);
    else if (update === true && value instanceof PyDict)
      value.each((entryKey, item) => values.set(entryKey, item));
    else if (truth(replace)) values.set(key, value);
    return keep(data);
  },
  "del(*)": (data, names, rt) => {
    for (const name of names) if (name !== undefined && has(data, name, rt)) record(data).delete(name);
    return keep(data);
  },
  "items2dict(key_name, value_name)": (data, [keyName = null, valueName = null], rt) => {
    if (!has(data, keyName, rt) || !has(data, valueName, rt)) return decide(data, false);
    const values = record(data);
    const [key = null, value = null] = [values.get(keyName), values.get(valueName)];
    values.delete(keyName);
    values.delete(valueName);
    values.set(key, value);
    return keep(data);
  },
  "set(source, target?, default?)": (data, [source = null, target = source, fallback = source], rt) => {
    const recorded = [rt.vars, rt.globals].find((scope) => scope.has(source))?.get(source);
    record(data).set(target, recorded === undefined ? fallback : recorded);
    return keep(data);
  },
  "record(source, target?)": (data, [source = null, target = source], rt) => {
    if (has(data, source, rt)) remember(target, record(data).get(source) ?? null, rt);
    return keep(data);
  },
  "to_ip(ip_key, mask_key)": (data, [ipKey = null, maskKey = null], rt) => {
    if (!has(data, ipKey, rt) || !has(data, maskKey, rt)) return keep(data);
    const values = record(data);
    const [ip = null, mask = null] = [values.get(ipKey), values.get(maskKey)];
    const source = `${str(ip, rt.meter)}/${str(mask, rt.meter)}`;
    // An invalid address stays text.
    attempt(
      () => values.set(ipKey, toIp(source, [], rt)),
      () => undefined,
    );
    return keep(data);
  },
});
