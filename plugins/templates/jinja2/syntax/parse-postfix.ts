/** Parses postfix expressions: attributes, subscripts, calls, filters and tests. */
import type { Arguments, Expr } from "./nodes.ts";
import type { TokenStream } from "./tokens.ts";

/** Parses a chain of `| name(...)`; if `inline`, the first has no `|`. */
export type Filters = (node: Expr | undefined, inline?: boolean) => Expr | undefined;

export interface PostfixParser {
  /** Attributes, subscripts and calls. */
  postfix(node: Expr): Expr;
  /** Filters, tests and calls of their results. */
  filterChain(node: Expr): Expr;
  readonly filters: Filters;
}

const noArguments: Arguments = { args: [], kwargs: [], dynArgs: undefined, dynKwargs: undefined };

/** Parses comma-separated items. @param trailing whether a trailing comma is allowed */
export function listed(stream: TokenStream, ended: () => boolean, item: () => void, trailing = false): void {
  for (let first = true; !ended(); first = false) {
    if (!first) stream.expect(",");
    if (trailing && ended()) return;
    item();
  }
}

/** Parses items up to and including the closing token. */
export function separated(stream: TokenStream, close: string, item: () => void): void {
  listed(stream, () => stream.is(close), item, true);
  stream.expect(close);
}

/**
 * @param condition parses a whole expression.
 * @param primary parses a name, a literal or a parenthesised expression.
 */
export function createPostfix(
  stream: TokenStream,
  condition: () => Expr,
  primary: () => Expr,
): PostfixParser {
  const postfix = (start: Expr): Expr => {
    let node = start;
    for (;;) {
      if (stream.is(".")) node = dotted(node);
      else if (stream.is("[")) node = subscript(node);
      else if (stream.is("(")) node = call(node);
      else return node;
    }
  };

  const dotted = (node: Expr): Expr => {
    const { at } = stream.next();
    const token = stream.next();
    if (token.type === "name") return { kind: "getattr", node, attr: token.text, at };
    if (token.type !== "integer") stream.fail("expected name or number", token.at);
    return { kind: "getitem", node, arg: { kind: "const", value: token.value ?? null, at: token.at }, at };
  };

  const subscript = (node: Expr): Expr => {
    const { at } = stream.next();
    const items: Expr[] = [];
    listed(
      stream,
      () => stream.is("]"),
      () => items.push(subscribed()),
    );
    stream.expect("]");
    const [only] = items;
    const arg: Expr = items.length === 1 && only !== undefined ? only : { kind: "tuple", items, at };
    return { kind: "getitem", node, arg, at };
  };

  const subscribed = (): Expr => {
    const { at } = stream.current;
    const start = stream.is(":") ? undefined : condition();
    if (start !== undefined && !stream.is(":")) return start;
    stream.next();
    const bound = (): Expr | undefined =>
      [":", "]", ","].some((mark) => stream.is(mark)) ? undefined : condition();
    const stop = bound();
    return { kind: "slice", start, stop, step: stream.skip(":") ? bound() : undefined, at };
  };

  const callArguments = (): Arguments => {
    const { at } = stream.expect("(");
    const args: Expr[] = [];
    const kwargs: [string, Expr][] = [];
    let dynArgs: Expr | undefined;
    let dynKwargs: Expr | undefined;
    const ensure = (holds: boolean): void => {
      if (!holds) stream.fail("invalid syntax for function call expression", at);
    };
    separated(stream, ")", () => {
      if (stream.is("*")) {
        ensure(dynArgs === undefined && dynKwargs === undefined);
        stream.next();
        dynArgs = condition();
        return;
      }
      if (!stream.is("**") && !(stream.isType("name") && stream.follows("="))) {
        ensure(dynArgs === undefined && dynKwargs === undefined && kwargs.length === 0);
        args.push(condition());
        return;
      }
      ensure(dynKwargs === undefined);
      const key = stream.next();
      if (key.text === "**") dynKwargs = condition();
      else {
        if (kwargs.some(([name]) => name === key.text))
          stream.fail(`keyword argument repeated: ${key.text}`, key.at);
        stream.next();
        kwargs.push([key.text, condition()]);
      }
    });
    return { args, kwargs, dynArgs, dynKwargs };
  };

  const call = (node: Expr): Expr => {
    const { at } = stream.current;
    return { kind: "call", node, ...callArguments(), at };
  };

  const dottedName = (): string => {
    let name = stream.expectType("name").text;
    while (stream.skip(".")) name += `.${stream.expectType("name").text}`;
    return name;
  };

  const filters: Filters = (start, inline = false) => {
    let node = start;
    for (let first = inline; first || stream.skip("|"); first = false) {
      const { at } = stream.current;
      const name = dottedName();
      const behind = stream.is("(") ? callArguments() : noArguments;
      node = { kind: "filter", node, name, ...behind, at };
    }
    return node;
  };

  const filterChain = (start: Expr): Expr => {
    let node = start;
    for (;;) {
      if (stream.is("|")) node = filters(node) ?? node;
      else if (stream.is("is")) node = test(node);
      else if (stream.is("(")) node = call(node);
      else return node;
    }
  };

  const test = (node: Expr): Expr => {
    const { at } = stream.next();
    const negated = stream.skip("not");
    const name = dottedName();
    let testArguments: Arguments = noArguments;
    if (stream.is("(")) testArguments = callArguments();
    else if (beginsOperand()) {
      if (stream.is("is")) stream.fail("You cannot chain multiple tests with is");
      testArguments = { ...noArguments, args: [postfix(primary())] };
    }
    const result: Expr = { kind: "test", node, name, ...testArguments, at };
    return negated ? { kind: "unary", op: "not", node: result, at } : result;
  };

  /** Whether the next token is an argument of the test, as in `is divisibleby 3`. */
  const beginsOperand = (): boolean => {
    const { type, text } = stream.current;
    if (type === "name") return !["else", "or", "and"].includes(text);
    if (type === "operator") return text === "[" || text === "{";
    return type === "string" || type === "integer" || type === "float";
  };

  return { postfix, filterChain, filters };
}
