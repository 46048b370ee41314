/** Backslash escapes of a pattern, outside and inside of a character class. */
import type { AnchorKind, Category } from "./ast.ts";
import type { Source } from "./source.ts";

export type Escape =
  | { readonly kind: "code"; readonly code: number }
  | { readonly kind: "category"; readonly category: Category; readonly negated: boolean }
  | { readonly kind: "anchor"; readonly anchor: AnchorKind }
  | { readonly kind: "reference"; readonly group: number };

/** What a back-reference may name, asked of the reader of groups. */
export interface GroupTable {
  count(): number;
  closed(group: number): boolean;
  /** Throws where a look-behind may not refer to the group. */
  checkBehind(group: number): void;
}

const hexDigits = "0123456789abcdefABCDEF";
const octalDigits = "01234567";
const digits = "0123456789";

const controls: Readonly<Record<string, number>> = { a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11, "\\": 92 };
const categories: Readonly<Record<string, readonly [Category, boolean]>> = {
  d: ["digit", false],
  D: ["digit", true],
  s: ["space", false],
  S: ["space", true],
  w: ["word", false],
  W: ["word", true],
};
const anchors: Readonly<Record<string, AnchorKind>> = {
  A: "textStart",
  b: "boundary",
  B: "notBoundary",
  Z: "absoluteEnd",
};

const code = (value: number): Escape => ({ kind: "code", code: value });

/** An escape outside of a class; `token` is the backslash with the character after it. */
export function readEscape(source: Source, token: string, groups: GroupTable): Escape {
  const char = token.slice(1);
  const anchor = anchors[char];
  if (anchor !== undefined) return { kind: "anchor", anchor };
  const category = categories[char];
  if (category !== undefined) return { kind: "category", category: category[0], negated: category[1] };
  const control = controls[char];
  if (control !== undefined) return code(control);
  if (char === "0") return code(Number.parseInt(`0${source.takeWhile(2, octalDigits)}`, 8));
  if (digits.includes(char)) return readNumber(source, token, groups);
  return readCommon(source, token);
}

/** An escape inside of a class: `\b` is a backspace, digits are octal, anchors do not exist. */
export function readClassEscape(source: Source, token: string): Escape {
  const char = token.slice(1);
  const control = controls[char];
  if (control !== undefined) return code(control);
  const category = categories[char];
  if (category !== undefined) return { kind: "category", category: category[0], negated: category[1] };
  if (octalDigits.includes(char)) return readOctal(source, token + source.takeWhile(2, octalDigits));
  if (digits.includes(char)) throw source.error(`bad escape ${token}`, 2);
  return readCommon(source, token);
}

function readNumber(source: Source, token: string, groups: GroupTable): Escape {
  let text = token;
  const second = source.next();
  if (second !== undefined && digits.includes(second)) {
    text += source.take() ?? "";
    const third = source.next();
    if (/^\\[0-7]{2}$/.test(text) && third !== undefined && octalDigits.includes(third)) {
      return readOctal(source, text + (source.take() ?? ""));
    }
  }
  const group = Number.parseInt(text.slice(1), 10);
  if (group >= groups.count()) throw source.error(`invalid group reference ${group}`, text.length - 1);
  if (!groups.closed(group)) throw source.error("cannot refer to an open group", text.length);
  groups.checkBehind(group);
  return { kind: "reference", group };
}

function readOctal(source: Source, text: string): Escape {
  const value = Number.parseInt(text.slice(1), 8);
  if (value > 0o377) {
    throw source.error(`octal escape value ${text} outside of range 0-0o377`, text.length);
  }
  return code(value);
}

const hexLengths: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

function readCommon(source: Source, token: string): Escape {
  const char = token.slice(1);
  const length = hexLengths[char];
  if (length !== undefined) {
    const text = token + source.takeWhile(length, hexDigits);
    if (text.length !== length + 2) throw source.error(`incomplete escape ${text}`, text.length);
    const value = Number.parseInt(text.slice(2), 16);
    if (value > 0x10ffff) throw source.error(`bad escape ${text}`, text.length);
    return code(value);
  }
  if (char === "N") throw source.error("named character escapes are not supported", 2);
  if (/^[A-Za-z]$/.test(char)) throw source.error(`bad escape ${token}`, 2);
  return code(char.codePointAt(0) ?? 0);
}
