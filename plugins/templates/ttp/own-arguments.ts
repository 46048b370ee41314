/** Copies the arguments of a template's functions for a run. */
import type { Value } from "../python/values.ts";
import type { Arguments, Call } from "./attributes.ts";
import { deepCopy } from "./macro/modules/small.ts";
import type { Runtime } from "./runtime.ts";

/** Returns the run's own copy of mutable arguments, so that changes do not persist in the cached template. */
export function argumentsOf(call: Call, { ownArguments }: Runtime): Arguments {
  if (call.mutable !== true) return call;
  let own = ownArguments.get(call);
  if (own === undefined) {
    const kwargs = new Map([...call.kwargs].map(([name, value]): [string, Value] => [name, deepCopy(value)]));
    own = { args: call.args.map((one) => deepCopy(one)), kwargs };
    ownArguments.set(call, own);
  }
  return own;
}
