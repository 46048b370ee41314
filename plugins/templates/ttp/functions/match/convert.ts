/** Match functions that convert types, add fields or record values. */

import {
  arithmetic,
  attempt,
  deepCopy,
  eq,
  PyDict,
  str,
  stripEnd,
  toFloatValue,
  toInteger,
  type Value,
} from "../../../python/index.ts";
import { decide, keep, type Outcome, type Runtime } from "../../run/runtime.ts";
import { functions, remember, textData, variableOr } from "../functions.ts";

/** Adds a field besides the variable's own. */
export function withField(data: Value, name: Value, value: Value): Outcome {
  return { data, flag: PyDict.from([[name, value]]) };
}

function orNote(data: Value, type: string, convert: () => Value, rt: Runtime): Outcome {
  const noteError = (error: Error) => {
    rt.note(error.message);
    return data;
  };
  return keep(attempt(convert, noteError, type));
}

function counted(into: PyDict, name: Value | undefined, rt: Runtime): void {
  if (name === undefined || name === null || name === "") return;
  into.set(name, arithmetic["+"](into.get(name) ?? 0, 1, rt.meter));
}

export const convertFunctions = functions<Outcome>({
  "to_str(*)": (data, _given, rt) => keep(str(data, rt.meter)),
  "to_list(*)": (data) => keep([data]),
  "to_int(*)": (data, _given, rt) => orNote(data, "ValueError", () => toInteger(data), rt),
  "to_float(*)": (data, _given, rt) => orNote(data, "TypeError", () => toFloatValue(data), rt),
  "to_unicode(*)": keep,
  "let(name_or_value, var_value?)": (data, [name = null, value]) =>
    value === undefined ? keep(name) : withField(data, name, value),
  "copy(name)": (data, [name = null]) => withField(data, name, deepCopy(data)),
  "record(record)": (data, [name = null], rt) => {
    remember(name, data, rt);
    return keep(data);
  },
  "count(var?, globvar?)": (data, [name, globalName], rt) => {
    counted(rt.vars, name, rt);
    counted(rt.globals, globalName, rt);
    return keep(data);
  },
  "set(value, match_line)": (data, [value = null, line = null], rt) => {
    if (!eq(stripEnd(textData(data, "rstrip")), line)) return decide(data, false);
    if (typeof value !== "string") return keep(value);
    return keep(variableOr(rt.vars.has(value) ? rt.vars : rt.globals, value));
  },
});
