/** Token cursor with the checks that all parsers share, and the current scope. */
import { limitError } from "../../python/index.ts";
import { syntaxError } from "./errors.ts";
import type { Expr } from "./expr.ts";
import type { Scope } from "./scope.ts";
import type { Token, TokenKind } from "./tokenize.ts";

/** Expression parsers, passed by reference because they are mutually recursive and their files must not be. */
export interface Grammar {
  /** An expression, including conditionals and lambdas. */
  expression(reader: Reader): Expr;
  /** Also `:=`. */
  named(reader: Reader): Expr;
  /** No conditional. */
  simple(reader: Reader): Expr;
  /** Targets of `in` and `=`. */
  targets(reader: Reader): Expr;
  /** `*a` or an item. */
  item(reader: Reader): Expr;
  /** The operand of `*` or `**`. */
  operand(reader: Reader): Expr;
  /** A complete source, such as a field of an f-string. */
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
    private currentScope: Scope,
    readonly grammar: Grammar,
  ) {}

  get scope(): Scope {
    return this.currentScope;
  }
  /** The token at the cursor or further ahead; at the end, the last token. */
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
  /** Consumes an operator or keyword if it is next. */
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
  /** Parses one nesting level deeper. */
  nested<T>(body: () => T): T {
    if (++this.depth > MAX_NESTING) throw limitError(`a macro nested deeper than ${MAX_NESTING} levels`);
    try {
      return body();
    } finally {
      this.depth--;
    }
  }
  /** Parses names in the given scope. */
  within<T>(scope: Scope, body: () => T): T {
    const outer = this.currentScope;
    this.currentScope = scope;
    try {
      return body();
    } finally {
      this.currentScope = outer;
    }
  }
  /** Whether a `for` follows before a comma or closing bracket, which makes it a comprehension. */
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
      // Commas between the parameters of a lambda do not count.
      if (text === "lambda") lambdas++;
      else if (text === ":" && lambdas > 0) lambdas--;
      else if (text === "," && lambdas === 0) return false;
    }
    return false;
  }
}
