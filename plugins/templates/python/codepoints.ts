/** Strings as Python counts them: by code point, with a fast path where no surrogates occur. */

import { valueError } from "./errors.ts";

const SURROGATE = /[\ud800-\udfff]/;

/** Whether positions in the JavaScript string differ from Python's. */
export function isWide(text: string): boolean {
  return SURROGATE.test(text);
}

export function textLength(text: string): number {
  if (!isWide(text)) return text.length;
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** @param what of a number that is no character, for its error. */
export function characterOf(code: number, what: string): string {
  if (code < 0 || code > 0x10ffff) throw valueError(`${what} in range(0x110000)`);
  return String.fromCodePoint(code);
}

/** Characters from `start` to `stop`, both within the string and counted in code points. */
export function textSlice(text: string, start: number, stop: number): string {
  if (stop <= start) return "";
  return isWide(text) ? Array.from(text).slice(start, stop).join("") : text.slice(start, stop);
}

/** Which code point begins at `units` of the JavaScript string; -1 stays -1. */
export function fromUnits(text: string, units: number): number {
  return units < 0 || !isWide(text) ? units : textLength(text.slice(0, units));
}

/** Order of two strings by code points. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  if (!isWide(a) || !isWide(b)) {
    if (!isWide(a) && !isWide(b)) return a < b ? -1 : 1;
  }
  const left = a[Symbol.iterator]();
  const right = b[Symbol.iterator]();
  for (;;) {
    const one = left.next();
    const two = right.next();
    if (one.done === true) return two.done === true ? 0 : -1;
    if (two.done === true) return 1;
    const order = (one.value.codePointAt(0) ?? 0) - (two.value.codePointAt(0) ?? 0);
    if (order !== 0) return order;
  }
}

/** `\xe9`, `\u20ac`, `\U0001f600`: as Python writes a character that it does not print. */
export function escapedChar(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code < 0x100) return `\\x${hex.padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}
