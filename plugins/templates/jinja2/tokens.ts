/** Tokens of a template and the stream the parser reads them from. */
import type { Value } from "../python/values.ts";
import { tokenHint } from "./hints.ts";
import type { Source } from "./source.ts";

export type TokenType =
  | "data"
  | "variable_begin"
  | "variable_end"
  | "block_begin"
  | "block_end"
  | "name"
  | "string"
  | "integer"
  | "float"
  | "operator"
  | "eof";

export interface Token {
  readonly type: TokenType;
  /** Name, operator or text as written; of a string what it stands for. */
  readonly text: string;
  readonly at: number;
  /** Of numbers. */
  readonly value?: Value;
  /** A block begin or end that a line statement made. */
  readonly line?: true;
}

const DESCRIPTIONS: Partial<Record<TokenType, string>> = {
  data: "template data / text",
  variable_begin: "begin of print statement",
  variable_end: "end of print statement",
  block_begin: "begin of statement block",
  block_end: "end of statement block",
  eof: "end of template",
};

/** The words that name a token in an error. */
export function describe(token: Token): string {
  return token.type === "name" || token.type === "operator"
    ? token.text
    : (DESCRIPTIONS[token.type] ?? token.type);
}

export interface TokenStream {
  readonly source: Source;
  current(): Token;
  look(): Token;
  /** Gives the current token and goes on. */
  next(): Token;
  isType(type: TokenType): boolean;
  isName(name: string): boolean;
  isOperator(operator: string): boolean;
  /** Goes on if the current token is that name; tells whether it was. */
  skipName(name: string): boolean;
  skipOperator(operator: string): boolean;
  expectType(type: TokenType): Token;
  expectName(name: string): Token;
  expectOperator(operator: string): Token;
  fail(message: string, at?: number): never;
}

export function createStream(source: Source, tokens: readonly Token[]): TokenStream {
  const end: Token = { type: "eof", text: "", at: source.text.length };
  let position = 0;
  let now = tokens[0] ?? end;
  /** Where the tag begins that is being read. */
  let tagAt = 0;

  const next = (): Token => {
    const token = now;
    if (token.type === "variable_begin" || token.type === "block_begin") tagAt = token.at;
    position++;
    now = tokens[position] ?? end;
    return token;
  };
  const fail = (message: string, at = now.at): never => {
    throw source.error(message, at);
  };
  const unexpected = (wanted: string): never =>
    now.type === "eof"
      ? fail(
          `unexpected end of template, expected '${wanted}': the tag that begins here is not closed.`,
          tagAt,
        )
      : fail(
          `expected token '${wanted}', got '${describe(now)}'${tokenHint(wanted, describe(now)) || tagHint()}`,
        );
  /** A tag that nobody closed ends somewhere below. */
  const tagHint = (): string => {
    const { line } = source.place(tagAt);
    return line < source.place(now.at).line ? ` (the tag begins in line ${line})` : "";
  };

  return {
    source,
    current: () => now,
    look: () => tokens[position + 1] ?? end,
    next,
    isType: (type) => now.type === type,
    isName: (name) => now.type === "name" && now.text === name,
    isOperator: (operator) => now.type === "operator" && now.text === operator,
    skipName(name) {
      if (now.type !== "name" || now.text !== name) return false;
      next();
      return true;
    },
    skipOperator(operator) {
      if (now.type !== "operator" || now.text !== operator) return false;
      next();
      return true;
    },
    expectType: (type) => (now.type === type ? next() : unexpected(DESCRIPTIONS[type] ?? type)),
    expectName: (name) => (now.type === "name" && now.text === name ? next() : unexpected(name)),
    expectOperator: (operator) =>
      now.type === "operator" && now.text === operator ? next() : unexpected(operator),
    fail,
  };
}
