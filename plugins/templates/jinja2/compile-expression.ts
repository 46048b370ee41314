/** Compiles expressions into functions of the frame. */
import { arithmetic } from "../python/arith.ts";
import { Markup, type Value } from "../python/values.ts";
import { whyAbsent } from "./absent.ts";
import { isDictMethod } from "./access.ts";
import { compileArguments } from "./compile-arguments.ts";
import { comparisons } from "./compile-operators.ts";
import * as make from "./expressions.ts";
import { filterHint, testHint } from "./hints.ts";
import type {
  BinaryOperator,
  CallNode,
  CompareOperator,
  Expr,
  FilterNode,
  GetattrNode,
  NameNode,
} from "./nodes.ts";
import type { Expression, Frame } from "./runtime.ts";
import { type Place, slotReader, softPlace, type Unit } from "./unit.ts";

export interface ExpressionCompiler {
  expression(node: Expr, place: Place): Expression;
  /** A filter whose input is given, as of a filter block. */
  filter(node: FilterNode, place: Place, input: Expression): Expression;
  /** A call that passes `caller` on. */
  callWith(node: CallNode, place: Place, caller: Expression): Expression;
}

export function createExpressionCompiler(unit: Unit): ExpressionCompiler {
  const { source } = unit;

  const expression = (node: Expr, place: Place): Expression => {
    switch (node.kind) {
      case "name":
        return name(node, place);
      case "const":
        return make.constant(node.value);
      case "getattr":
        return member(node, place);
      case "getitem":
        return subscript(node.node, node.arg, place);
      case "call":
        return invocation(node, place, undefined);
      case "filter":
        return filterOf(node, place, undefined);
      case "test":
        return testOf(node, place);
      case "compare":
        return comparison(node.node, node.ops, place);
      case "binary":
        return operation(node.op, node.left, node.right, place);
      case "logic":
        return make.logic(node.op, expression(node.left, place), expression(node.right, place));
      case "unary":
        return make.unary(node.op, expression(node.node, place));
      case "concat":
        return make.concatenation(all(node.items, place), unit.escaping.on && !unit.escaping.dynamic);
      case "cond":
        return condition(node.test, node.yes, node.no, softPlace(place), node.at);
      case "tuple":
        return make.tuple(all(node.items, place));
      case "list":
        return make.list(all(node.items, place));
      case "dict":
        return make.dictionary(
          node.items.map(([key, value]) => [expression(key, place), expression(value, place)] as const),
        );
      case "slice":
        return sliceOf(node, place);
      case "nsref":
        throw source.error("a namespace attribute can only be set", node.at);
    }
  };

  const operation = (op: BinaryOperator, left: Expr, right: Expr, place: Place): Expression => {
    const first = expression(left, place);
    return right.kind === "const"
      ? make.binaryWith(arithmetic[op], first, right.value)
      : make.binary(arithmetic[op], first, expression(right, place));
  };

  const all = (nodes: readonly Expr[], place: Place): Expression[] =>
    nodes.map((node) => expression(node, place));

  const name = (node: NameNode, place: Place): Expression => {
    const slot = place.scope.find(node.name);
    if (slot === undefined) return make.contextName(node.name);
    if (slot.owner === place.owner) return make.ownName(slot.index, node.name);
    return make.outerName(slotReader(slot, place.owner), node.name);
  };

  const member = ({ node, attr }: GetattrNode, place: Place): Expression => {
    if (attr === "__name__" && node.kind === "getattr" && node.attr === "__class__")
      return make.className(expression(node.node, place), attr);
    const value = expression(node, place);
    return isDictMethod(attr) ? make.attributeOf(value, attr) : make.memberOf(value, attr);
  };

  const subscript = (node: Expr, arg: Expr, place: Place): Expression => {
    const value = expression(node, place);
    if (arg.kind === "slice") return make.sliceOf(value, sliceOf(arg, place));
    if (arg.kind === "const" && typeof arg.value === "string") return make.itemOf(value, arg.value);
    return make.subscriptOf(value, expression(arg, place));
  };

  const sliceOf = (node: Expr & { kind: "slice" }, place: Place) => {
    const bound = (one: Expr | undefined): Expression =>
      one === undefined ? make.constant(null) : expression(one, place);
    return make.slice(bound(node.start), bound(node.stop), bound(node.step));
  };

  const comparison = (
    node: Expr,
    ops: readonly (readonly [CompareOperator, Expr])[],
    place: Place,
  ): Expression => {
    const first = expression(node, place);
    const [op] = ops;
    if (ops.length === 1 && op?.[1].kind === "const")
      return make.comparedTo(first, comparisons[op[0]], op[1].value);
    const rest = ops.map(([op, operand]) => [comparisons[op], expression(operand, place)] as const);
    const [only] = rest;
    return rest.length === 1 && only !== undefined
      ? make.compared(first, ...only)
      : make.comparedInTurn(first, rest);
  };

  const condition = (test: Expr, yes: Expr, no: Expr | undefined, place: Place, at: number): Expression => {
    const holds = expression(test, place);
    const then = expression(yes, place);
    if (no !== undefined) return make.conditional(holds, then, expression(no, place));
    const { line, template } = source.place(at);
    const where = template === undefined ? `line ${line}` : `line ${line} in '${template}'`;
    const hint = `the inline if-expression on ${where} evaluated to false and no else section was defined.`;
    return make.conditional(holds, then, make.undefinedWith(hint));
  };

  const invocation = (node: CallNode, place: Place, caller: Expression | undefined): Expression => {
    const given = compileArguments(node, place, expression);
    const args =
      caller === undefined ? given : { ...given, fixed: undefined, kwargs: withCaller(given, caller) };
    return node.node.kind === "getattr"
      ? make.memberInvoked(expression(node.node.node, place), node.node.attr, args)
      : make.invoked(expression(node.node, place), args);
  };

  const unknown = (kind: "filter" | "test", wanted: string, place: Place, at: number): Expression => {
    const hint =
      kind === "filter" ? filterHint(wanted, unit.filters.keys()) : testHint(wanted, unit.tests.keys());
    const why = (kind === "filter" && whyAbsent(wanted)) || hint;
    if (!place.soft) throw source.error(`No ${kind} named '${wanted}'.${why}`, at);
    return make.failing(`No ${kind} named '${wanted}' found.${why}`);
  };

  const filterOf = (node: FilterNode, place: Place, given: Expression | undefined): Expression => {
    const apply = unit.filters.get(node.name);
    if (apply === undefined) return unknown("filter", node.name, place, node.at);
    let input: Expression = given ?? make.constant(null);
    if (node.node !== undefined) {
      input = node.node.kind === "filter" ? filterOf(node.node, place, given) : expression(node.node, place);
    }
    const args = compileArguments(node, place, expression);
    return make.filtered(input, args, {
      apply,
      blame: { what: `filter '${node.name}'`, source, at: node.at },
    });
  };

  const testOf = (node: Expr & { kind: "test" }, place: Place): Expression => {
    const value = expression(node.node, place);
    const apply = unit.tests.get(node.name);
    if (apply === undefined) return unknown("test", node.name, place, node.at);
    if (node.name === "defined" && node.args.length === 0 && node.kwargs.length === 0)
      return make.isDefined(value);
    const args = compileArguments(node, place, expression);
    return make.tested(value, args, { apply, blame: { what: `test '${node.name}'`, source, at: node.at } });
  };

  return {
    expression,
    filter: filterOf,
    callWith: invocation,
  };
}

function withCaller(given: ReturnType<typeof compileArguments>, caller: Expression) {
  return (frame: Frame) => new Map([...(given.kwargs(frame) ?? []), ["caller", caller(frame)] as const]);
}

/** Captured text as a value: safe HTML where escaping is on. */
export function captured(text: string, escaping: { on: boolean; dynamic: boolean }, frame: Frame): Value {
  return (escaping.dynamic ? frame.context.autoescape : escaping.on) ? new Markup(text) : text;
}
