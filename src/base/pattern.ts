/** Regular expressions of callers: whatever they are, matching them takes a time that is bounded. */
import { ServiceError } from "./errors.ts";
import { linearPattern, type TextPattern } from "./linear.ts";

const longest = 512;

/**
 * The runtime's own matcher where the expression can't run away on some KiB of text, ours where it could.
 * @throws ServiceError DriverError that says what is wrong
 */
export function userPattern(source: string, field: string, { multiline = false } = {}): TextPattern {
  const fault = patternFault(source);
  if (fault !== undefined) throw new ServiceError("DriverError", `${field}: ${fault}`, { outcome: "none" });
  return tame(source) ? new RegExp(source, multiline ? "m" : "") : linearPattern(source, { multiline });
}

/** What is wrong with a caller's expression; undefined when it may be used. */
export function patternFault(source: string): string | undefined {
  if (source === "") return "must not be empty";
  if (source.length > longest) return `must not be longer than ${longest} characters`;
  try {
    new RegExp(source);
  } catch {
    return "is not a regular expression";
  }
  if (tame(source)) return undefined;
  try {
    linearPattern(source);
    return undefined;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return `could take for ever (${why}): write it simpler`;
  }
}

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
