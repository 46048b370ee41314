/** Group functions that keep or drop a record. */

import { type Bound, contains, eq, PyDict, typeError, typeName, type Value } from "../../../python/index.ts";
import { decide, keep, type Outcome, type Runtime } from "../../run/runtime.ts";
import { functions, variableOr } from "../functions.ts";

export function record(data: Value): PyDict {
  if (data instanceof PyDict) return data;
  throw typeError(`the record of a group is not a dictionary but ${typeName(data)}`);
}

/** Whether the field has its default value. */
function isDefault(data: Value, name: Value, rt: Runtime): boolean {
  const defaultValue = rt.results?.record.defaults.get(String(name));
  if (defaultValue === undefined) return false;
  const value = record(data).get(name);
  return value !== undefined && eq(defaultValue, value);
}

const hasDefault = (name: Value, rt: Runtime): boolean =>
  rt.results?.record.defaults.has(String(name)) === true;

const varOr = (value: Value, rt: Runtime): Value => variableOr(rt.vars, value);

/** Whether the record has the field; after `itemize` the record is a value, which is searched instead. */
export const has = (data: Value, name: Value, rt: Runtime): boolean => contains(data, name, rt.meter);

const checking =
  (test: (names: readonly Value[], isThere: (name: Value) => boolean, data: Value, rt: Runtime) => boolean) =>
  (data: Value, names: Bound, rt: Runtime): Outcome =>
    decide(
      data,
      test(names as readonly Value[], (name) => has(data, name, rt), data, rt),
    );

export const checkFunctions = functions<Outcome>({
  "contains(*)": checking((names, isThere, data, rt) => {
    const first = names.find(isThere);
    return first !== undefined && !isDefault(data, first, rt);
  }),
  "containsall(*)": checking((names, isThere, data, rt) =>
    names.every((name) => isThere(name) && !isDefault(data, name, rt)),
  ),
  "exclude(*)": checking(
    (names, isThere, _data, rt) => !names.some((name) => isThere(name) && !hasDefault(name, rt)),
  ),
  "excludeall(*)": checking(
    (names, isThere, _data, rt) => !names.every((name) => isThere(name) && !hasDefault(name, rt)),
  ),
  "equal(key, value)": (data, [key = null, value = null], rt) =>
    decide(data, eq(record(data).get(key) ?? null, varOr(value, rt))),
  "contains_val(key, value)": (data, [key = null, value = null], rt) =>
    decide(data, contains(record(data).get(key) ?? "", varOr(value, rt), rt.meter)),
  "exclude_val(key, value)": (data, [key = null, value = null], rt) => {
    const current = record(data).get(key);
    return decide(data, current === undefined || !eq(current, varOr(value, rt)));
  },
  "void(*)": (data) => decide(data, false),
  "str_to_unicode(*)": keep,
});
