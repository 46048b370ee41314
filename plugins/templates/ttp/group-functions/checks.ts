/** Group functions that keep or drop a record. */
import { contains } from "../../python/compare.ts";
import { PyDict } from "../../python/dict.ts";
import { eq } from "../../python/equal.ts";
import { typeError } from "../../python/errors.ts";
import { typeName, type Value } from "../../python/values.ts";
import { bindArguments } from "../match/arguments.ts";
import { type DataFunction, decide, keep, type Runtime } from "../runtime.ts";

export function record(data: Value): PyDict {
  if (data instanceof PyDict) return data;
  throw typeError(`the record of a group is no dictionary but ${typeName(data)}`);
}

/** Whether the value is there only because it is the default. */
function isDefault(data: PyDict, name: Value, rt: Runtime): boolean {
  const given = rt.results?.record.defaults.get(String(name));
  const value = data.get(name);
  return given !== undefined && value !== undefined && eq(given, value);
}

const hasDefault = (name: Value, rt: Runtime): boolean =>
  rt.results?.record.defaults.has(String(name)) === true;

/** A template variable of that name, or the value itself. */
export function varOr(value: Value | undefined, rt: Runtime): Value {
  const found = value === undefined ? undefined : rt.vars.get(value);
  return found ?? value ?? null;
}

export const checkFunctions: Readonly<Record<string, DataFunction>> = {
  contains: (data, names, _kwargs, rt) => {
    const values = record(data);
    const first = names.find((name) => values.has(name));
    return decide(data, first !== undefined && !isDefault(values, first, rt));
  },
  containsall: (data, names, _kwargs, rt) => {
    const values = record(data);
    return decide(
      data,
      names.every((name) => values.has(name) && !isDefault(values, name, rt)),
    );
  },
  exclude: (data, names, _kwargs, rt) => {
    const values = record(data);
    return decide(data, !names.some((name) => values.has(name) && !hasDefault(name, rt)));
  },
  excludeall: (data, names, _kwargs, rt) => {
    const values = record(data);
    return decide(data, !names.every((name) => values.has(name) && !hasDefault(name, rt)));
  },
  equal: (data, args, kwargs, rt) => {
    const [key = null, value] = bindArguments("equal", ["key", "value"], args, kwargs);
    return decide(data, eq(record(data).get(key) ?? null, varOr(value, rt)));
  },
  contains_val: (data, args, kwargs, rt) => {
    const [key = null, value] = bindArguments("contains_val", ["key", "value"], args, kwargs);
    return decide(data, contains(record(data).get(key) ?? "", varOr(value, rt), rt.meter));
  },
  exclude_val: (data, args, kwargs, rt) => {
    const [key = null, value] = bindArguments("exclude_val", ["key", "value"], args, kwargs);
    const own = record(data).get(key);
    return decide(data, own === undefined || !eq(own, varOr(value, rt)));
  },
  void: (data) => decide(data, false),
  str_to_unicode: keep,
};
