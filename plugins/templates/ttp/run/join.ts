/** `joinmatches`: adds further matches to a record. */
import { add as addValues, type PyDict } from "../../python/index.ts";
import type { Line } from "../template/group.ts";
import type { Runtime } from "./runtime.ts";

export function joinInto(record: PyDict, line: Line, result: PyDict, rt: Runtime): void {
  const joined = joinText(line, result);
  for (const [key, value] of result.entries()) {
    const existing = record.get(key);
    if (existing === undefined) record.set(key, value);
    else if (typeof existing === "string") record.set(key, addValues(existing + joined, value, rt.meter));
    else if (!Array.isArray(existing)) record.set(key, [existing, value]);
    else if (Array.isArray(value)) existing.push(...value);
    else existing.push(value);
  }
}

/** The separator of `joinmatches`; default: line feed. */
function joinText(line: Line, result: PyDict): string {
  let joined = "\n";
  for (const name of result.keys()) {
    const variable = line.variables.get(String(name));
    const call = variable?.functions.find((candidate) => candidate.name === "joinmatches");
    const [separator] = call?.args ?? [];
    if (typeof separator === "string") joined = separator;
  }
  return joined;
}
