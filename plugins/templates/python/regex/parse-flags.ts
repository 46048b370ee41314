/** Inline flags: `(?i)`, `(?s-i:...)`. */
import { ASCII, DOTALL, IGNORECASE, MULTILINE, UNICODE, VERBOSE } from "./ast.ts";
import { codePoints, type Reader, refuse, take } from "./reader.ts";

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

/** Reads on after the first character of the flags. */
export function readFlags(reader: Reader, first: string): InlineFlags {
  let add = 0;
  let remove = 0;
  let char: string | undefined = first;
  if (char !== "-") {
    for (;;) {
      if (char === "L") {
        throw refuse(reader, "bad inline flags: cannot use 'L' flag with a str pattern");
      }
      const flag: number = letters.get(char) ?? 0;
      add |= flag;
      if ((flag & typeFlags) !== 0 && (add & typeFlags) !== flag) {
        throw refuse(reader, "bad inline flags: flags 'a', 'u' and 'L' are incompatible");
      }
      char = take(reader);
      if (char === undefined) throw refuse(reader, "missing -, : or )");
      if (char === ")" || char === "-" || char === ":") break;
      if (!isFlagLetter(char)) throw unknown(reader, char, "missing -, : or )");
    }
  }
  if (char === ")") return { global: add };
  if (char === "-") {
    char = take(reader);
    if (char === undefined) throw refuse(reader, "missing flag");
    if (!isFlagLetter(char)) throw unknown(reader, char, "missing flag");
    while (char !== ":") {
      const flag: number = letters.get(char) ?? 0;
      if ((flag & typeFlags) !== 0) {
        throw refuse(reader, "bad inline flags: cannot turn off flags 'a', 'u' and 'L'");
      }
      remove |= flag;
      char = take(reader);
      if (char === undefined) throw refuse(reader, "missing :");
      if (char !== ":" && !isFlagLetter(char)) throw unknown(reader, char, "missing :");
    }
  }
  if ((add & remove) !== 0) throw refuse(reader, "bad inline flags: flag turned on and off", 1);
  return { add, remove };
}

const unknown = (reader: Reader, char: string, otherwise: string) =>
  refuse(reader, /^\p{L}$/u.test(char) ? "unknown flag" : otherwise, codePoints(char));

export function combineFlags(flags: number, add: number, remove: number): number {
  const base = (add & typeFlags) !== 0 ? flags & ~typeFlags : flags;
  return (base | add) & ~remove;
}
