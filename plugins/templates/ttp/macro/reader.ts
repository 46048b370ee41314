/** A cursor over tokens, with the checks that both parsers share. */
import { limitError } from "../../python/limits.ts";
import { syntaxError } from "./errors.ts";
import type { Token, TokenKind } from "./tokenize.ts";

export interface Reader {
  /** The token at the cursor, or one further on. */
  peek(ahead?: number): Token;
  next(): Token;
  is(text: string): boolean;
  isKind(kind: TokenKind): boolean;
  /** Takes an operator or keyword if it is there. */
  take(text: string): boolean;
  expect(text: string): Token;
  name(): string;
  fail(message?: string): never;
  /** Runs one level deeper. */
  nested<T>(body: () => T): T;
}

const MAX_NESTING = 100;

export const KEYWORDS: ReadonlySet<string> = new Set(
  (
    "False None True and as assert async await break class continue def del elif else except finally for from " +
    "global if import in is lambda nonlocal not or pass raise return try while with yield"
  ).split(" "),
);

export function createReader(tokens: readonly Token[]): Reader {
  const last = tokens.at(-1) as Token;
  let at = 0;
  let depth = 0;
  const peek = (ahead = 0): Token => tokens[at + ahead] ?? last;

  const reader: Reader = {
    peek,
    next() {
      const token = peek();
      at++;
      return token;
    },
    is(text) {
      const token = peek();
      return (token.kind === "op" || token.kind === "name") && token.text === text;
    },
    isKind: (kind) => peek().kind === kind,
    take(text) {
      if (!reader.is(text)) return false;
      at++;
      return true;
    },
    expect(text) {
      if (!reader.is(text)) reader.fail(`expected '${text}'`);
      return reader.next();
    },
    name() {
      const token = peek();
      if (token.kind !== "name" || KEYWORDS.has(token.text)) reader.fail("expected a name");
      at++;
      return token.text;
    },
    fail(message) {
      const token = peek();
      const found = token.kind === "op" || token.kind === "name" ? `'${token.text}'` : token.kind;
      throw syntaxError(
        message === undefined ? `unexpected ${found}` : `${message}, found ${found}`,
        token.line,
      );
    },
    nested(body) {
      if (++depth > MAX_NESTING) throw limitError(`a macro nested deeper than ${MAX_NESTING} levels`);
      try {
        return body();
      } finally {
        depth--;
      }
    },
  };
  return reader;
}
