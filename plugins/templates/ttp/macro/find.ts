/** A macro of the template by name; one that is not there is told, and changes nothing. */
import { callValue } from "../../python/call.ts";
import type { Value } from "../../python/values.ts";
import { unknownName } from "../mistakes.ts";
import type { Runtime } from "../runtime.ts";

/** What the macro makes of the data; None where it is not there. */
export function runMacro(name: Value | undefined, data: Value, { macros, meter, warn }: Runtime): Value {
  const wanted = String(name);
  const body = macros.get(wanted);
  if (body !== undefined) return callValue(body, [data], undefined, meter);
  warn(unknownName("macro", wanted, macros.keys()));
  return null;
}
