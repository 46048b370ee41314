/** All match functions by name. */
import { callValue } from "../../python/call.ts";
import { PyDict } from "../../python/dict.ts";
import { PyTuple } from "../../python/values.ts";
import { macroOf } from "../macro/find.ts";
import { type DataFunction, decide, keep } from "../runtime.ts";
import { bindArguments } from "./arguments.ts";
import { convertFunctions } from "./convert.ts";
import { ipFunctions } from "./ip.ts";
import { lookupFunctions } from "./lookup.ts";
import { regexFunctions } from "./regex.ts";
import { textFunctions } from "./text.ts";
import { createUptime } from "./uptime.ts";

/** True and False decide, nothing leaves the value, a pair with a dictionary adds fields. */
const macro: DataFunction = (data, args, kwargs, rt) => {
  const [name = null] = bindArguments("macro", ["macro_name"], args, kwargs);
  const body = macroOf(String(name), rt);
  const result = body === undefined ? null : callValue(body, [data], undefined, rt.meter);
  if (typeof result === "boolean") return decide(data, result);
  if (result === null) return keep(data);
  if (result instanceof PyTuple && result.items.length === 2) {
    const [value = null, fields = null] = result.items;
    if (fields instanceof PyDict) return { data: value, flag: fields };
  }
  return keep(result);
};

const FUNCTIONS: ReadonlyMap<string, DataFunction> = new Map(
  Object.entries({
    ...textFunctions,
    ...convertFunctions,
    ...ipFunctions,
    ...lookupFunctions,
    ...regexFunctions,
    uptimeparse: createUptime(),
    macro,
  }),
);

export const matchFunctionNames: readonly string[] = [...FUNCTIONS.keys()];

export function matchFunction(name: string): DataFunction | undefined {
  return FUNCTIONS.get(name);
}
