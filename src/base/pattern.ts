/** Regular expressions of callers, JavaScript's or as Python spells them: matching them takes a time that is bounded. */
import { messageOf, ServiceError } from "./errors.ts";
import { linearPattern, type TextPattern } from "./linear.ts";

const longest = 512;
/** A longer text is not searched by a matcher that may take the square of its length. */
const quickChars = 4096;

/** As the expression, but in a time that grows with a long text alone, where our matcher knows it, too. */
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
 * The runtime's own matcher where the expression can't run away on some KiB of text, ours where it could.
 * @throws ServiceError DriverError that says what is wrong
 */
export function userPattern(source: string, field: string, { multiline = false } = {}): TextPattern {
  const fault = patternFault(source);
  if (fault !== undefined) throw new ServiceError("DriverError", `${field}: ${fault}`, { outcome: "none" });
  const { text, flags } = fromPython(source);
  const all = multiline && !flags.includes("m") ? `${flags}m` : flags;
  return tame(text) ? boundedPattern(new RegExp(text, all)) : linearPattern(text, optionsOf(all));
}

/** What is wrong with a caller's expression; undefined when it may be used. */
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
    return `could take for ever (${why}): write it simpler`;
  }
}

/** What only Python says, in JavaScript's words: `(?im)` at the front, `(?P<name>…)`, `\A` and `\Z`. */
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
 * One open repetition at most, and none of a group: then the time is at worst the square of the text.
 * Two can be its cube: on 4 KiB that is seconds.
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
