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

const MAX_NESTING = 100;

export const KEYWORDS: ReadonlySet<string> = new Set(
  (
    "False None True and as assert async await break class continue def del elif else except finally for from " +
    "global if import in is lambda nonlocal not or pass raise return try while with yield"
  ).split(" "),
);

const isMark = ({ kind }: Token): boolean => kind === "op" || kind === "name";

export class Reader {
  private at = 0;
  private depth = 0;
  constructor(
    private readonly tokens: readonly Token[],
    private here: Scope,
    readonly grammar: Grammar,
  ) {}

  get scope(): Scope {
    return this.here;
  }
  /** The token at the cursor, or one further on; behind the last one that. */
  peek(ahead = 0): Token {
    return this.tokens[this.at + ahead] ?? (this.tokens.at(-1) as Token);
  }
  next(): Token {
    const token = this.peek();
    this.at++;
    return token;
  }
  is(text: string): boolean {
    const token = this.peek();
    return isMark(token) && token.text === text;
  }
  isKind(kind: TokenKind): boolean {
    return this.peek().kind === kind;
  }
  /** Takes an operator or keyword if it is there. */
  take(text: string): boolean {
    if (!this.is(text)) return false;
    this.at++;
    return true;
  }
  expect(text: string): Token {
    if (!this.is(text)) this.fail(`expected '${text}'`);
    return this.next();
  }
  name(): string {
    const token = this.peek();
    if (token.kind !== "name" || KEYWORDS.has(token.text)) this.fail("expected a name");
    this.at++;
    return token.text;
  }
  fail(message?: string): never {
    const token = this.peek();
    const found = isMark(token) ? `'${token.text}'` : token.kind;
    throw syntaxError(
      message === undefined ? `unexpected ${found}` : `${message}, found ${found}`,
      token.line,
    );
  }
  /** Runs one level deeper. */
  nested<T>(body: () => T): T {
    if (++this.depth > MAX_NESTING) throw limitError(`a macro nested deeper than ${MAX_NESTING} levels`);
    try {
      return body();
    } finally {
      this.depth--;
    }
  }
  /** Names that are read belong to the scope. */
  within<T>(scope: Scope, body: () => T): T {
    const outer = this.here;
    this.here = scope;
    try {
      return body();
    } finally {
      this.here = outer;
    }
  }
  /** Whether `for` follows what is read next, before a comma or the end of the brackets: it is a comprehension. */
  leadsToFor(): boolean {
    let open = 0;
    let lambdas = 0;
    for (let i = this.at; i < this.tokens.length; i++) {
      const token = this.tokens[i] as Token;
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
  }
}
