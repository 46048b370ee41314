/** Backslash escapes of a pattern, outside and inside a character class. */
import { CONTROLS } from "../../text/escapes.ts";
import type { AnchorKind, Category } from "./ast.ts";
import type { Groups } from "./groups.ts";
import { peek, type Reader, refuse, skip, takeWhile } from "./reader.ts";

export type Escape =
  | { readonly kind: "code"; readonly code: number }
  | { readonly kind: "category"; readonly category: Category; readonly negated: boolean }
  | { readonly kind: "anchor"; readonly anchor: AnchorKind }
  | { readonly kind: "reference"; readonly group: number };

const hexDigits = "0123456789abcdefABCDEF";
const octalDigits = "01234567";
const digits = "0123456789";

const table = (escapes: Readonly<Record<string, Escape>>): ReadonlyMap<string, Escape> =>
  new Map(Object.entries(escapes));
const codeEscape = (code: number): Escape => ({ kind: "code", code });
const category = (name: Category, negated: boolean): Escape => ({
  kind: "category",
  category: name,
  negated,
});
const anchor = (name: AnchorKind): Escape => ({ kind: "anchor", anchor: name });

const controls = new Map(
  Object.entries(CONTROLS).map(([letter, char]) => [letter, codeEscape(char.charCodeAt(0))] as const),
);
const categories = table({
  d: category("digit", false),
  D: category("digit", true),
  s: category("space", false),
  S: category("space", true),
  w: category("word", false),
  W: category("word", true),
});
const anchors = table({
  A: anchor("textStart"),
  b: anchor("boundary"),
  B: anchor("notBoundary"),
  Z: anchor("absoluteEnd"),
});

/** Parses an escape outside a class; `token` is the backslash with the next character, already consumed. */
export function readEscape(reader: Reader, token: string, groups: Groups): Escape {
  const char = token.slice(1);
  const predefined = anchors.get(char) ?? categories.get(char) ?? controls.get(char);
  if (predefined !== undefined) return predefined;
  if (!digits.includes(char)) return readCommon(reader, token);
  const { code, group = 0 } = readNumber(reader, token);
  if (code !== undefined) return codeEscape(code);
  const back = String(group).length;
  if (group >= groups.count()) throw refuse(reader, `invalid group reference ${group}`, back);
  if (!groups.closed(group)) throw refuse(reader, "cannot refer to an open group", back + 1);
  groups.checkBehind(group);
  return { kind: "reference", group };
}

/** Parses an escape inside a class: `\b` is a backspace, digits are octal, anchors do not exist. */
export function readClassEscape(reader: Reader, token: string): Escape {
  const char = token.slice(1);
  const predefined = controls.get(char) ?? categories.get(char);
  if (predefined !== undefined) return predefined;
  if (octalDigits.includes(char))
    return codeEscape(octalCode(reader, token + takeWhile(reader, 2, octalDigits)));
  if (digits.includes(char)) throw refuse(reader, `bad escape ${token}`, 2);
  return readCommon(reader, token);
}

const nextIs = (reader: Reader, allowed: string): boolean => {
  const code = peek(reader);
  return code >= 0 && allowed.includes(String.fromCharCode(code));
};

/**
 * Parses a backslash and digits: a leading zero or three octal digits are a character, others a group.
 * @param token the backslash with the first digit, already consumed.
 */
export function readNumber(reader: Reader, token: string): { code?: number; group?: number } {
  if (token === "\\0") return { code: octalCode(reader, token + takeWhile(reader, 2, octalDigits)) };
  const text = token + takeWhile(reader, 1, digits);
  if (/^\\[0-7]{2}$/.test(text) && nextIs(reader, octalDigits))
    return { code: octalCode(reader, text + takeWhile(reader, 1, octalDigits)) };
  return { group: Number.parseInt(text.slice(1), 10) };
}

function octalCode(reader: Reader, text: string): number {
  const value = Number.parseInt(text.slice(1), 8);
  if (value <= 0o377) return value;
  throw refuse(reader, `octal escape value ${text} outside of range 0-0o377`, text.length);
}

function readCommon(reader: Reader, token: string): Escape {
  const char = token.slice(1);
  const length = char === "x" ? 2 : char === "u" ? 4 : char === "U" ? 8 : 0;
  if (length > 0) {
    const text = token + takeWhile(reader, length, hexDigits);
    if (text.length !== length + 2) throw refuse(reader, `incomplete escape ${text}`, text.length);
    const value = Number.parseInt(text.slice(2), 16);
    if (value > 0x10ffff) throw refuse(reader, `bad escape ${text}`, text.length);
    return codeEscape(value);
  }
  if (char === "N") throw refuse(reader, "named character escapes are not supported", 2);
  if (/^[A-Za-z]$/.test(char)) throw refuse(reader, `bad escape ${token}`, 2);
  return codeEscape(char.codePointAt(0) ?? 0);
}

/** Consumes a backslash and the next character. */
export function takeEscape(reader: Reader): string {
  const { text, position } = reader;
  const code = text.codePointAt(position + 1) ?? 0;
  const token = text.slice(position, position + (code > 0xffff ? 3 : 2));
  skip(reader, token.length);
  return token;
}
