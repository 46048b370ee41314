/** Parses Python expressions. */
import type { Argument, BinaryOp, Clause, CompareOp, Expr, FunctionCode } from "./ast.ts";
import { unsupported } from "./errors.ts";
import { numberValue, parseParameters } from "./parameters.ts";
import { createReader, KEYWORDS, type Reader } from "./reader.ts";
import { readStrings } from "./strings.ts";
import { tokenize } from "./tokenize.ts";

/** From loosest to tightest. */
const BINARY: readonly (readonly BinaryOp[])[] = [
  ["|"],
  ["^"],
  ["&"],
  ["<<", ">>"],
  ["+", "-"],
  ["*", "/", "//", "%"],
];
const COMPARE: readonly CompareOp[] = ["==", "!=", "<=", ">=", "<", ">"];

/** A single expression, as `eval` takes it. */
export function parseSource(source: string, line = 1): Expr {
  const reader = createReader(tokenize(source, line, true));
  const value = parseTuple(reader);
  if (!reader.isKind("end")) reader.fail();
  return value;
}

/** `a, b` makes a tuple; also `*a`. */
export function parseTuple(reader: Reader): Expr {
  return listed(reader, () => starOr(reader, () => parseNamed(reader)));
}

/** What stands left of `in` and `=`. */
export function parseTargets(reader: Reader): Expr {
  return listed(reader, () => starOr(reader, () => binary(reader, 0)));
}

function listed(reader: Reader, item: () => Expr): Expr {
  const { line } = reader.peek();
  const first = item();
  if (!reader.is(","))
    return first.kind === "star" ? reader.fail("can't use a starred expression here") : first;
  const items = [first];
  while (reader.take(",")) {
    if (endsTuple(reader)) break;
    items.push(item());
  }
  return { kind: "tuple", items, line };
}

function endsTuple(reader: Reader): boolean {
  const token = reader.peek();
  if (token.kind === "newline" || token.kind === "end") return true;
  return [")", "]", "}", "=", ":", ";", "in"].some((text) => reader.is(text));
}

function starOr(reader: Reader, item: () => Expr): Expr {
  const { line } = reader.peek();
  return reader.take("*") ? { kind: "star", value: binary(reader, 0), line } : item();
}

/** With `:=`. */
export function parseNamed(reader: Reader): Expr {
  const { line } = reader.peek();
  const value = parseExpression(reader);
  if (!reader.take(":=")) return value;
  if (value.kind !== "name") return reader.fail("a name must stand left of ':='");
  return { kind: "walrus", name: value.name, value: parseExpression(reader), line };
}

export function parseExpression(reader: Reader): Expr {
  return reader.nested(() => {
    const { line } = reader.peek();
    if (reader.take("lambda")) return lambda(reader, line);
    const value = or(reader);
    if (!reader.take("if")) return value;
    const test = or(reader);
    reader.expect("else");
    return { kind: "conditional", test, yes: value, no: parseExpression(reader), line };
  });
}

function lambda(reader: Reader, line: number): Expr {
  const parameters = parseParameters(reader, ":", false, parseExpression);
  reader.expect(":");
  const code: FunctionCode = { name: "<lambda>", parameters, line };
  return { kind: "lambda", code, body: parseExpression(reader), line };
}

function or(reader: Reader): Expr {
  let left = and(reader);
  for (let token = reader.peek(); reader.take("or"); token = reader.peek())
    left = { kind: "or", left, right: and(reader), line: token.line };
  return left;
}

function and(reader: Reader): Expr {
  let left = not(reader);
  for (let token = reader.peek(); reader.take("and"); token = reader.peek())
    left = { kind: "and", left, right: not(reader), line: token.line };
  return left;
}

function not(reader: Reader): Expr {
  const { line } = reader.peek();
  if (reader.take("not")) return { kind: "unary", op: "not", value: reader.nested(() => not(reader)), line };
  return comparison(reader);
}

