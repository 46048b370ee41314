/** Arguments of functions by place or name, as Python binds them. */
import { PyError, typeError } from "../../python/errors.ts";
import { type Kwargs, typeName, type Value } from "../../python/values.ts";

/** @param names in order; one that ends in `?` may be left out. */
export function bindArguments(
  name: string,
  names: readonly string[],
  args: readonly Value[],
  kwargs: Kwargs,
): (Value | undefined)[] {
  const plain = names.map((one) => one.replace("?", ""));
  if (args.length > names.length)
    throw typeError(`${name}() takes at most ${names.length} arguments (${args.length} given)`);
  const bound: (Value | undefined)[] = plain.map((_, i) => args[i]);
  for (const [key, value] of kwargs) {
    const at = plain.indexOf(key);
    if (at < 0) throw typeError(`${name}() got an unexpected keyword argument '${key}'`);
    if (bound[at] !== undefined) throw typeError(`${name}() got multiple values for argument '${key}'`);
    bound[at] = value;
  }
  names.forEach((one, i) => {
    if (!one.endsWith("?") && bound[i] === undefined)
      throw typeError(`${name}() missing required argument: '${one}'`);
  });
  return bound;
}

export function text(value: Value | undefined, what: string): string {
  if (typeof value === "string") return value;
  throw typeError(`${what} must be text, not ${typeName(value ?? null)}`);
}

/** A method of text that the value does not have is Python's AttributeError. */
export function textData(data: Value, method: string): string {
  if (typeof data === "string") return data;
  throw new PyError("AttributeError", `'${typeName(data)}' object has no attribute '${method}'`);
}
