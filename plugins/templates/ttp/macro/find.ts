/** A macro by name; one that is not there is told, and changes nothing. */
import type { Value } from "../../python/values.ts";
import { unknownName } from "../mistakes.ts";
import type { Runtime } from "../runtime.ts";

export function macroOf(name: string, { macros, warn }: Runtime): Value | undefined {
  const body = macros.get(name);
  if (body === undefined) warn(unknownName("macro", name, macros.keys()));
  return body;
}