function comparison(reader: Reader): Expr {
  const first = binary(reader, 0);
  const rest: (readonly [CompareOp, Expr])[] = [];
  for (let op = compareOp(reader); op !== undefined; op = compareOp(reader))
    rest.push([op, binary(reader, 0)]);
  return rest.length === 0 ? first : { kind: "compare", first, rest, line: first.line };
}

function compareOp(reader: Reader): CompareOp | undefined {
  for (const op of COMPARE) if (reader.take(op)) return op;
  if (reader.take("in")) return "in";
  if (reader.take("is")) return reader.take("not") ? "is not" : "is";
  if (reader.is("not") && reader.peek(1).text === "in") {
    reader.next();
    reader.next();
    return "not in";
  }
  return undefined;
}

function binary(reader: Reader, level: number): Expr {
  const ops = BINARY[level];
  if (ops === undefined) return unary(reader);
  let left = binary(reader, level + 1);
  for (;;) {
    const op = ops.find((one) => reader.is(one));
    if (op === undefined) return left;
    const { line } = reader.next();
    left = { kind: "binary", op, left, right: binary(reader, level + 1), line };
  }
}

function unary(reader: Reader): Expr {
  const { line } = reader.peek();
  for (const op of ["-", "+", "~"] as const)
    if (reader.take(op)) return { kind: "unary", op, value: reader.nested(() => unary(reader)), line };
  const base = postfix(reader);
  if (!reader.take("**")) return base;
  return { kind: "binary", op: "**", left: base, right: reader.nested(() => unary(reader)), line };
}

function postfix(reader: Reader): Expr {
  if (reader.is("await")) throw unsupported("'await'", reader.peek().line);
  let value = atom(reader);
  for (;;) {
    const { line } = reader.peek();
    if (reader.take(".")) value = { kind: "attribute", target: value, name: reader.name(), line };
    else if (reader.take("(")) value = { kind: "call", target: value, args: callArguments(reader), line };
    else if (reader.take("[")) {
      value = { kind: "item", target: value, key: subscript(reader), line };
      reader.expect("]");
    } else return value;
  }
}

export function callArguments(reader: Reader): Argument[] {
  const args: Argument[] = [];
  while (!reader.take(")")) {
    args.push(callArgument(reader));
    if (reader.take(",")) continue;
    reader.expect(")");
    break;
  }
  return args;
}

function callArgument(reader: Reader): Argument {
  if (reader.take("*")) return { kind: "star", name: "", value: parseExpression(reader) };
  if (reader.take("**")) return { kind: "double", name: "", value: parseExpression(reader) };
  const token = reader.peek();
  const after = reader.peek(1);
  if (token.kind === "name" && after.kind === "op" && after.text === "=" && !KEYWORDS.has(token.text)) {
    reader.next();
    reader.next();
    return { kind: "keyword", name: token.text, value: parseExpression(reader) };
  }
  const value = parseNamed(reader);
  if (!reader.is("for")) return { kind: "plain", name: "", value };
  return { kind: "plain", name: "", value: comprehension(reader, "generator", undefined, value) };
}

function subscript(reader: Reader): Expr {
  return listed(reader, () => {
    const { line } = reader.peek();
    const part = () => ([":", "]", ","].some((text) => reader.is(text)) ? undefined : parseNamed(reader));
    const start = part();
    if (!reader.take(":")) return start ?? reader.fail();
    const stop = part();
    return { kind: "slice", start, stop, step: reader.take(":") ? part() : undefined, line };
  });
}

function comprehension(
  reader: Reader,
  makes: "list" | "set" | "dict" | "generator",
  key: Expr | undefined,
  value: Expr,
): Expr {
  const clauses: Clause[] = [];
  while (reader.take("for")) {
    const target = parseTargets(reader);
    reader.expect("in");
    const source = or(reader);
    const conditions: Expr[] = [];
    while (reader.take("if")) conditions.push(or(reader));
    clauses.push({ target, source, conditions });
  }
  if (reader.is("async")) throw unsupported("'async'", reader.peek().line);
  return { kind: "comprehension", makes, key, value, clauses, line: value.line };
}

