/** Builds TTP's functions from signatures; one parser binds the arguments of all. */

import {
  type Bound,
  type Kwargs,
  PyDict,
  PyError,
  signature,
  str,
  truth,
  typeError,
  typeName,
  type Value,
} from "../../python/index.ts";
import type { LanguageFunction, Runtime } from "../run/runtime.ts";

type Body<Result> = (data: Value, args: Bound, rt: Runtime, kwargs: Kwargs) => Result;

/**
 * @param written signatures such as `lookup(name, add_field?)`; `?` marks an optional parameter, `(*)` takes
 * any arguments.
 */
export function functions<Result>(
  written: Readonly<Record<string, Body<Result>>>,
): ReadonlyMap<string, LanguageFunction<Result>> {
  return new Map(
    Object.entries(written).map(([header, body]) => {
      const [name = "", list = ""] = header.slice(0, -1).split("(");
      if (list === "*") return [name, (data, args, kwargs, rt) => body(data, args, rt, kwargs)];
      const bind = signature(name, list.split(", "));
      return [name, (data, args, kwargs, rt) => body(data, bind(args, kwargs), rt, kwargs)];
    }),
  );
}

export function text(value: Value | undefined, label: string): string {
  if (typeof value === "string") return value;
  throw typeError(`${label} must be text, not ${typeName(value ?? null)}`);
}

/** Raises Python's AttributeError if the value is not text. */
export function textData(data: Value, method: string): string {
  if (typeof data === "string") return data;
  throw new PyError("AttributeError", `'${typeName(data)}' object has no attribute '${method}'`);
}

/** The template variable of that name (even if None), otherwise the value itself. */
export function variableOr(vars: PyDict, value: Value): Value {
  const found = vars.get(value);
  return found === undefined ? value : found;
}

/** Whether the argument was passed and is truthy. */
export const isGiven = (value: Value | undefined): value is Value => value !== undefined && truth(value);

/** Values for `format`; later dictionaries win. */
export function formatValues(sources: readonly Value[], rt: Runtime): Map<string, Value> {
  const values = new Map<string, Value>();
  for (const source of sources)
    if (source instanceof PyDict) source.each((key, value) => values.set(str(key, rt.meter), value));
  return values;
}

/** Records a value for other groups, inputs and templates. */
export function remember(name: Value, value: Value, rt: Runtime): void {
  rt.vars.set(name, value);
  rt.globals.set(name, value);
}

/** Rejects a function that needs an unavailable library or network access. */
export function refused(name: string, why: string): never {
  throw new PyError("RuntimeError", `${name} is not supported: ${why}`);
}
