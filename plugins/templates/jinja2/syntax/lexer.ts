/** The lexer: splits a template into text, tags and their tokens, with all rules of white-space control. */

import {
  attempt,
  isBlank,
  isIdentifier,
  PyFloat,
  parseInteger,
  stripEnd,
  unescapeLiteral,
} from "../../python/index.ts";
import { closingHint, signHint } from "./hints.ts";
import type { BeginType, Rules } from "./rules.ts";
import type { Source } from "./source.ts";
import type { Token, TokenType } from "./tokens.ts";

const FLOAT = /(?<!\.)(?:\d+_)*\d+(?:(?:\.(?:\d+_)*\d+)?[eE][+-]?(?:\d+_)*\d+|\.(?:\d+_)*\d+)/y;
const INTEGER = /0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|0[xX](?:_?[\da-fA-F])+|[1-9](?:_?\d)*|0(?:_?0)*/y;
const NAME = /[\p{L}\p{N}\p{M}\p{Pc}·]+/uy;
const ASCII_NAME = /[A-Za-z_][A-Za-z0-9_]*(?![A-Za-z0-9_]|[^\0-\x7f])/y;
const OPERATOR = /\/\/|\*\*|==|!=|>=|<=|[-+/*%~[\](){}><=.:|,;]/y;
const CLOSING: Record<string, string> = { "(": ")", "[": "]", "{": "}" };

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

/** @throws TemplateError `TemplateSyntax`. */
export function tokenize(source: Source, rules: Rules): Token[] {
  const { text } = source;
  const tokens: Token[] = [];
  let at = 0;
  let lineStarting = true;

  const data = (start: number, value: string): void => {
    if (value === "") return;
    const body = rules.newline === "\n" ? value : value.replaceAll("\n", rules.newline);
    tokens.push({ type: "data", text: body, at: start });
  };

  /** The text before a tag, with white space removed as `-` or lstrip_blocks require. */
  const before = (start: number, end: number, sign: string, lstrip: boolean): void => {
    const value = text.slice(start, end);
    if (sign === "-") data(start, stripEnd(value));
    else if (sign !== "+" && lstrip && rules.lstripBlocks) data(start, withoutIndent(value, lineStarting));
    else data(start, value);
  };

  /** Moves past a match and records whether it ended a line. */
  const goTo = (end: number): void => {
    lineStarting = text[end - 1] === "\n";
    at = end;
  };

  /** The end of a comment or raw block, if it is closed. */
  const endOf = (pattern: RegExp, construct: string, start: number): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const end = pattern.exec(text);
    // As in the reference, an opening tag at the very end of the template is not an error.
    if (end === null && at < text.length) throw source.error(`Missing end of ${construct}`, start);
    return end;
  };

  const comment = (start: number): void => {
    const end = endOf(rules.commentEnd, "comment tag", start);
    if (end !== null) goTo(end.index + end[0].length);
  };

  const raw = (start: number): void => {
    const end = endOf(rules.rawEnd, "raw directive", start);
    if (end === null) return;
    before(at, end.index, end[1] ?? "", true);
    goTo(end.index + end[0].length);
  };

  /** Tokenizes a tag up to its end delimiter outside brackets. */
  const tag = (end: RegExp, endType: TokenType): void => {
    const open: string[] = [];
    for (;;) {
      if (open.length === 0) {
        const ending = matchAt(end, text, at);
        if (ending !== undefined) {
          tokens.push({ type: endType, text: "", at });
          goTo(at + ending.length);
          return;
        }
      }
      if (at >= text.length) return;
      if (isBlank(text[at] ?? "")) at++;
      else token(open);
    }
  };

  const token = (open: string[]): void => {
    const start = at;
    const char = text[at] ?? "";
    const simple = matchAt(ASCII_NAME, text, at);
    if (simple !== undefined) {
      tokens.push({ type: "name", text: simple, at });
      at += simple.length;
      return;
    }
    if (char >= "0" && char <= "9") {
      number();
      return;
    }
    if (char === '"' || char === "'") {
      const end = stringEnd(text, at, char);
      if (end !== undefined) {
        at = end + 1;
        tokens.push({ type: "string", text: stringValue(text.slice(start + 1, end), start), at: start });
        return;
      }
    }
    const name = matchAt(NAME, text, at);
    if (name !== undefined) {
      if (!isIdentifier(name)) throw source.error("Invalid character in identifier", at);
      tokens.push({ type: "name", text: name, at });
      at += name.length;
      return;
    }
    const operator = matchAt(OPERATOR, text, at);
    if (operator === undefined) throw source.error(`unexpected char '${char}' at ${at}${signHint(char)}`, at);
    balance(open, operator);
    tokens.push({ type: "operator", text: operator, at });
    at += operator.length;
  };

  const balance = (open: string[], operator: string): void => {
    const closing = CLOSING[operator];
    if (closing !== undefined) open.push(closing);
    else if (operator === ")" || operator === "]" || operator === "}") {
      const expected = open.pop();
      if (expected === undefined) throw source.error(`unexpected '${operator}'${closingHint(operator)}`, at);
      if (expected !== operator) throw source.error(`unexpected '${operator}', expected '${expected}'`, at);
    }
  };

  const number = (): void => {
    const float = matchAt(FLOAT, text, at);
    if (float !== undefined) {
      tokens.push({ type: "float", text: float, at, value: new PyFloat(Number(float.replaceAll("_", ""))) });
      at += float.length;
      return;
    }
    const integer = matchAt(INTEGER, text, at);
    const value = integer === undefined ? undefined : parseInteger(integer.replaceAll("_", ""), 0);
    if (integer === undefined || value === undefined) {
      throw source.error(`unexpected char '${text[at]}' at ${at}`, at);
    }
    tokens.push({ type: "integer", text: integer, at, value });
    at += integer.length;
  };

  const stringValue = (body: string, start: number): string => {
    const written = rules.newline === "\n" ? body : body.replaceAll("\n", rules.newline);
    return attempt(
      () => unescapeLiteral(written),
      (error) => {
        throw source.error(error.pythonMessage, start);
      },
    );
  };

  const tagEnds: Partial<Record<BeginType, readonly ["variable" | "block", RegExp]>> = {
    variable: ["variable", rules.variableEnd],
    block: ["block", rules.blockEnd],
    lineStatement: ["block", rules.lineEnd],
  };

  while (at < text.length) {
    rules.start.lastIndex = at;
    const match = rules.start.exec(text);
    if (match === null) {
      data(at, text.slice(at));
      break;
    }
    const begin = rules.beginOf(match);
    before(at, match.index, begin.sign, begin.type !== "variable");
    goTo(match.index + match[0].length);
    const tagEnd = tagEnds[begin.type];
    if (tagEnd !== undefined) {
      const [type, end] = tagEnd;
      tokens.push({ type: `${type}_begin`, text: "", at: match.index });
      tag(end, `${type}_end`);
    } else if (begin.type === "raw") raw(match.index);
    else if (begin.type === "comment") comment(match.index);
    else {
      const end = text.indexOf("\n", at);
      goTo(end < 0 ? text.length : end);
    }
  }
  return tokens;
}

function stringEnd(text: string, start: number, quote: string): number | undefined {
  for (let i = start + 1; i < text.length; i++) {
    const char = text[i];
    if (char === "\\") i++;
    else if (char === quote) return i;
  }
  return undefined;
}

function withoutIndent(value: string, lineStarting: boolean): string {
  const lineStart = value.lastIndexOf("\n") + 1;
  if (lineStart === 0 && !lineStarting) return value;
  for (let i = lineStart; i < value.length; i++) if (!isBlank(value[i] ?? "")) return value;
  return value.slice(0, lineStart);
}
