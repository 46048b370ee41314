/** Tokens of a template and the token stream of the parser. */
import type { Value } from "../../python/index.ts";
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
  /** Name, operator or text as written; for a string its value. */
  readonly text: string;
  readonly at: number;
  /** Set for numbers. */
  readonly value?: Value;
}

const DESCRIPTIONS: Partial<Record<TokenType, string>> = {
  data: "template data / text",
  variable_begin: "begin of print statement",
  variable_end: "end of print statement",
  block_begin: "begin of statement block",
  block_end: "end of statement block",
  eof: "end of template",
};

const isWord = ({ type }: Token): boolean => type === "name" || type === "operator";

/** How errors describe a token. */
export function describe(token: Token): string {
  return isWord(token) ? token.text : (DESCRIPTIONS[token.type] ?? token.type);
}

/** The parser's token stream. Methods that take text match a name or an operator; no text is both. */
export class TokenStream {
  private readonly end: Token;
  private position = 0;
  /** Start of the current tag. */
  private tagAt = 0;
  current: Token;
  constructor(
    readonly source: Source,
    private readonly tokens: readonly Token[],
  ) {
    this.end = { type: "eof", text: "", at: source.text.length };
    this.current = tokens[0] ?? this.end;
  }

  /** Returns the current token and advances. */
  next(): Token {
    const token = this.current;
    if (token.type === "variable_begin" || token.type === "block_begin") this.tagAt = token.at;
    this.position++;
    this.current = this.tokens[this.position] ?? this.end;
    return token;
  }
  isType(type: TokenType): boolean {
    return this.current.type === type;
  }
  is(text: string): boolean {
    return this.current.text === text && isWord(this.current);
  }
  /** Whether the token after the current one matches. */
  follows(text: string): boolean {
    const token = this.tokens[this.position + 1] ?? this.end;
    return token.text === text && isWord(token);
  }
  /** Advances if the current token matches; returns whether it did. */
  skip(text: string): boolean {
    const found = this.is(text);
    if (found) this.next();
    return found;
  }
  expect(text: string): Token {
    return this.is(text) ? this.next() : this.unexpected(text);
  }
  expectType(type: TokenType): Token {
    return this.isType(type) ? this.next() : this.unexpected(DESCRIPTIONS[type] ?? type);
  }
  fail(message: string, at = this.current.at): never {
    throw this.source.error(message, at);
  }

  private unexpected(expected: string): never {
    const { current, source, tagAt } = this;
    if (current.type === "eof") {
      const problem = `unexpected end of template, expected '${expected}'`;
      return this.fail(`${problem}: the tag that begins here is not closed.`, tagAt);
    }
    const actual = describe(current);
    // If a tag is not closed, the error appears further down.
    const { line } = source.place(tagAt);
    const beginning = line < source.place(current.at).line ? ` (the tag begins in line ${line})` : "";
    return this.fail(
      `expected token '${expected}', got '${actual}'${tokenHint(expected, actual) || beginning}`,
    );
  }
}
