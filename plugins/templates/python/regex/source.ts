/** The pattern as Python's reader sees it: one token is a code point, or a backslash with what follows. */
import { PatternError } from "./errors.ts";

export interface Source {
  /** The next token, or undefined at the end. */
  next(): string | undefined;
  take(): string | undefined;
  /** Takes the token if it is this one. */
  accept(token: string): boolean;
  /** Takes up to `count` tokens that lie in `allowed`. */
  takeWhile(count: number, allowed: string): string;
  takeUntil(terminator: string, what: string): string;
  tell(): number;
  seek(position: number): void;
  /** An error `back` code points before the current position. */
  error(reason: string, back?: number): PatternError;
}

export function createSource(pattern: string): Source {
  const chars: ArrayLike<string> = /[\ud800-\udfff]/.test(pattern) ? Array.from(pattern) : pattern;
  const length = chars.length;
  let index = 0;
  let current: string | undefined;

  function advance(): void {
    if (index >= length) {
      current = undefined;
      return;
    }
    const char = chars[index++] ?? "";
    if (char !== "\\") {
      current = char;
      return;
    }
    if (index >= length) throw new PatternError("bad escape (end of pattern)", pattern, length - 1);
    current = char + (chars[index++] ?? "");
  }
  // The second half of a token counts for one code point, also outside the BMP.
  const tell = () => index - (current === undefined ? 0 : current.startsWith("\\") ? 2 : 1);
  const take = () => {
    const token = current;
    advance();
    return token;
  };
  const error = (reason: string, back = 0) => new PatternError(reason, pattern, tell() - back);

  advance();
  return {
    next: () => current,
    take,
    accept(token) {
      if (current !== token) return false;
      advance();
      return true;
    },
    takeWhile(count, allowed) {
      let result = "";
      for (let n = 0; n < count; n++) {
        if (current === undefined || !allowed.includes(current)) break;
        result += current;
        advance();
      }
      return result;
    },
    takeUntil(terminator, what) {
      let result = "";
      for (;;) {
        const token = take();
        if (token === undefined) {
          if (result === "") throw error(`missing ${what}`);
          throw error(`missing ${terminator}, unterminated name`, codePoints(result));
        }
        if (token === terminator) {
          if (result === "") throw error(`missing ${what}`, 1);
          return result;
        }
        result += token;
      }
    },
    tell,
    seek(position) {
      index = position;
      advance();
    },
    error,
  };
}

export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
