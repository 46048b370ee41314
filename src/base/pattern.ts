/** Regular expressions of callers: bounded in length, and refused where matching them could take for ever. */
import { ServiceError } from "./errors.ts";

const longest = 512;

/**
 * They are tried on at most some KiB of text, so a polynomial pattern costs milliseconds; what is refused here is the
 * exponential kind: a repetition of something that can itself repeat, or of alternatives, and back references.
 * @throws ServiceError DriverError that says what is wrong
 */
export function userPattern(source: string, field: string, flags = ""): RegExp {
  const fault = patternFault(source);
  if (fault !== undefined) throw new ServiceError("DriverError", `${field}: ${fault}`);
  return new RegExp(source, flags);
}

/** What is wrong with a caller's expression; undefined when it may be used. */
export function patternFault(source: string): string | undefined {
  if (source.length > longest) return `must not be longer than ${longest} characters`;
  if (source === "") return "must not be empty";
  try {
    new RegExp(source);
  } catch {
    return "is not a regular expression";
  }
  return explosive(source)
    ? "repeats something that repeats, which can take for ever: write it simpler"
    : undefined;
}

interface Group {
  /** An unbounded repetition or an alternative inside. */
  loose: boolean;
}

/** A reader of its structure: groups, repetitions, nothing else. */
function explosive(source: string): boolean {
  const open: Group[] = [{ loose: false }];
  let closed: Group | undefined;
  for (let at = 0; at < source.length; at++) {
    const char = source[at];
    const top = open.at(-1);
    if (top === undefined) return true;
    let ended: Group | undefined;
    if (char === "\\") {
      if (/[1-9k]/.test(source[at + 1] ?? "")) return true;
      at++;
    } else if (char === "[") at = classEnd(source, at);
    else if (char === "(") open.push({ loose: false });
    else if (char === ")") {
      ended = open.pop();
      const outer = open.at(-1);
      if (ended?.loose && outer) outer.loose = true;
    } else if (char === "|") top.loose = true;
    else {
      const repetition = /^(?:[*+]|\{\d+,\d*\}|\{\d+\})/.exec(source.slice(at))?.[0];
      if (repetition !== undefined) {
        if (closed?.loose && !/^\{[01]\}$/.test(repetition)) return true;
        if (/[*+]|,\}$|,\d{2,}\}/.test(repetition)) top.loose = true;
        at += repetition.length - 1;
      }
    }
    closed = ended;
  }
  return false;
}

function classEnd(source: string, from: number): number {
  for (let at = from + 1; at < source.length; at++) {
    if (source[at] === "\\") at++;
    else if (source[at] === "]") return at;
  }
  return source.length;
}
