/** Cursor over a pattern; errors count positions as Python does. */
import { textLength } from "../../text/codepoints.ts";
import { PatternError } from "./errors.ts";

export const BACKSLASH = 92;

export interface Reader {
  readonly text: string;
  readonly length: number;
  /** In code units. */
  position: number;
  /** Position of a lone backslash at the end, or -1. */
  readonly dangling: number;
}

export function createReader(text: string): Reader {
  const { length } = text;
  let backslashes = 0;
  while (backslashes < length && text.charCodeAt(length - 1 - backslashes) === BACKSLASH) backslashes++;
  const reader: Reader = { text, length, position: 0, dangling: backslashes % 2 === 1 ? length - 1 : -1 };
  checkDangling(reader);
  return reader;
}

/** Python's tokenizer reads one token ahead, so a trailing backslash is its first error. */
function checkDangling(reader: Reader): void {
  if (reader.position === reader.dangling) {
    throw new PatternError("bad escape (end of pattern)", reader.text, textLength(reader.text) - 1);
  }
}

export function skip(reader: Reader, units: number): void {
  reader.position += units;
  if (reader.position === reader.dangling) checkDangling(reader);
}

/** The next code unit, -1 at the end. */
export function peek(reader: Reader): number {
  return reader.position < reader.length ? reader.text.charCodeAt(reader.position) : -1;
}

export function accept(reader: Reader, code: number): boolean {
  if (peek(reader) !== code) return false;
  skip(reader, 1);
  return true;
}

/** Consumes a token: a code point, or a backslash with the next code point; undefined at the end. */
export function take(reader: Reader): string | undefined {
  const { text, position } = reader;
  if (position >= reader.length) return undefined;
  const escaped = text.charCodeAt(position) === BACKSLASH ? 1 : 0;
  const code = text.codePointAt(position + escaped) ?? 0;
  const token = text.slice(position, position + escaped + (code > 0xffff ? 2 : 1));
  skip(reader, token.length);
  return token;
}

/** Consumes up to `count` characters of `allowed`. */
export function takeWhile(reader: Reader, count: number, allowed: string): string {
  const start = reader.position;
  let end = start;
  while (end < reader.length && end - start < count && allowed.includes(reader.text.charAt(end))) end++;
  skip(reader, end - start);
  return reader.text.slice(start, end);
}

export function takeUntil(reader: Reader, terminator: string, item: string): string {
  let result = "";
  for (;;) {
    const token = take(reader);
    if (token === undefined) {
      if (result === "") throw refuse(reader, `missing ${item}`);
      throw refuse(reader, `missing ${terminator}, unterminated name`, textLength(result));
    }
    if (token === terminator) {
      if (result === "") throw refuse(reader, `missing ${item}`, 1);
      return result;
    }
    result += token;
  }
}

/** An error `back` code points before the current position. */
export function refuse(reader: Reader, reason: string, back = 0): PatternError {
  return new PatternError(reason, reader.text, textLength(reader.text.slice(0, reader.position)) - back);
}

/** An error at an earlier position. */
export function refuseAt(reader: Reader, reason: string, position: number): PatternError {
  return new PatternError(reason, reader.text, textLength(reader.text.slice(0, position)));
}

export const isIdentifier = (name: string): boolean =>
  /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || /^[\p{ID_Start}_][\p{ID_Continue}]*$/u.test(name);
