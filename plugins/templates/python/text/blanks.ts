/** White space, line breaks and letter case as Python's str defines them. */
import { isWide, textSlice } from "./codepoints.ts";

const CHARS =
  "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000";
const BLANKS = new Set(CHARS);
/** One white-space character, as RegExp source. */
export const BLANK = `[${CHARS}]`;
/** One character that is not white space, as RegExp source. */
export const INK = `[^${CHARS}]`;
const BLANK_RUN = new RegExp(`${BLANK}+`);
const LEADING = new RegExp(`^${BLANK}+`);

export function isBlank(char: string): boolean {
  return BLANKS.has(char);
}

export function stripStart(text: string): string {
  return text.replace(LEADING, "");
}

/** A loop, because a regex anchored at the end is quadratic on long runs of white space. */
export function stripEnd(text: string): string {
  let end = text.length;
  while (end > 0 && BLANKS.has(text[end - 1] ?? "")) end--;
  return text.slice(0, end);
}

export function strip(text: string): string {
  return stripStart(stripEnd(text));
}

/** `text.strip(chars)`, on one or both sides. */
export function stripChars(text: string, chars: string, start: boolean, end: boolean): string {
  const set = new Set(chars);
  const symbols = isWide(text) ? Array.from(text) : text;
  let from = 0;
  let to = symbols.length;
  if (start) while (from < to && set.has(symbols[from] ?? "")) from++;
  if (end) while (to > from && set.has(symbols[to - 1] ?? "")) to--;
  return textSlice(text, from, to);
}

/** Splits at a separator and trims each part. */
export function splitAt(text: string, mark: string): string[] {
  return text.split(mark).map(strip);
}

/** `text.split(None, limit)`: words separated by white space, at most `limit` splits (-1: no limit). */
export function words(text: string, limit = -1): string[] {
  const parts: string[] = [];
  let rest = stripStart(text);
  while (rest !== "") {
    if (limit >= 0 && parts.length === limit) {
      parts.push(rest);
      return parts;
    }
    const match = BLANK_RUN.exec(rest);
    if (match === null) {
      parts.push(rest);
      return parts;
    }
    parts.push(rest.slice(0, match.index));
    rest = rest.slice(match.index + match[0].length);
  }
  return parts;
}

const LINE_END = "\\n\\r\\v\\f\\x1c-\\x1e\\x85\\u2028\\u2029";
const RARE_LINE_END = /[\r\v\f\x1c-\x1e\x85\u2028\u2029]/;
const ANY_LINE_END = new RegExp(`\\r\\n|[${LINE_END}]`);
const LINE = new RegExp(`[^${LINE_END}]*(?:\\r\\n|[${LINE_END}])|[^${LINE_END}]+$`, "g");

/** `text.splitlines(keepEnds)`: a trailing line break does not start another line. */
export function splitLines(text: string, keepEnds = false): string[] {
  if (keepEnds) return text.match(LINE) ?? [];
  const lines = text.split(RARE_LINE_END.test(text) ? ANY_LINE_END : "\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

const CASED = /[\p{Lowercase}\p{Uppercase}\p{Lt}]/u;
/** Digraphs: upper, lower and title case of each. */
const DIGRAPHS = new Map(
  ["Ǆǆǅ", "Ǉǉǈ", "Ǌǌǋ", "Ǳǳǲ"].flatMap((letters) => {
    const title = letters.slice(2);
    return Array.from(letters, (letter) => [letter, title] as const);
  }),
).set("ŉ", "ʼN");

/** `text.casefold()`: folds character by character; one may become several (`ß`, `ﬁ`). */
export function caseFold(text: string): string {
  return text.replace(/[A-Z]+|[^\0-\x7f]/gu, foldChar);
}

function foldChar(char: string): string {
  // Dotless i has no other case; Cherokee folds to its capital letters.
  if (char === "\u0131" || /[\u13a0-\u13f5]/.test(char)) return char;
  if (/[\u13f8-\u13fd\uab70-\uabbf]/.test(char)) return char.toUpperCase();
  return char.toLowerCase().toUpperCase().toLowerCase();
}

/** One character in title case. */
export function titleChar(char: string): string {
  const digraph = DIGRAPHS.get(char);
  if (digraph !== undefined) return digraph;
  const upper = char.toUpperCase();
  return upper.length > char.length ? (upper[0] ?? "") + upper.slice(1).toLowerCase() : upper;
}

export function capitalize(text: string): string {
  const first = text.codePointAt(0);
  if (first === undefined) return "";
  const char = String.fromCodePoint(first);
  // Lower-case the whole text: the form of a final sigma depends on the letters before it.
  return titleChar(char) + text.toLowerCase().slice(char.toLowerCase().length);
}

/** `text.title()`: a letter that follows a character without case starts a word. */
export function titleCase(text: string): string {
  return text.replace(/[\p{Lowercase}\p{Uppercase}\p{Lt}]+/gu, (word, at: number) => {
    const title = capitalize(word);
    // Its last sigma is not final before an apostrophe and another letter.
    if (!word.endsWith("Σ") || !title.endsWith("ς")) return title;
    return isFinalSigma(text.slice(0, at + word.length - 1), text.slice(at + word.length))
      ? title
      : `${title.slice(0, -1)}σ`;
  });
}

export function swapCase(text: string): string {
  let result = "";
  let at = 0;
  for (const char of text) {
    const before = text.slice(0, at);
    at += char.length;
    result += /\p{Uppercase}/u.test(char)
      ? char === "Σ" && isFinalSigma(before, text.slice(at))
        ? "ς"
        : char.toLowerCase()
      : /\p{Lowercase}/u.test(char)
        ? char.toUpperCase()
        : char;
  }
  return result;
}

/** A sigma is final after a cased letter and not before one; characters without case count for neither. */
const isFinalSigma = (before: string, after: string): boolean =>
  /\p{Cased}\p{Case_Ignorable}*$/u.test(before) && !/^\p{Case_Ignorable}*\p{Cased}/u.test(after);

export function isTitle(text: string): boolean {
  let hasCased = false;
  let inWord = false;
  for (const char of text) {
    if (/[\p{Uppercase}\p{Lt}]/u.test(char)) {
      if (inWord) return false;
      inWord = true;
      hasCased = true;
    } else if (/\p{Lowercase}/u.test(char)) {
      if (!inWord) return false;
      hasCased = true;
    } else inWord = false;
  }
  return hasCased;
}

export function isUpper(text: string): boolean {
  return CASED.test(text) && !/[\p{Lowercase}\p{Lt}]/u.test(text);
}

export function isLower(text: string): boolean {
  return CASED.test(text) && !/[\p{Uppercase}\p{Lt}]/u.test(text);
}
