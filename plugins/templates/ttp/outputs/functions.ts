/** Output functions by name. */
import { callValue } from "../../python/call.ts";
import { contains } from "../../python/compare.ts";
import { PyDict } from "../../python/dict.ts";
import { eq } from "../../python/equal.ts";
import { PyError } from "../../python/errors.ts";
import { itemsOf } from "../../python/iterate.ts";
import { str } from "../../python/repr.ts";
import { getItem } from "../../python/slice.ts";
import { type Kwargs, truth, type Value } from "../../python/values.ts";
import { validateOutput } from "../cerberus/functions.ts";
import { deepdiffOutput } from "../deepdiff/functions.ts";
import { macroOf } from "../macro/find.ts";
import { bindArguments } from "../match/arguments.ts";
import type { Runtime } from "../runtime.ts";
import { dictToList, traverse } from "./transform.ts";

export type OutputFunction = (data: Value, args: readonly Value[], kwargs: Kwargs, rt: Runtime) => Value;

function pathOf(value: Value | undefined, rt: Runtime): string[] {
  if (value === undefined || value === null) return [];
  if (typeof value === "string") return value.split(".").map((one) => one.trim());
  return itemsOf(value, rt.meter).map((one) => str(one, rt.meter));
}

function refused(name: string, why: string): OutputFunction {
  return () => {
    throw new PyError("RuntimeError", `the output function '${name}' is not supported: ${why}`);
  };
}

/** Compares with what the text of the output's tag gave. */
const isEqual: OutputFunction = (data, _args, _kwargs, rt) => {
  const { output } = rt;
  const other = output?.load ?? null;
  const anonymous = contains(data, "_anonymous_", rt.meter)
    ? getItem(data, "_anonymous_", rt.meter)
    : undefined;
  return PyDict.from([
    ["output_name", output?.name ?? null],
    ["output_description", output?.attributes.get("description") ?? "None"],
    ["is_equal", eq(anonymous === undefined ? data : anonymous, other)],
  ]);
};

const FUNCTIONS: Readonly<Record<string, OutputFunction>> = {
  macro: (data, args, kwargs, rt) => {
    const [name = null] = bindArguments("macro", ["macro_name"], args, kwargs);
    const body = macroOf(String(name), rt);
    const result = body === undefined ? null : callValue(body, [data], undefined, rt.meter);
    return result === null ? data : result;
  },
  is_equal: isEqual,
  traverse: (data, args, kwargs, rt) => {
    const [path, strict = true] = bindArguments("traverse", ["path", "strict?"], args, kwargs);
    return traverse(data, pathOf(path, rt), truth(strict), rt.meter);
  },
  dict_to_list: (data, args, kwargs, rt) => {
    const [key = "key", path, strict = false] = bindArguments(
      "dict_to_list",
      ["key_name?", "path?", "strict?"],
      args,
      kwargs,
    );
    return dictToList(data, str(key, rt.meter), pathOf(path, rt), truth(strict), rt.meter);
  },
  deepdiff: deepdiffOutput,
  validate: validateOutput,
  validate_yangson: refused("validate_yangson", "it is Python's Yangson library"),
};

export const outputFunctionNames: readonly string[] = Object.keys(FUNCTIONS);

export function outputFunction(name: string): OutputFunction | undefined {
  return Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
}
