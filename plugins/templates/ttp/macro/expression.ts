/** Parses Python expressions by precedence, loosest operator first, and compiles each to a closure. */

import { negate, PyTuple, positive, truth, typeError } from "../../python/index.ts";
import { parseCall } from "./calls.ts";
import { braced, bracketed, parenthesised } from "./displays.ts";
import { unsupported } from "./errors.ts";
import { collecting, createExpr, type Expr } from "./expr.ts";
import { makeFunction, parseParameters } from "./functions.ts";
import { numberValue, readStrings } from "./literals.ts";
import { type BinaryOp, binaryOperator, type CompareOp, compareOperators, invert } from "./operators.ts";
import { type Grammar, Reader } from "./reader.ts";
import { Place, Scope } from "./scope.ts";
import { attributeOf, itemOf, sliceOf } from "./targets.ts";
import { tokenize } from "./tokenize.ts";

/** Loosest to tightest. */
const BINARY: readonly (readonly BinaryOp[])[] = [
  ["|"],
  ["^"],
  ["&"],
  ["<<", ">>"],
  ["+", "-"],
  ["*", "/", "//", "%"],
];
const COMPARE: readonly CompareOp[] = ["==", "!=", "<=", ">=", "<", ">"];
const UNARY = { "-": negate, "+": positive, "~": invert } as const;
const CONSTANTS = { None: null, True: true, False: false } as const;

export const grammar: Grammar = {
  expression: parseExpression,
  named: parseNamed,
  simple: (reader) => or(reader),
  targets: (reader) => listed(reader, () => starOr(reader, operand)),
  item: (reader) => starOr(reader, parseNamed),
  operand,
  source: parseSource,
};

/** A single expression, as for `eval`. */
export function parseSource(source: string, line: number, scope: Scope): Expr {
  const reader = new Reader(tokenize(source, line, true), scope, grammar);
  const value = parseTuple(reader);
  if (!reader.isKind("end")) reader.fail();
  return value;
}

/** `a, b` is a tuple; also `*a`. */
export const parseTuple = (reader: Reader): Expr => listed(reader, () => grammar.item(reader));

const ENDS = [")", "]", "}", "=", ":", ";", "in"];

function listed(reader: Reader, item: () => Expr): Expr {
  const { line } = reader.peek();
  const first = item();
  if (!reader.is(","))
    return first.starred === undefined ? first : reader.fail("can't use a starred expression here");
  const items = [first];
  while (reader.take(",")) {
    if (reader.isKind("newline") || reader.isKind("end") || ENDS.some((text) => reader.is(text))) break;
    items.push(item());
  }
  const collect = collecting(items);
  return { ...createExpr("tuple", line, (frame) => new PyTuple(collect(frame))), items };
}

function starOr(reader: Reader, item: (reader: Reader) => Expr): Expr {
  const { line } = reader.peek();
  if (!reader.take("*")) return item(reader);
  const fail = () => {
    throw typeError("can't use a starred expression here");
  };
  return { ...createExpr("star", line, fail), starred: operand(reader) };
}

function parseNamed(reader: Reader): Expr {
  const { line } = reader.peek();
  const value = parseExpression(reader);
  if (!reader.take(":=")) return value;
  const { name } = value;
  if (name === undefined) return reader.fail("a name must stand left of ':='");
  reader.scope.bindOutside(name);
  const place = new Place(name, reader.scope);
  const { read } = parseExpression(reader);
  return createExpr("walrus", line, (frame) => {
    const now = read(frame);
    place.write(frame, now);
    return now;
  });
}

export function parseExpression(reader: Reader): Expr {
  return reader.nested(() => {
    const { line } = reader.peek();
    if (reader.take("lambda")) return lambda(reader, line);
    const yes = or(reader);
    if (!reader.take("if")) return yes;
    const test = or(reader);
    reader.expect("else");
    const no = parseExpression(reader);
    return createExpr("conditional", line, (frame) =>
      truth(test.read(frame)) ? yes.read(frame) : no.read(frame),
    );
  });
}

function lambda(reader: Reader, line: number): Expr {
  const parameters = parseParameters(reader, ":", false);
  reader.expect(":");
  const scope = new Scope("function", reader.scope);
  for (const { name } of parameters) scope.bind(name);
  const { read: body } = reader.within(scope, () => parseExpression(reader));
  const code = { name: "<lambda>", parameters, line, body };
  return createExpr("lambda", line, (frame) => makeFunction(code, frame));
}

const or = (reader: Reader): Expr => logic(reader, "or", true, and);
const and = (reader: Reader): Expr => logic(reader, "and", false, not);

/** @param decisive the truth value that short-circuits. */
function logic(reader: Reader, word: string, decisive: boolean, operand: (reader: Reader) => Expr): Expr {
  let left = operand(reader);
  while (reader.is(word)) {
    const { line } = reader.next();
    const [{ read: a }, { read: b }] = [left, operand(reader)];
    left = createExpr(word, line, (frame) => {
      const value = a(frame);
      return truth(value) === decisive ? value : b(frame);
    });
  }
  return left;
}

