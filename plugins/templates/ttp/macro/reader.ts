/** A cursor over tokens, with the checks that all parsers share and the scope whose names are read. */
import { limitError } from "../../python/limits.ts";
import { syntaxError } from "./errors.ts";
import type { Expr } from "./expr.ts";
import type { Scope } from "./scope.ts";
import type { Token, TokenKind } from "./tokenize.ts";

/** The parsers of expressions that others need: they call each other in circles, their files do not. */
export interface Grammar {
  /** One expression, with a conditional or a lambda. */
  expression(reader: Reader): Expr;
  /** With `:=`. */
  named(reader: Reader): Expr;
  /** Without a conditional. */
  simple(reader: Reader): Expr;
  /** What stands left of `in` and `=`. */
  targets(reader: Reader): Expr;
  /** `*a` or an item. */
  item(reader: Reader): Expr;
  /** Behind `*` or `**`. */
  operand(reader: Reader): Expr;
  /** A whole text, as in a field of an f-string. */
  source(text: string, line: number, scope: Scope): Expr;
}

export interface Reader {
  readonly grammar: Grammar;
  readonly scope: Scope;
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
  /** Names that are read belong to the scope. */
  within<T>(scope: Scope, body: () => T): T;
  /** Whether `for` follows what is read next, before a comma or the end of the brackets: it is a comprehension. */
  leadsToFor(): boolean;
}

const MAX_NESTING = 100;

export const KEYWORDS: ReadonlySet<string> = new Set(
  (
    "False None True and as assert async await break class continue def del elif else except finally for from " +
    "global if import in is lambda nonlocal not or pass raise return try while with yield"
  ).split(" "),
);

const isMark = ({ kind }: Token): boolean => kind === "op" || kind === "name";

export function createReader(tokens: readonly Token[], outermost: Scope, grammar: Grammar): Reader {
  const last = tokens.at(-1) as Token;
  let at = 0;
  let depth = 0;
  let scope = outermost;
  const peek = (ahead = 0): Token => tokens[at + ahead] ?? last;

  const reader: Reader = {
    grammar,
    get scope() {
      return scope;
    },
    peek,
    next() {
      const token = peek();
      at++;
      return token;
    },
    is(text) {
      const token = peek();
      return isMark(token) && token.text === text;
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
      const found = isMark(token) ? `'${token.text}'` : token.kind;
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
    within(inner, body) {
      const outer = scope;
      scope = inner;
      try {
        return body();
      } finally {
        scope = outer;
      }
    },
    leadsToFor() {
      let open = 0;
      let lambdas = 0;
      for (let i = at; i < tokens.length; i++) {
        const token = tokens[i] as Token;
        if (!isMark(token)) continue;
        const { text } = token;
        if ("([{".includes(text)) open++;
        else if (")]}".includes(text) && --open < 0) return false;
        if (open > 0) continue;
        if (text === "for") return true;
        // The commas of a lambda's parameters end nothing.
        if (text === "lambda") lambdas++;
        else if (text === ":" && lambdas > 0) lambdas--;
        else if (text === "," && lambdas === 0) return false;
      }
      return false;
    },
  };
  return reader;
}
