/** Parses inline flags: `(?i)`, `(?s-i:...)`. */
import { textLength } from "../../text/codepoints.ts";
import { ASCII, DOTALL, IGNORECASE, MULTILINE, UNICODE, VERBOSE } from "./ast.ts";
import { type Reader, refuse, take } from "./reader.ts";

const LOCALE = 4;
const typeFlags = ASCII | LOCALE | UNICODE;
const letters: ReadonlyMap<string, number> = new Map([
  ["i", IGNORECASE],
  ["L", LOCALE],
  ["m", MULTILINE],
  ["s", DOTALL],
  ["x", VERBOSE],
  ["a", ASCII],
  ["u", UNICODE],
]);

export const isFlagLetter = (char: string): boolean => letters.has(char);

/** `add` and `remove` of a scoped group; `global` flags for `(?i)`. */
export type InlineFlags =
  | { readonly global: number }
  | { readonly global?: undefined; readonly add: number; readonly remove: number };

/** Called after the first character of the flags. */
export function readFlags(reader: Reader, first: string): InlineFlags {
  let added = { flags: 0, end: first };
  if (first !== "-") {
    added = readLetters(reader, first, ")-:", "missing -, : or )", (flag, flags) => {
      if (flag === LOCALE) return "cannot use 'L' flag with a str pattern";
      const mixed = (flag & typeFlags) !== 0 && (flags & typeFlags) !== flag;
      return mixed ? "flags 'a', 'u' and 'L' are incompatible" : undefined;
    });
  }
  const { flags: add, end } = added;
  if (end === ")") return { global: add };
  if (end === ":") return { add, remove: 0 };
  const letter = take(reader);
  if (letter === undefined) throw refuse(reader, "missing flag");
  if (!isFlagLetter(letter)) throw unknown(reader, letter, "missing flag");
  const { flags: remove } = readLetters(reader, letter, ":", "missing :", (flag) =>
    (flag & typeFlags) === 0 ? undefined : "cannot turn off flags 'a', 'u' and 'L'",
  );
  if ((add & remove) !== 0) throw refuse(reader, "bad inline flags: flag turned on and off", 1);
  return { add, remove };
}

/** Reads flags up to a terminator; `fault` returns the error for an invalid character. */
function readLetters(
  reader: Reader,
  first: string,
  ends: string,
  missing: string,
  fault: (flag: number, flags: number) => string | undefined,
): { flags: number; end: string } {
  let flags = 0;
  for (let char = first; ; ) {
    const flag = letters.get(char) ?? 0;
    flags |= flag;
    const reason = fault(flag, flags);
    if (reason !== undefined) throw refuse(reader, `bad inline flags: ${reason}`);
    const next = take(reader);
    if (next === undefined) throw refuse(reader, missing);
    if (ends.includes(next)) return { flags, end: next };
    if (!isFlagLetter(next)) throw unknown(reader, next, missing);
    char = next;
  }
}

const unknown = (reader: Reader, char: string, otherwise: string) =>
  refuse(reader, /^\p{L}$/u.test(char) ? "unknown flag" : otherwise, textLength(char));

export function combineFlags(flags: number, add: number, remove: number): number {
  const base = (add & typeFlags) !== 0 ? flags & ~typeFlags : flags;
  return (base | add) & ~remove;
}
