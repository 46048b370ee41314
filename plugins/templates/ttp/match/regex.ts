/** Match functions with regular expressions. */

import { typeError } from "../../python/errors.ts";
import { toInteger } from "../../python/numbers.ts";
import { escapePython } from "../../python/regex/index.ts";
import { typeName, type Value } from "../../python/values.ts";
import { type DataFunction, decide, keep, type Runtime } from "../runtime.ts";
import { bindArguments, text } from "./arguments.ts";
import { replaceEach } from "./text.ts";

function subject(data: Value): string {
  if (typeof data === "string") return data;
  throw typeError(`expected string or bytes-like object, got '${typeName(data)}'`);
}

function formatted(value: Value | undefined): string {
  return typeof value === "string" ? value : String(value);
}

const searching =
  (form: (pattern: string) => string, wanted: boolean): DataFunction =>
  (data, args, kwargs, rt) => {
    const [pattern] = bindArguments("a regex check", ["pattern"], args, kwargs);
    return decide(data, (rt.compile(form(formatted(pattern))).search(subject(data)) !== null) === wanted);
  };

function replaced(data: string, pattern: string, by: string, count: number, rt: Runtime): string {
  const made = rt.compile(pattern).sub(by, data, count);
  rt.meter.text(made.length);
  return made;
}

export const regexFunctions: Readonly<Record<string, DataFunction>> = {
  startswith_re: searching((pattern) => `^${pattern}`, true),
  endswith_re: searching((pattern) => `${pattern}$`, true),
  contains_re: searching((pattern) => pattern, true),
  notstartswith_re: searching((pattern) => `^${pattern}`, false),
  notendswith_re: searching((pattern) => `${pattern}$`, false),
  exclude_re: searching((pattern) => pattern, false),
  resub: (data, args, kwargs, rt) => {
    const [old = null, by, count = 1] = bindArguments("resub", ["old", "new", "count?"], args, kwargs);
    const variable = rt.vars.get(old);
    const pattern =
      variable === undefined ? text(old, "the old text") : escapePython(text(variable, "the old text"));
    return keep(replaced(subject(data), pattern, text(by, "the new text"), Number(toInteger(count)), rt));
  },
  resuball: (data, args, _kwargs, rt) =>
    replaceEach(subject(data), args, rt, (made, old, by, literal) =>
      replaced(made, literal ? escapePython(old) : old, by, 0, rt),
    ),
};
