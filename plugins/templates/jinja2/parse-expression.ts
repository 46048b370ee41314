/** Parses expressions: operators by their precedence, and literals. */
import { limitError } from "../python/limits.ts";
import type { Operator } from "../python/values.ts";
import type { CompareOperator, Expr } from "./nodes.ts";
import { createPostfix, type Filters, separated } from "./parse-postfix.ts";
import { describe, type TokenStream } from "./tokens.ts";

export interface ExpressionParser {
  expression(): Expr;
  /** One expression, or a tuple where commas stand. */
  tuple(options?: TupleOptions): Expr;
  readonly filters: Filters;
}

export interface TupleOptions {
  readonly simple?: boolean;
  /** Conditional expressions (`a if b`) are left alone. */
  readonly noCondition?: boolean;
  /** A name that ends the tuple, such as `in`. */
  readonly endName?: string;
  /** Inside parentheses `()` is an empty tuple. */
  readonly parentheses?: boolean;
}

const CONSTANTS = new Map<string, boolean | null>([
  ["true", true],
  ["True", true],
  ["false", false],
  ["False", false],
  ["none", null],
  ["None", null],
]);
const COMPARISONS = new Set(["==", "!=", "<", "<=", ">", ">="]);

export function createExpressions(stream: TokenStream, maxDepth: number): ExpressionParser {
  let depth = 0;
  const { postfix, filterChain, filters } = createPostfix(
    stream,
    () => condition(),
    () => primary(),
  );

  const condition = (): Expr => {
    if (++depth > maxDepth) throw limitError(`an expression nested deeper than ${maxDepth} levels`);
    let { at } = stream.current();
    let result = or();
    while (stream.skipName("if")) {
      const test = or();
      const no = stream.skipName("else") ? condition() : undefined;
      result = { kind: "cond", test, yes: result, no, at };
      at = stream.current().at;
    }
    depth--;
    return result;
  };

  const or = (): Expr => {
    const { at } = stream.current();
    let left = and();
    while (stream.skipName("or")) left = { kind: "logic", op: "or", left, right: and(), at };
    return left;
  };

  const and = (): Expr => {
    const { at } = stream.current();
    let left = not();
    while (stream.skipName("and")) left = { kind: "logic", op: "and", left, right: not(), at };
    return left;
  };

  const not = (): Expr => {
    if (!stream.isName("not")) return comparison();
    const { at } = stream.next();
    if (++depth > maxDepth) throw limitError(`an expression nested deeper than ${maxDepth} levels`);
    const node = not();
    depth--;
    return { kind: "unary", op: "not", node, at };
  };

  const comparison = (): Expr => {
    const { at } = stream.current();
    const node = sum();
    const ops: [CompareOperator, Expr][] = [];
    for (;;) {
      const token = stream.current();
      if (token.type === "operator" && COMPARISONS.has(token.text)) {
        stream.next();
        ops.push([token.text as CompareOperator, sum()]);
      } else if (stream.skipName("in")) ops.push(["in", sum()]);
      else if (stream.isName("not") && stream.look().type === "name" && stream.look().text === "in") {
        stream.next();
        stream.next();
        ops.push(["not in", sum()]);
      } else break;
    }
    return ops.length === 0 ? node : { kind: "compare", node, ops, at };
  };

  const leftToRight =
    (operators: ReadonlySet<string>, operand: () => Expr): (() => Expr) =>
    () => {
      const { at } = stream.current();
      let left = operand();
      for (
        let token = stream.current();
        token.type === "operator" && operators.has(token.text);
        token = stream.current()
      ) {
        stream.next();
        left = { kind: "binary", op: token.text as Operator, left, right: operand(), at };
      }
      return left;
    };

  const unary = (withFilter = true): Expr => {
    const { at } = stream.current();
    let node: Expr;
    if (stream.isOperator("-") || stream.isOperator("+")) {
      const op = stream.next().text === "-" ? "-" : "+";
      if (++depth > maxDepth) throw limitError(`an expression nested deeper than ${maxDepth} levels`);
      node = { kind: "unary", op, node: unary(false), at };
      depth--;
    } else node = primary();
    node = postfix(node);
    return withFilter ? filterChain(node) : node;
  };

  const power = leftToRight(new Set(["**"]), () => unary());
  const product = leftToRight(new Set(["*", "/", "//", "%"]), power);

  const concat = (): Expr => {
    const { at } = stream.current();
    const items = [product()];
    while (stream.skipOperator("~")) items.push(product());
    const [only] = items;
    return items.length === 1 && only !== undefined ? only : { kind: "concat", items, at };
  };

  const sum = leftToRight(new Set(["+", "-"]), concat);

  const primary = (): Expr => {
    const token = stream.current();
    const { at } = token;
    switch (token.type) {
      case "name": {
        stream.next();
        const constant = CONSTANTS.get(token.text);
        if (constant !== undefined) return { kind: "const", value: constant, at };
        return { kind: "name", name: token.text, mode: "load", at };
      }
      case "string": {
        let text = "";
        while (stream.isType("string")) text += stream.next().text;
        return { kind: "const", value: text, at };
      }
      case "integer":
      case "float":
        stream.next();
        return { kind: "const", value: token.value ?? null, at };
      case "operator":
        if (token.text === "(") {
          stream.next();
          const node = tuple({ parentheses: true });
          stream.expectOperator(")");
          return node;
        }
        if (token.text === "[") return list();
        if (token.text === "{") return dict();
    }
    return stream.fail(`unexpected '${describe(token)}'`, at);
  };

  const list = (): Expr => {
    const { at } = stream.expectOperator("[");
    const items: Expr[] = [];
    separated(stream, "]", () => items.push(condition()));
    return { kind: "list", items, at };
  };

  const dict = (): Expr => {
    const { at } = stream.expectOperator("{");
    const items: [Expr, Expr][] = [];
    separated(stream, "}", () => {
      const key = condition();
      stream.expectOperator(":");
      items.push([key, condition()]);
    });
    return { kind: "dict", items, at };
  };

  const tuple = (options: TupleOptions = {}): Expr => {
    const { simple = false, noCondition = false, endName, parentheses = false } = options;
    let { at } = stream.current();
    const one = simple ? primary : noCondition ? or : condition;
    const items: Expr[] = [];
    let isTuple = false;
    for (;;) {
      if (items.length > 0) stream.expectOperator(",");
      const token = stream.current();
      const ended =
        token.type === "variable_end" ||
        token.type === "block_end" ||
        stream.isOperator(")") ||
        (endName !== undefined && stream.isName(endName));
      if (ended) break;
      items.push(one());
      if (!stream.isOperator(",")) break;
      isTuple = true;
      at = stream.current().at;
    }
    const [only] = items;
    if (!isTuple) {
      if (only !== undefined) return only;
      if (!parentheses) stream.fail(`Expected an expression, got '${describe(stream.current())}'`);
    }
    return { kind: "tuple", items, at };
  };

  return { expression: condition, tuple, filters };
}
