/** All match functions by name. */
import { PyDict, PyTuple } from "../../../python/index.ts";
import { runMacro } from "../../macro/find.ts";
import { type DataFunction, decide, keep, type Outcome } from "../../run/runtime.ts";
import { functions } from "../functions.ts";
import { convertFunctions } from "./convert.ts";
import { ipFunctions } from "./ip.ts";
import { lookupFunctions } from "./lookup.ts";
import { regexFunctions } from "./regex.ts";
import { textFunctions } from "./text.ts";
import { uptimeFunctions } from "./uptime.ts";

const macros = functions<Outcome>({
  /** True or False decides about the match, None keeps the value, a pair with a dictionary adds fields. */
  "macro(macro_name)": (data, [name], rt) => {
    const result = runMacro(name, data, rt);
    if (typeof result === "boolean") return decide(data, result);
    if (result === null) return keep(data);
    if (result instanceof PyTuple && result.items.length === 2) {
      const [value = null, fields = null] = result.items;
      if (fields instanceof PyDict) return { data: value, flag: fields };
    }
    return keep(result);
  },
});

export const matchFunctions: ReadonlyMap<string, DataFunction> = new Map([
  ...textFunctions,
  ...convertFunctions,
  ...ipFunctions,
  ...lookupFunctions,
  ...regexFunctions,
  ...uptimeFunctions,
  ...macros,
]);
