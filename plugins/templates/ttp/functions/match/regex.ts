/** Match functions with regular expressions. */
import {
  escapePython,
  keptPattern,
  toInteger,
  typeError,
  typeName,
  type Value,
} from "../../../python/index.ts";
import { decide, keep, type Outcome, type Runtime } from "../../run/runtime.ts";
import { functions, text } from "../functions.ts";
import { replaceEach } from "./text.ts";

function subject(data: Value): string {
  if (typeof data === "string") return data;
  throw typeError(`expected string or bytes-like object, got '${typeName(data)}'`);
}

const searching =
  (before: string, after: string, expected: boolean) =>
  (data: Value, [pattern]: readonly (Value | undefined)[]): Outcome => {
    const match = keptPattern(before + String(pattern) + after).search(subject(data));
    return decide(data, (match !== null) === expected);
  };

function replaced(data: string, pattern: string, by: string, count: number, rt: Runtime): string {
  const result = keptPattern(pattern).sub(by, data, count);
  rt.meter.text(result.length);
  return result;
}

export const regexFunctions = functions<Outcome>({
  "startswith_re(pattern)": searching("^", "", true),
  "endswith_re(pattern)": searching("", "$", true),
  "contains_re(pattern)": searching("", "", true),
  "notstartswith_re(pattern)": searching("^", "", false),
  "notendswith_re(pattern)": searching("", "$", false),
  "exclude_re(pattern)": searching("", "", false),
  "resub(old, new, count?)": (data, [old = null, by, count = 1], rt) => {
    const variable = rt.vars.get(old);
    const pattern =
      variable === undefined ? text(old, "the old text") : escapePython(text(variable, "the old text"));
    return keep(replaced(subject(data), pattern, text(by, "the new text"), Number(toInteger(count)), rt));
  },
  "resuball(*)": (data, args, rt) =>
    replaceEach(
      subject(data),
      args,
      rt,
      (text, old, by) => replaced(text, old, by, 0, rt),
      (text, old, by) => replaced(text, escapePython(old), by, 0, rt),
    ),
});
