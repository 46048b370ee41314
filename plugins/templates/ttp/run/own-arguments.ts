/** Copies the arguments of a template's functions for a run. */
import { deepCopy, type Value } from "../../python/index.ts";
import type { Arguments, Call } from "../template/attributes.ts";
import type { Runtime } from "./runtime.ts";

/** Returns the run's own copy of mutable arguments, so that changes do not persist in the cached template. */
export function argumentsOf(call: Call, { ownArguments }: Runtime): Arguments {
  if (call.mutable !== true) return call;
  let copy = ownArguments.get(call);
  if (copy === undefined) {
    const kwargs = new Map([...call.kwargs].map(([name, value]): [string, Value] => [name, deepCopy(value)]));
    copy = { args: call.args.map((arg) => deepCopy(arg)), kwargs };
    ownArguments.set(call, copy);
  }
  return copy;
}
