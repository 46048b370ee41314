/** String operations by code point, as in Python, with a fast path for strings without surrogates. */

import { valueError } from "../errors.ts";

const SURROGATE = /[\ud800-\udfff]/;

/** Whether code point offsets differ from UTF-16 offsets. */
export function isWide(text: string): boolean {
  return SURROGATE.test(text);
}

export function textLength(text: string): number {
  if (!isWide(text)) return text.length;
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** @param message error message for a number that is not a code point. */
export function characterOf(code: number, message: string): string {
  if (code < 0 || code > 0x10ffff) throw valueError(`${message} in range(0x110000)`);
  return String.fromCodePoint(code);
}

/** Substring from `start` to `stop`, in code points and within the string. */
export function textSlice(text: string, start: number, stop: number): string {
  if (stop <= start) return "";
  return isWide(text) ? Array.from(text).slice(start, stop).join("") : text.slice(start, stop);
}

/** Converts a UTF-16 offset to a code point offset; -1 stays -1. */
export function fromUnits(text: string, units: number): number {
  return units < 0 || !isWide(text) ? units : textLength(text.slice(0, units));
}

/** Compares two strings by code point. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  if (!isWide(a) || !isWide(b)) {
    if (!isWide(a) && !isWide(b)) return a < b ? -1 : 1;
  }
  const left = a[Symbol.iterator]();
  const right = b[Symbol.iterator]();
  for (;;) {
    const charA = left.next();
    const charB = right.next();
    if (charA.done === true) return charB.done === true ? 0 : -1;
    if (charB.done === true) return 1;
    const order = (charA.value.codePointAt(0) ?? 0) - (charB.value.codePointAt(0) ?? 0);
    if (order !== 0) return order;
  }
}

/** Escapes an unprintable character as Python does: `\xe9`, `\u20ac`, `\U0001f600`. */
export function escapedChar(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code < 0x100) return `\\x${hex.padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}
