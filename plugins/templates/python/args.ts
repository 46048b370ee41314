/** Binds call arguments to parameter names, with Python's TypeErrors. */
import { typeError } from "./errors.ts";
import type { Kwargs, Value } from "./values.ts";

export type Bound = readonly (Value | undefined)[];
export type Signature = (args: readonly Value[], kwargs: Kwargs | undefined) => Bound;

/**
 * @param name shown in errors.
 * @param parameters names in order; one that ends in `?` may be left out.
 * @param keywords whether names may be given as keywords.
 */
export function signature(name: string, parameters: readonly string[], keywords = true): Signature {
  const names = parameters.map((one) => one.replace("?", ""));
  const required = parameters.filter((one) => !one.endsWith("?")).length;
  return (args, kwargs) => {
    if (args.length > names.length) {
      const most = names.length === 1 ? "1 argument" : `${names.length} arguments`;
      throw typeError(`${name}() takes at most ${most} (${args.length} given)`);
    }
    if ((kwargs === undefined || kwargs.size === 0) && args.length >= required) return args;
    const bound: (Value | undefined)[] = args.slice();
    if (kwargs !== undefined && kwargs.size > 0) {
      if (!keywords) throw typeError(`${name}() takes no keyword arguments`);
      for (const [key, value] of kwargs) {
        const at = names.indexOf(key);
        if (at < 0) throw typeError(`${name}() got an unexpected keyword argument '${key}'`);
        if (bound[at] !== undefined) throw typeError(`${name}() got multiple values for argument '${key}'`);
        bound[at] = value;
      }
    }
    for (let i = 0; i < required; i++) {
      if (bound[i] === undefined) throw typeError(`${name}() missing required argument: '${names[i]}'`);
    }
    return bound;
  };
}
