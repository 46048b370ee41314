/** `joinmatches`: adds further matches to a record. */
import { add as addValues } from "../python/arith.ts";
import type { PyDict } from "../python/dict.ts";
import type { Line } from "./group.ts";
import type { Runtime } from "./runtime.ts";

export function joinInto(record: PyDict, line: Line, result: PyDict, rt: Runtime): void {
  const joined = joinText(line, result);
  for (const [key, value] of result.entries()) {
    const there = record.get(key);
    if (there === undefined) record.set(key, value);
    else if (typeof there === "string") record.set(key, addValues(there + joined, value, rt.meter));
    else if (!Array.isArray(there)) record.set(key, [there, value]);
    else if (Array.isArray(value)) there.push(...value);
    else there.push(value);
  }
}

/** The separator of `joinmatches`; default: line feed. */
function joinText(line: Line, result: PyDict): string {
  let joined = "\n";
  for (const name of result.keys()) {
    const variable = line.variables.get(String(name));
    const call = variable?.functions.find((one) => one.name === "joinmatches");
    const [given] = call?.args ?? [];
    if (typeof given === "string") joined = given;
  }
  return joined;
}