function not(reader: Reader): Expr {
  const { line } = reader.peek();
  if (!reader.take("not")) return comparison(reader);
  const { read } = reader.nested(() => not(reader));
  return createExpr("unary", line, (frame) => !truth(read(frame)));
}

function comparison(reader: Reader): Expr {
  const first = operand(reader);
  const rest: { apply: (typeof compareOperators)[CompareOp]; read: Expr["read"] }[] = [];
  for (let op = compareOp(reader); op !== undefined; op = compareOp(reader))
    rest.push({ apply: compareOperators[op], read: operand(reader).read });
  if (rest.length === 0) return first;
  return createExpr("compare", first.line, (frame) => {
    frame.meter.step();
    let left = first.read(frame);
    for (const { apply, read } of rest) {
      const right = read(frame);
      if (!apply(left, right, frame.meter)) return false;
      left = right;
    }
    return true;
  });
}

function compareOp(reader: Reader): CompareOp | undefined {
  for (const op of COMPARE) if (reader.take(op)) return op;
  if (reader.take("in")) return "in";
  if (reader.take("is")) return reader.take("not") ? "is not" : "is";
  if (!reader.is("not") || reader.peek(1).text !== "in") return undefined;
  reader.next();
  reader.next();
  return "not in";
}

function operand(reader: Reader): Expr {
  return binary(reader, 0);
}

function binary(reader: Reader, level: number): Expr {
  const ops = BINARY[level];
  if (ops === undefined) return unary(reader);
  let left = binary(reader, level + 1);
  for (;;) {
    const op = ops.find((candidate) => reader.is(candidate));
    if (op === undefined) return left;
    const { line } = reader.next();
    left = applied(op, left, binary(reader, level + 1), line);
  }
}

function applied(op: BinaryOp, { read: left }: Expr, { read: right }: Expr, line: number): Expr {
  const apply = binaryOperator(op);
  return createExpr("binary", line, (frame) => {
    frame.meter.step();
    const a = left(frame);
    return apply(a, right(frame), frame.meter);
  });
}

function unary(reader: Reader): Expr {
  const { line } = reader.peek();
  for (const [op, apply] of Object.entries(UNARY)) {
    if (!reader.take(op)) continue;
    const { read } = reader.nested(() => unary(reader));
    return createExpr("unary", line, (frame) => apply(read(frame)));
  }
  const base = postfix(reader);
  if (!reader.take("**")) return base;
  return applied(
    "**",
    base,
    reader.nested(() => unary(reader)),
    line,
  );
}

function postfix(reader: Reader): Expr {
  if (reader.is("await")) throw unsupported("'await'", reader.peek().line);
  let value = atom(reader);
  for (;;) {
    const { line } = reader.peek();
    if (reader.take(".")) {
      const name = reader.name();
      value = reader.is("(") ? parseCall(reader, value, name) : attributeOf(value, name, line);
    } else if (reader.is("(")) value = parseCall(reader, value);
    else if (reader.take("[")) {
      value = itemOf(value, subscript(reader), line);
      reader.expect("]");
    } else return value;
  }
}

function subscript(reader: Reader): Expr {
  return listed(reader, () => {
    const { line } = reader.peek();
    const parseBound = () =>
      [":", "]", ","].some((text) => reader.is(text)) ? undefined : parseNamed(reader);
    const start = parseBound();
    if (!reader.take(":")) return start ?? reader.fail();
    const stop = parseBound();
    return sliceOf(start, stop, reader.take(":") ? parseBound() : undefined, line);
  });
}

function atom(reader: Reader): Expr {
  const { kind, text, line } = reader.peek();
  if (kind === "string") return readStrings(reader);
  if (kind === "number") {
    reader.next();
    const value = numberValue(text, line);
    return createExpr("constant", line, () => value);
  }
  if (kind === "name") return nameOrConstant(reader, line);
  if (reader.take("(")) return reader.nested(() => parenthesised(reader, line));
  if (reader.take("[")) return reader.nested(() => bracketed(reader, line));
  if (reader.take("{")) return reader.nested(() => braced(reader, line));
  if (reader.is("...")) throw unsupported("'...'", line);
  return reader.fail();
}

function nameOrConstant(reader: Reader, line: number): Expr {
  for (const [text, value] of Object.entries(CONSTANTS))
    if (reader.take(text)) return createExpr("constant", line, () => value);
  if (reader.is("yield")) throw unsupported("'yield'", line);
  const name = reader.name();
  const place = new Place(name, reader.scope);
  return {
    ...createExpr("name", line, (frame) => place.read(frame)),
    name,
    target: {
      write: (frame, value) => place.write(frame, value),
      remove: (frame) => place.remove(frame),
      change: (frame, by) => place.write(frame, by(place.read(frame))),
    },
  };
}
