/** Inline flags: `(?i)`, `(?s-i:...)`. */
import { ASCII, DOTALL, IGNORECASE, MULTILINE, UNICODE, VERBOSE } from "./ast.ts";
import type { Source } from "./source.ts";

const LOCALE = 4;
const typeFlags = ASCII | LOCALE | UNICODE;
const letters: Readonly<Record<string, number>> = {
  i: IGNORECASE,
  L: LOCALE,
  m: MULTILINE,
  s: DOTALL,
  x: VERBOSE,
  a: ASCII,
  u: UNICODE,
};

export const isFlagLetter = (char: string): boolean => Object.hasOwn(letters, char);

/** `add` and `remove` of a scoped group; `global` flags for `(?i)`. */
export type InlineFlags =
  | { readonly global: number }
  | { readonly global?: undefined; readonly add: number; readonly remove: number };

/** Reads on after the first character of the flags. */
export function readFlags(source: Source, first: string): InlineFlags {
  let add = 0;
  let remove = 0;
  let char: string | undefined = first;
  if (char !== "-") {
    for (;;) {
      if (char === "L") throw source.error("bad inline flags: cannot use 'L' flag with a str pattern");
      const flag: number = letters[char] ?? 0;
      add |= flag;
      if ((flag & typeFlags) !== 0 && (add & typeFlags) !== flag) {
        throw source.error("bad inline flags: flags 'a', 'u' and 'L' are incompatible");
      }
      char = source.take();
      if (char === undefined) throw source.error("missing -, : or )");
      if (char === ")" || char === "-" || char === ":") break;
      if (!isFlagLetter(char)) throw source.error(unknown(char, "missing -, : or )"), char.length);
    }
  }
  if (char === ")") return { global: add };
  if (char === "-") {
    char = source.take();
    if (char === undefined) throw source.error("missing flag");
    if (!isFlagLetter(char)) throw source.error(unknown(char, "missing flag"), char.length);
    while (char !== ":") {
      const flag: number = letters[char] ?? 0;
      if ((flag & typeFlags) !== 0) {
        throw source.error("bad inline flags: cannot turn off flags 'a', 'u' and 'L'");
      }
      remove |= flag;
      char = source.take();
      if (char === undefined) throw source.error("missing :");
      if (char !== ":" && !isFlagLetter(char)) throw source.error(unknown(char, "missing :"), char.length);
    }
  }
  if ((add & remove) !== 0) throw source.error("bad inline flags: flag turned on and off", 1);
  return { add, remove };
}

const unknown = (char: string, otherwise: string) => (/^\p{L}$/u.test(char) ? "unknown flag" : otherwise);

export function combineFlags(flags: number, add: number, remove: number): number {
  const base = (add & typeFlags) !== 0 ? flags & ~typeFlags : flags;
  return (base | add) & ~remove;
}
