/** Binds call arguments to parameters and raises Python's TypeErrors; builds methods from signatures. */
import { typeError } from "../errors.ts";
import type { Meter } from "../limits.ts";
import { type Kwargs, PyFunction, type Value } from "./values.ts";

export type Bound = readonly (Value | undefined)[];
export type Signature = (args: readonly Value[], kwargs: Kwargs | undefined) => Bound;

/**
 * @param name shown in errors.
 * @param parameters names in order; a trailing `?` marks an optional one.
 * @param keywords whether arguments may be passed by keyword.
 */
export function signature(name: string, parameters: readonly string[], keywords = true): Signature {
  const names = parameters.map((parameter) => parameter.replace("?", ""));
  const required = parameters.filter((parameter) => !parameter.endsWith("?")).length;
  return (args, kwargs) => {
    if (args.length > names.length) {
      const limit = names.length === 1 ? "1 argument" : `${names.length} arguments`;
      throw typeError(`${name}() takes at most ${limit} (${args.length} given)`);
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

export type Method<T> = (self: T, args: readonly Value[], kwargs: Kwargs | undefined, meter: Meter) => Value;

/** A body that returns `undefined` returns None. */
type Body<T> = (self: T, args: Bound, meter: Meter, kwargs?: Kwargs) => Value | undefined;

/**
 * Builds a method table from signatures in Python's notation, such as `get(key, default?, /)`. `?` marks an
 * optional parameter, a trailing `/` makes all positional-only, and `union(*others)` takes any number of
 * arguments. The body handles keyword arguments.
 */
export function methods<T>(written: Readonly<Record<string, Body<T>>>): ReadonlyMap<string, Method<T>> {
  return new Map(
    Object.entries(written).map(([header, body]): [string, Method<T>] => {
      const [name = "", list = ""] = header.slice(0, -1).split("(");
      if (list.startsWith("*"))
        return [name, (self, args, kwargs, meter) => body(self, args, meter, kwargs) ?? null];
      const parameters = list === "" ? [] : list.split(", ");
      const keywords = parameters.length > 0 && parameters.at(-1) !== "/";
      const bind = signature(name, keywords ? parameters : parameters.slice(0, -1), keywords);
      return [name, (self, args, kwargs, meter) => body(self, bind(args, kwargs), meter) ?? null];
    }),
  );
}

/** A method from a table as Python's bound method `self.name`. */
export function bound<T>(
  table: ReadonlyMap<string, Method<T>>,
  self: T,
  name: string,
  displayName = name,
): PyFunction | undefined {
  const body = table.get(name);
  return body && new PyFunction(displayName, (args, kwargs, meter) => body(self, args, kwargs, meter));
}
