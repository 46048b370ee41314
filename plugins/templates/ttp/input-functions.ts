/** Functions that change the text of an input before it is parsed. */
import { callValue } from "../python/call.ts";
import { PyError, typeError } from "../python/errors.ts";
import { compilePython } from "../python/regex/index.ts";
import { typeName } from "../python/values.ts";
import type { Getter } from "./getters.ts";
import { macroOf } from "./macro/find.ts";
import { bindArguments, text } from "./match/arguments.ts";
import { type DataFunction, decide, keep } from "./runtime.ts";

export const inputFunctionNames: readonly string[] = ["macro", "extract_commands", "test"];

export const inputAttributeNames: readonly string[] = [
  ...["name", "load", "include", "groups", "functions", "url", "extensions", "filters"],
  ...inputFunctionNames,
];

export function isInputFunction(name: string): boolean {
  return inputFunctionNames.includes(name);
}

const macro: DataFunction = (data, args, kwargs, rt) => {
  const [name = null] = bindArguments("macro", ["macro_name"], args, kwargs);
  const body = macroOf(String(name), rt);
  const result = body === undefined ? null : callValue(body, [data], undefined, rt.meter);
  if (typeof result === "boolean") return decide(data, result);
  return keep(result === null ? data : result);
};

/** What follows the prompt with each command, up to the next prompt. */
function extractCommands(hostname: Getter): DataFunction {
  return (data, commands, _kwargs, rt) => {
    if (typeof data !== "string") throw typeError(`extract_commands needs text, not ${typeName(data)}`);
    const host = hostname({ text: data, name: "extract_commands", now: rt.now, warn: rt.note });
    if (typeof host !== "string") return keep(data);
    let found = "";
    for (const command of commands) {
      const pattern = `${host}[#>] *${text(command, "a command")} *\\n([\\S\\s]+?)(?=${host}[#>]|$)`;
      const match = compilePython(pattern).search(data)?.group();
      if (typeof match === "string") found += `\n${match}\n`;
    }
    return keep(found === "" ? data : found);
  };
}

export function inputFunction(name: string, getters: ReadonlyMap<string, Getter>): DataFunction {
  const hostname = getters.get("gethostname");
  if (name === "macro") return macro;
  if (name === "extract_commands" && hostname !== undefined) return extractCommands(hostname);
  if (name === "test") return keep;
  throw new PyError("KeyError", `unknown input function '${name}'`);
}
