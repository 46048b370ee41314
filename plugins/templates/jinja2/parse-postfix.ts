/** Parses what stands behind a value: members, subscripts, calls, filters and tests. */
import type { Arguments, Expr, NodeOf } from "./nodes.ts";
import type { TokenStream } from "./tokens.ts";

/** `| name(...)` chains, or `name(...)` at once when `inline`. */
export type Filters = (node: Expr | undefined, inline?: boolean) => Expr | undefined;

export interface PostfixParser {
  /** Members, subscripts and calls. */
  postfix(node: Expr): Expr;
  /** Filters, tests and calls of what they give. */
  filterChain(node: Expr): Expr;
  readonly filters: Filters;
}

const noArguments: Arguments = { args: [], kwargs: [], dynArgs: undefined, dynKwargs: undefined };

/** Items with commas between them, up to and with the closing mark. */
export function separated(stream: TokenStream, close: string, item: () => void): void {
  let first = true;
  while (!stream.isOperator(close)) {
    if (!first) stream.expectOperator(",");
    if (stream.isOperator(close)) break;
    first = false;
    item();
  }
  stream.expectOperator(close);
}

/**
 * @param condition parses a whole expression.
 * @param primary parses a name, a literal or what stands in parentheses.
 */
export function createPostfix(
  stream: TokenStream,
  condition: () => Expr,
  primary: () => Expr,
): PostfixParser {
  const postfix = (given: Expr): Expr => {
    let node = given;
    for (;;) {
      if (stream.isOperator(".")) node = dotted(node);
      else if (stream.isOperator("[")) node = subscript(node);
      else if (stream.isOperator("(")) node = call(node);
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
    while (!stream.isOperator("]")) {
      if (items.length > 0) stream.expectOperator(",");
      items.push(subscribed());
    }
    stream.expectOperator("]");
    const [only] = items;
    const arg: Expr = items.length === 1 && only !== undefined ? only : { kind: "tuple", items, at };
    return { kind: "getitem", node, arg, at };
  };

  const subscribed = (): Expr => {
    const { at } = stream.current();
    let start: Expr | undefined;
    if (!stream.isOperator(":")) {
      start = condition();
      if (!stream.isOperator(":")) return start;
    }
    stream.next();
    const bound = (): Expr | undefined =>
      stream.isOperator(":") || stream.isOperator("]") || stream.isOperator(",") ? undefined : condition();
    const stop = bound();
    const step = stream.skipOperator(":") ? bound() : undefined;
    return { kind: "slice", start, stop, step, at };
  };

  const callArguments = (): Arguments => {
    const { at } = stream.expectOperator("(");
    const args: Expr[] = [];
    const kwargs: [string, Expr][] = [];
    let dynArgs: Expr | undefined;
    let dynKwargs: Expr | undefined;
    const ensure = (holds: boolean): void => {
      if (!holds) stream.fail("invalid syntax for function call expression", at);
    };
    separated(stream, ")", () => {
      if (stream.isOperator("*")) {
        ensure(dynArgs === undefined && dynKwargs === undefined);
        stream.next();
        dynArgs = condition();
      } else if (stream.isOperator("**")) {
        ensure(dynKwargs === undefined);
        stream.next();
        dynKwargs = condition();
      } else if (stream.isType("name") && stream.look().type === "operator" && stream.look().text === "=") {
        ensure(dynKwargs === undefined);
        const key = stream.next();
        if (kwargs.some(([name]) => name === key.text)) {
          stream.fail(`keyword argument repeated: ${key.text}`, key.at);
        }
        stream.next();
        kwargs.push([key.text, condition()]);
      } else {
        ensure(dynArgs === undefined && dynKwargs === undefined && kwargs.length === 0);
        args.push(condition());
      }
    });
    return { args, kwargs, dynArgs, dynKwargs };
  };

  const call = (node: Expr): Expr => {
    const { at } = stream.current();
    return { kind: "call", node, ...callArguments(), at };
  };

  const dottedName = (): string => {
    let name = stream.expectType("name").text;
    while (stream.skipOperator(".")) name += `.${stream.expectType("name").text}`;
    return name;
  };

  const filters: Filters = (given, inline = false) => {
    let node = given;
    let first = inline;
    while (first || stream.isOperator("|")) {
      if (!first) stream.next();
      first = false;
      const { at } = stream.current();
      const name = dottedName();
      const filter: NodeOf<"filter"> = {
        kind: "filter",
        node,
        name,
        ...(stream.isOperator("(") ? callArguments() : noArguments),
        at,
      };
      node = filter;
    }
    return node;
  };

  const filterChain = (given: Expr): Expr => {
    let node = given;
    for (;;) {
      if (stream.isOperator("|")) node = filters(node) ?? node;
      else if (stream.isName("is")) node = test(node);
      else if (stream.isOperator("(")) node = call(node);
      else return node;
    }
  };

  const test = (node: Expr): Expr => {
    const { at } = stream.next();
    const negated = stream.skipName("not");
    const name = dottedName();
    let given: Arguments = noArguments;
    if (stream.isOperator("(")) given = callArguments();
    else if (beginsOperand()) {
      if (stream.isName("is")) stream.fail("You cannot chain multiple tests with is");
      given = { ...noArguments, args: [postfix(primary())] };
    }
    const result: Expr = { kind: "test", node, name, ...given, at };
    return negated ? { kind: "unary", op: "not", node: result, at } : result;
  };

  /** Whether a test takes the next token as its argument, as in `is divisibleby 3`. */
  const beginsOperand = (): boolean => {
    const token = stream.current();
    if (token.type === "name") return !["else", "or", "and"].includes(token.text);
    if (token.type === "operator") return token.text === "[" || token.text === "{";
    return token.type === "string" || token.type === "integer" || token.type === "float";
  };

  return { postfix, filterChain, filters };
}
