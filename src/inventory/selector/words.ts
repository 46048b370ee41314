/** The selector tokenizer: parentheses, `and`, `or`, `not`, `all` and terms such as `site:berlin,"new york"`. */
import { ServiceError } from "../../base/errors.ts";
import { anyChar, anyChars, type GlobParts } from "../../base/regex/glob.ts";

/** A value to match: text with the wildcards `*` and `?`. */
export interface SelectorValue {
  /** Lower-cased text, with wildcards as separate items. */
  readonly parts: GlobParts;
  readonly position: number;
  /** The source text without quotes. */
  readonly text: string;
}

export type SelectorWord =
  | { readonly kind: "(" | ")" | "and" | "or" | "not" | "all" | "end"; readonly position: number }
  | {
      readonly kind: "term";
      readonly position: number;
      readonly field: string;
      readonly values: readonly SelectorValue[];
    };

export const maxSelectorLength = 4_096;
const fieldName = /[A-Za-z_][\w.-]*/y;
const bareText = /[\w.*?:/@-]+/y;
const control = /[\0-\x1f\x7f]/;
const keywords = ["and", "or", "not", "all"] as const;

/** A Validation error with the position, counted from 1. */
export function selectorFault(path: string, message: string, position: number): ServiceError {
  const place = `${message} (at character ${position + 1})`;
  return new ServiceError("Validation", `The selector is not valid: ${place}`, {
    issues: [{ path, message: place, position: position + 1 }],
  });
}

/** @throws ServiceError Validation */
export function wordsOf(text: string, path: string): SelectorWord[] {
  if (text.length > maxSelectorLength)
    throw selectorFault(path, `must not be longer than ${maxSelectorLength} characters`, maxSelectorLength);
  const words: SelectorWord[] = [];
  let at = 0;

  function take(expression: RegExp): string | undefined {
    expression.lastIndex = at;
    const matched = expression.exec(text)?.[0];
    at += matched?.length ?? 0;
    return matched;
  }

  function quoted(): SelectorValue {
    const position = at;
    const parts: GlobParts[number][] = [];
    let plain = "";
    at++;
    for (; at < text.length && text[at] !== '"'; at++) {
      if (text[at] === "\\") at++;
      const char = text.charAt(at);
      if (control.test(char)) throw selectorFault(path, "a value must not hold control characters", at);
      plain += char;
    }
    if (at >= text.length)
      throw selectorFault(path, 'the quote that begins here has no end: write "', position);
    at++;
    if (plain !== "") parts.push(plain.toLowerCase());
    return { parts, position, text: plain };
  }

  function value(field: string): SelectorValue {
    if (text[at] === '"') return quoted();
    const position = at;
    const bare = take(bareText);
    if (bare === undefined)
      throw selectorFault(path, `"${field}:" needs a value: a word, or a text in "quotes"`, position);
    return { parts: partsOf(bare), position, text: bare };
  }

  for (;;) {
    take(/\s*/y);
    const position = at;
    if (at >= text.length) {
      words.push({ kind: "end", position });
      return words;
    }
    const char = text[at];
    if (char === "(" || char === ")") {
      words.push({ kind: char, position });
      at++;
      continue;
    }
    const name = take(fieldName);
    if (name === undefined)
      throw selectorFault(path, `${quotedCharacter(text, at)} does not start a term: write field:value`, at);
    if (text[at] !== ":") {
      const keyword = keywords.find((candidate) => candidate === name.toLowerCase());
      if (keyword === undefined)
        throw selectorFault(
          path,
          `"${name.slice(0, 64)}" is not a term: write field:value, such as name:${name.slice(0, 64)}`,
          position,
        );
      words.push({ kind: keyword, position });
      continue;
    }
    at++;
    const values = [value(name.slice(0, 64))];
    while (text[at] === ",") {
      at++;
      values.push(value(name.slice(0, 64)));
    }
    words.push({ kind: "term", position, field: name, values });
    if (at < text.length && !/[\s()]/.test(text.charAt(at)))
      throw selectorFault(
        path,
        `${quotedCharacter(text, at)} is not allowed in a value: put it in "quotes"`,
        at,
      );
  }
}

function partsOf(bare: string): GlobParts[number][] {
  const parts: GlobParts[number][] = [];
  for (const piece of bare.toLowerCase().split(/([*?])/)) {
    if (piece === "*") {
      if (parts.at(-1) !== anyChars) parts.push(anyChars);
    } else if (piece === "?") parts.push(anyChar);
    else if (piece !== "") parts.push(piece);
  }
  return parts;
}

function quotedCharacter(text: string, at: number): string {
  return JSON.stringify(String.fromCodePoint(text.codePointAt(at) ?? 0));
}
