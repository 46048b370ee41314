/** Match functions that change the type, add fields or record values. */
import { add } from "../../python/arith.ts";
import { stripEnd } from "../../python/blanks.ts";
import { PyDict } from "../../python/dict.ts";
import { eq } from "../../python/equal.ts";
import { PyError } from "../../python/errors.ts";
import { toFloatValue, toInteger } from "../../python/numbers.ts";
import { str } from "../../python/repr.ts";
import type { Value } from "../../python/values.ts";
import { deepCopy } from "../macro/modules/small.ts";
import { type DataFunction, decide, keep, type Outcome, type Runtime } from "../runtime.ts";
import { bindArguments, textData } from "./arguments.ts";

/** A field besides the variable's own. */
export function withField(data: Value, name: Value, value: Value): Outcome {
  return { data, flag: PyDict.from([[name, value]]) };
}

function orWarn(data: Value, type: string, convert: () => Value, rt: Runtime): Outcome {
  try {
    return keep(convert());
  } catch (error) {
    if (!(error instanceof PyError) || error.pythonType !== type) throw error;
    rt.note(error.message);
    return keep(data);
  }
}

function counted(into: PyDict, name: Value | undefined, rt: Runtime): void {
  if (name === undefined || name === null || name === "") return;
  into.set(name, add(into.get(name) ?? 0, 1, rt.meter));
}

export const convertFunctions: Readonly<Record<string, DataFunction>> = {
  to_str: (data, _args, _kwargs, rt) => keep(str(data, rt.meter)),
  to_list: (data) => keep([data]),
  to_int: (data, _args, _kwargs, rt) => orWarn(data, "ValueError", () => toInteger(data), rt),
  to_float: (data, _args, _kwargs, rt) => orWarn(data, "TypeError", () => toFloatValue(data), rt),
  to_unicode: keep,
  let: (data, args, kwargs) => {
    const [name = null, value] = bindArguments("let", ["name_or_value", "var_value?"], args, kwargs);
    return value === undefined ? keep(name) : withField(data, name, value);
  },
  copy: (data, args, kwargs) =>
    withField(data, bindArguments("copy", ["name"], args, kwargs)[0] ?? null, deepCopy(data)),
  record: (data, args, kwargs, rt) => {
    const [name = null] = bindArguments("record", ["record"], args, kwargs);
    rt.vars.set(name, data);
    rt.globals.set(name, data);
    return keep(data);
  },
  count: (data, args, kwargs, rt) => {
    const [name, globalName] = bindArguments("count", ["var?", "globvar?"], args, kwargs);
    counted(rt.vars, name, rt);
    counted(rt.globals, globalName, rt);
    return keep(data);
  },
  set: (data, args, kwargs, rt) => {
    const [value = null, line = null] = bindArguments("set", ["value", "match_line"], args, kwargs);
    if (!eq(stripEnd(textData(data, "rstrip")), line)) return decide(data, false);
    if (typeof value !== "string") return keep(value);
    const recorded = rt.vars.get(value);
    if (recorded !== undefined) return keep(recorded);
    return keep(rt.globals.get(value) ?? value);
  },
};
