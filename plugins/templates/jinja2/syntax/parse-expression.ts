/** Parses expressions by operator precedence, and literals. */
import { limitError, type Operator } from "../../python/index.ts";
import type { CompareOperator, Expr } from "./nodes.ts";
import { createPostfix, type Filters, separated } from "./parse-postfix.ts";
import { describe, type TokenStream } from "./tokens.ts";

export interface ExpressionParser {
  expression(): Expr;
  /** An expression, or a tuple if there are commas. */
  tuple(options?: TupleOptions): Expr;
  readonly filters: Filters;
}

export interface TupleOptions {
  readonly simple?: boolean;
  /** Does not parse conditional expressions (`a if b`). */
  readonly noCondition?: boolean;
  /** A name that ends the tuple, such as `in`. */
  readonly endName?: string;
  /** Inside parentheses, `()` is an empty tuple. */
  readonly parentheses?: boolean;
}

export const CONSTANTS: ReadonlyMap<string, boolean | null> = new Map(
  Object.entries({ true: true, True: true, false: false, False: false, none: null, None: null }),
);
const COMPARISONS = ["==", "!=", "<", "<=", ">", ">=", "in"];

export function createExpressions(stream: TokenStream, maxDepth: number): ExpressionParser {
  let depth = 0;
  const { postfix, filterChain, filters } = createPostfix(
    stream,
    () => condition(),
    () => primary(),
  );

  const deeper = (parse: () => Expr): Expr => {
    if (++depth > maxDepth) throw limitError(`an expression nested deeper than ${maxDepth} levels`);
    const node = parse();
    depth--;
    return node;
  };

  const condition = (): Expr =>
    deeper(() => {
      let { at } = stream.current;
      let result = or();
      while (stream.skip("if")) {
        const test = or();
        const no = stream.skip("else") ? condition() : undefined;
        result = { kind: "cond", test, yes: result, no, at };
        at = stream.current.at;
      }
      return result;
    });

  const isAny = (words: readonly string[]): boolean =>
    words.includes(stream.current.text) && stream.is(stream.current.text);

  const leftToRight =
    (kind: "binary" | "logic", operators: readonly string[], operand: () => Expr) => (): Expr => {
      const { at } = stream.current;
      let left = operand();
      while (isAny(operators)) {
        const op = stream.next().text;
        // `op` matches the node kind.
        left = { kind, op, left, right: operand(), at } as Expr & { op: Operator | "and" | "or" };
      }
      return left;
    };

  const not = (): Expr => {
    if (!stream.is("not")) return comparison();
    const { at } = stream.next();
    return { kind: "unary", op: "not", node: deeper(not), at };
  };

  const comparison = (): Expr => {
    const { at } = stream.current;
    const node = sum();
    const ops: [CompareOperator, Expr][] = [];
    for (;;) {
      const negated = stream.is("not") && stream.follows("in");
      if (negated) stream.next();
      else if (!isAny(COMPARISONS)) break;
      const { text } = stream.next();
      ops.push([negated ? "not in" : (text as CompareOperator), sum()]);
    }
    return ops.length === 0 ? node : { kind: "compare", node, ops, at };
  };

  const unary = (): Expr => {
    const { at } = stream.current;
    if (!stream.is("-") && !stream.is("+")) return postfix(primary());
    const op = stream.next().text === "-" ? "-" : "+";
    return postfix({ kind: "unary", op, node: deeper(unary), at });
  };

  const concat = (): Expr => {
    const { at } = stream.current;
    const items = [product()];
    while (stream.skip("~")) items.push(product());
    const [only] = items;
    return items.length === 1 && only !== undefined ? only : { kind: "concat", items, at };
  };

  const power = leftToRight("binary", ["**"], () => filterChain(unary()));
  const product = leftToRight("binary", ["*", "/", "//", "%"], power);
  const sum = leftToRight("binary", ["+", "-"], concat);
  const and = leftToRight("logic", ["and"], not);
  const or = leftToRight("logic", ["or"], and);

  const primary = (): Expr => {
    const token = stream.current;
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
    }
    if (stream.skip("(")) {
      const node = tuple({ parentheses: true });
      stream.expect(")");
      return node;
    }
    if (stream.skip("[")) {
      const items: Expr[] = [];
      separated(stream, "]", () => items.push(condition()));
      return { kind: "list", items, at };
    }
    if (!stream.skip("{")) return stream.fail(`unexpected '${describe(token)}'`, at);
    const items: [Expr, Expr][] = [];
    separated(stream, "}", () => {
      const key = condition();
      stream.expect(":");
      items.push([key, condition()]);
    });
    return { kind: "dict", items, at };
  };

  const tuple = (options: TupleOptions = {}): Expr => {
    const { simple = false, noCondition = false, endName, parentheses = false } = options;
    let { at } = stream.current;
    const item = simple ? primary : noCondition ? or : condition;
    const items: Expr[] = [];
    let isTuple = false;
    for (;;) {
      if (items.length > 0) stream.expect(",");
      const ended =
        stream.isType("variable_end") ||
        stream.isType("block_end") ||
        stream.is(")") ||
        (endName !== undefined && stream.is(endName));
      if (ended) break;
      items.push(item());
      if (!stream.is(",")) break;
      isTuple = true;
      at = stream.current.at;
    }
    const [only] = items;
    if (!isTuple) {
      if (only !== undefined) return only;
      if (!parentheses) stream.fail(`Expected an expression, got '${describe(stream.current)}'`);
    }
    return { kind: "tuple", items, at };
  };

  return { expression: condition, tuple, filters };
}