function atom(reader: Reader): Expr {
  const token = reader.peek();
  const { line } = token;
  if (token.kind === "string") return readStrings(reader, parseSource);
  if (token.kind === "number") {
    reader.next();
    return { kind: "constant", value: numberValue(token.text, line), line };
  }
  if (token.kind === "name") return nameOrConstant(reader, line);
  if (reader.take("(")) return reader.nested(() => parenthesised(reader, line));
  if (reader.take("[")) return reader.nested(() => bracketed(reader, line));
  if (reader.take("{")) return reader.nested(() => braced(reader, line));
  if (reader.is("...")) throw unsupported("'...'", line);
  return reader.fail();
}

function nameOrConstant(reader: Reader, line: number): Expr {
  if (reader.take("None")) return { kind: "constant", value: null, line };
  if (reader.take("True")) return { kind: "constant", value: true, line };
  if (reader.take("False")) return { kind: "constant", value: false, line };
  if (reader.is("yield")) throw unsupported("'yield'", line);
  return { kind: "name", name: reader.name(), line };
}

function parenthesised(reader: Reader, line: number): Expr {
  if (reader.take(")")) return { kind: "tuple", items: [], line };
  if (reader.is("yield")) throw unsupported("'yield'", line);
  const first = starOr(reader, () => parseNamed(reader));
  if (reader.is("for")) {
    const made = comprehension(reader, "generator", undefined, first);
    reader.expect(")");
    return made;
  }
  if (reader.take(")"))
    return first.kind === "star" ? reader.fail("can't use a starred expression here") : first;
  const items = [first];
  while (reader.take(",")) {
    if (reader.is(")")) break;
    items.push(starOr(reader, () => parseNamed(reader)));
  }
  reader.expect(")");
  return { kind: "tuple", items, line };
}

function bracketed(reader: Reader, line: number): Expr {
  if (reader.take("]")) return { kind: "list", items: [], line };
  const items = [starOr(reader, () => parseNamed(reader))];
  if (reader.is("for")) {
    const made = comprehension(reader, "list", undefined, items[0] as Expr);
    reader.expect("]");
    return made;
  }
  while (reader.take(",")) {
    if (reader.is("]")) break;
    items.push(starOr(reader, () => parseNamed(reader)));
  }
  reader.expect("]");
  return { kind: "list", items, line };
}

function braced(reader: Reader, line: number): Expr {
  if (reader.take("}")) return { kind: "dict", entries: [], line };
  if (!reader.is("**")) {
    const first = starOr(reader, () => parseNamed(reader));
    if (!reader.is(":")) return setRest(reader, first, line);
    reader.next();
    const value = parseExpression(reader);
    if (reader.is("for")) {
      const made = comprehension(reader, "dict", first, value);
      reader.expect("}");
      return made;
    }
    return dictRest(reader, [[first, value]], line);
  }
  reader.next();
  return dictRest(reader, [[undefined, binary(reader, 0)]], line);
}

function setRest(reader: Reader, first: Expr, line: number): Expr {
  if (reader.is("for")) {
    const made = comprehension(reader, "set", undefined, first);
    reader.expect("}");
    return made;
  }
  const items = [first];
  while (reader.take(",")) {
    if (reader.is("}")) break;
    items.push(starOr(reader, () => parseNamed(reader)));
  }
  reader.expect("}");
  return { kind: "set", items, line };
}

function dictRest(reader: Reader, entries: (readonly [Expr | undefined, Expr])[], line: number): Expr {
  while (reader.take(",")) {
    if (reader.is("}")) break;
    if (reader.take("**")) entries.push([undefined, binary(reader, 0)]);
    else {
      const key = parseExpression(reader);
      reader.expect(":");
      entries.push([key, parseExpression(reader)]);
    }
  }
  reader.expect("}");
  return { kind: "dict", entries, line };
}
