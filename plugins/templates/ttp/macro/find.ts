/** Runs a macro by name; a missing one causes a warning and leaves the data unchanged. */
import { callValue, type Value } from "../../python/index.ts";
import type { Runtime } from "../run/runtime.ts";
import { unknownName } from "../template/mistakes.ts";

/** The macro's result; None if it does not exist. */
export function runMacro(name: Value | undefined, data: Value, { macros, meter, warn }: Runtime): Value {
  const macroName = String(name);
  const body = macros.get(macroName);
  if (body !== undefined) return callValue(body, [data], undefined, meter);
  warn(unknownName("macro", macroName, macros.keys()));
  return null;
}
