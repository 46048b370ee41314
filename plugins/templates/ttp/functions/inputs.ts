/** Functions that modify the text of an input before parsing. */
import { compilePython, typeError, typeName, type Value } from "../../python/index.ts";
import { runMacro } from "../macro/find.ts";
import { decide, keep, type Outcome, type Runtime } from "../run/runtime.ts";
import { functions, text } from "./functions.ts";
import { findHostname } from "./getters.ts";

/** The output of each command: the text from its prompt to the next one. */
function extractCommands(data: Value, commands: readonly (Value | undefined)[], rt: Runtime): Outcome {
  if (typeof data !== "string") throw typeError(`extract_commands needs text, not ${typeName(data)}`);
  const host = findHostname({ text: data, name: "extract_commands", now: rt.now, warn: rt.note });
  if (typeof host !== "string") return keep(data);
  let collected = "";
  for (const command of commands) {
    const pattern = `${host}[#>] *${text(command, "a command")} *\\n([\\S\\s]+?)(?=${host}[#>]|$)`;
    const match = compilePython(pattern).search(data)?.group();
    if (typeof match === "string") collected += `\n${match}\n`;
  }
  return keep(collected === "" ? data : collected);
}

export const inputFunctions = functions<Outcome>({
  "macro(macro_name)": (data, [name], rt) => {
    const result = runMacro(name, data, rt);
    if (typeof result === "boolean") return decide(data, result);
    return keep(result === null ? data : result);
  },
  "extract_commands(*)": extractCommands,
  "test(*)": keep,
});

export const inputAttributeNames: readonly string[] = [
  ...["name", "load", "include", "groups", "functions", "url", "extensions", "filters"],
  ...inputFunctions.keys(),
];
