/** Regular expressions from callers, in JavaScript or Python syntax, with bounded matching time. */
import { messageOf, ServiceError } from "../errors.ts";
import { linearPattern, type TextPattern } from "./linear.ts";

const longest = 512;
/** Longer texts are not searched by a matcher that may take quadratic time. */
const quickChars = 4096;

/** The same expression with linear time on long texts, if the linear matcher supports it. */
export function boundedPattern(expression: RegExp): TextPattern {
  const { source, flags } = expression;
  let patient: TextPattern | undefined;
  const of = (text: string): TextPattern => {
    if (text.length <= quickChars) return expression;
    patient ??= patientPattern(source, flags) ?? expression;
    return patient;
  };
  return { source, exec: (text) => of(text).exec(text), test: (text) => of(text).test(text) };
}

function patientPattern(source: string, flags: string): TextPattern | undefined {
  try {
    return linearPattern(source, optionsOf(flags));
  } catch {
    return undefined;
  }
}

/**
 * The runtime's matcher if the expression is harmless on a few KiB of text, otherwise the linear matcher.
 * @throws ServiceError DriverError that says what is wrong
 */
export function userPattern(source: string, field: string, { multiline = false } = {}): TextPattern {
  const fault = patternFault(source);
  if (fault !== undefined) throw new ServiceError("DriverError", `${field}: ${fault}`, { outcome: "none" });
  const { text, flags } = fromPython(source);
  const allFlags = multiline && !flags.includes("m") ? `${flags}m` : flags;
  return tame(text) ? boundedPattern(new RegExp(text, allFlags)) : linearPattern(text, optionsOf(allFlags));
}

/** What is wrong with a caller's expression; undefined if it is valid. */
export function patternFault(source: string): string | undefined {
  if (source === "") return "must not be empty";
  if (source.length > longest) return `must not be longer than ${longest} characters`;
  const { text, flags } = fromPython(source);
  try {
    new RegExp(text, flags);
  } catch {
    return "is not a regular expression";
  }
  if (tame(text)) return undefined;
  try {
    linearPattern(text, optionsOf(flags));
    return undefined;
  } catch (error) {
    const why = messageOf(error);
    return `could run forever (${why}): simplify it`;
  }
}

/** Translates Python-only syntax to JavaScript: `(?im)` at the front, `(?P<name>…)`, `\A` and `\Z`. */
function fromPython(source: string): { text: string; flags: string } {
  const flags = /^\(\?([ims]{1,3})\)/.exec(source)?.[1] ?? "";
  const rest = flags === "" ? source : source.slice(flags.length + 3);
  let text = "";
  for (let at = 0; at < rest.length; ) {
    let end = at + 1;
    if (rest[at] === "\\") end = at + 2;
    else if (rest[at] === "[") end = classEnd(rest, at) + 1;
    const piece = rest.slice(at, end);
    if (piece === "\\A") text += "^";
    else if (piece === "\\Z") text += "$";
    else if (piece === "(" && rest.startsWith("(?P<", at)) {
      text += "(?<";
      end = at + 4;
    } else text += piece;
    at = end;
  }
  return { text, flags: [...new Set(flags)].join("") };
}

const optionsOf = (flags: string) => ({
  multiline: flags.includes("m"),
  ignoreCase: flags.includes("i"),
  dotAll: flags.includes("s"),
});

/**
 * At most one unbounded repetition, and none of a group: worst case is quadratic. Two can be cubic, which takes seconds
 * on 4 KiB.
 */
function tame(source: string): boolean {
  let open = 0;
  for (let at = 0; at < source.length; at++) {
    const char = source[at];
    if (char === "\\") {
      if (/[1-9k]/.test(source[at + 1] ?? "")) return false;
      at++;
    } else if (char === "[") at = classEnd(source, at);
    else {
      const repetition = /^(?:[*+]|\{\d+,?\d*\})/.exec(source.slice(at))?.[0];
      if (repetition === undefined) continue;
      if (source[at - 1] === ")" && source[at - 2] !== "\\") return false;
      if (!/^\{\d\}$/.test(repetition) && ++open > 1) return false;
      at += repetition.length - 1;
    }
  }
  return true;
}

function classEnd(source: string, from: number): number {
  for (let at = from + 1; at < source.length; at++) {
    if (source[at] === "\\") at++;
    else if (source[at] === "]") return at;
  }
  return source.length;
}
