/** Compiles expressions into functions of the frame. */
import { negate, positive } from "../python/arith.ts";
import { PyDict } from "../python/dict.ts";
import { blamed, PyError } from "../python/errors.ts";
import type { Site } from "../python/shape.ts";
import { PySlice } from "../python/slice.ts";
import { Markup, PyTuple, truth, typeName, Undefined, type Value } from "../python/values.ts";
import { whyAbsent } from "./absent.ts";
import { call, callMember, getAttribute, getSlice, getSubscript, isDictMethod } from "./access.ts";
import { compileArguments } from "./compile-arguments.ts";
import { binaryOperators, comparisons, concatenate } from "./compile-operators.ts";
import type { CallNode, CompareOperator, Expr, FilterNode, GetattrNode, NameNode } from "./nodes.ts";
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
  const expression = (node: Expr, place: Place): Expression => {
    switch (node.kind) {
      case "name":
        return name(node, place);
      case "const": {
        const { value } = node;
        return () => value;
      }
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
      case "binary": {
        const apply = binaryOperators[node.op];
        const left = expression(node.left, place);
        const right = expression(node.right, place);
        return (frame) => apply(left(frame), right(frame), frame.context.meter);
      }
      case "logic": {
        const left = expression(node.left, place);
        const right = expression(node.right, place);
        return node.op === "and"
          ? (frame) => {
              const value = left(frame);
              return truth(value) ? right(frame) : value;
            }
          : (frame) => {
              const value = left(frame);
              return truth(value) ? value : right(frame);
            };
      }
      case "unary": {
        const operand = expression(node.node, place);
        if (node.op === "not") return (frame) => !truth(operand(frame));
        return node.op === "-" ? (frame) => negate(operand(frame)) : (frame) => positive(operand(frame));
      }
      case "concat": {
        const items = node.items.map((item) => expression(item, place));
        const markup = unit.escaping.on && !unit.escaping.dynamic;
        return (frame) =>
          concatenate(
            items.map((item) => item(frame)),
            markup,
            frame.context.meter,
          );
      }
      case "cond":
        return condition(node.test, node.yes, node.no, softPlace(place), node.at);
      case "tuple": {
        const items = node.items.map((item) => expression(item, place));
        return (frame) => new PyTuple(items.map((item) => item(frame)));
      }
      case "list": {
        const items = node.items.map((item) => expression(item, place));
        return (frame) => items.map((item) => item(frame));
      }
      case "dict":
        return dictionary(node.items, place);
      case "slice":
        return sliceOf(node, place);
      case "nsref":
        throw unit.source.error("a namespace attribute can only be set", node.at);
    }
  };

  const name = (node: NameNode, place: Place): Expression => {
    const slot = place.scope.find(node.name);
    const variable = node.name;
    if (slot === undefined) return (frame) => frame.context.lookUp(variable);
    const { index, owner } = slot;
    if (owner === place.owner) {
      return (frame) => {
        const value = frame.slots[index];
        return value === undefined ? frame.context.undefinedName(variable) : value;
      };
    }
    const read = slotReader(slot, place.owner);
    return (frame) => {
      const value = read(frame);
      return value === undefined ? frame.context.undefinedName(variable) : value;
    };
  };

  const member = (node: GetattrNode, place: Place): Expression => {
    const { attr } = node;
    if (attr === "__name__" && node.node.kind === "getattr" && node.node.attr === "__class__") {
      // The one use of a class that templates have: asking for the name of a value's type.
      const value = expression(node.node.node, place);
      return (frame) => {
        const one = value(frame);
        return one instanceof Undefined ? getAttribute(one, attr, frame.context) : typeName(one);
      };
    }
    const value = expression(node.node, place);
    if (isDictMethod(attr)) return (frame) => getAttribute(value(frame), attr, frame.context);
    const site: Site = { shape: undefined, index: -1 };
    return (frame) => {
      const one = value(frame);
      const found = one instanceof PyDict ? one.getAt(attr, site) : undefined;
      return found === undefined ? getAttribute(one, attr, frame.context) : found;
    };
  };

  const subscript = (node: Expr, arg: Expr, place: Place): Expression => {
    const value = expression(node, place);
    if (arg.kind === "slice") {
      const bounds = sliceOf(arg, place);
      return (frame) => {
        const one = value(frame);
        return getSlice(one, bounds(frame), frame.context);
      };
    }
    if (arg.kind === "const" && typeof arg.value === "string") {
      const key = arg.value;
      const site: Site = { shape: undefined, index: -1 };
      return (frame) => {
        const one = value(frame);
        const found = one instanceof PyDict ? one.getAt(key, site) : undefined;
        return found === undefined ? getSubscript(one, key, frame.context) : found;
      };
    }
    const key = expression(arg, place);
    return (frame) => getSubscript(value(frame), key(frame), frame.context);
  };

  const sliceOf = (node: Expr & { kind: "slice" }, place: Place): ((frame: Frame) => PySlice) => {
    const bound = (one: Expr | undefined): Expression =>
      one === undefined ? () => null : expression(one, place);
    const start = bound(node.start);
    const stop = bound(node.stop);
    const step = bound(node.step);
    return (frame) => new PySlice(start(frame), stop(frame), step(frame));
  };

  const dictionary = (items: readonly (readonly [Expr, Expr])[], place: Place): Expression => {
    const pairs = items.map(([key, value]) => [expression(key, place), expression(value, place)] as const);
    return (frame) => {
      const dict = new PyDict();
      for (const [key, value] of pairs) dict.set(key(frame), value(frame));
      return dict;
    };
  };

  const comparison = (
    node: Expr,
    ops: readonly (readonly [CompareOperator, Expr])[],
    place: Place,
  ): Expression => {
    const first = expression(node, place);
    const rest = ops.map(([op, operand]) => [comparisons[op], expression(operand, place)] as const);
    const [only] = rest;
    if (rest.length === 1 && only !== undefined) {
      const [holds, operand] = only;
      return (frame) => holds(first(frame), operand(frame), frame.context.meter);
    }
    return (frame) => {
      let left = first(frame);
      for (const [holds, operand] of rest) {
        const right = operand(frame);
        if (!holds(left, right, frame.context.meter)) return false;
        left = right;
      }
      return true;
    };
  };

  const condition = (test: Expr, yes: Expr, no: Expr | undefined, place: Place, at: number): Expression => {
    const holds = expression(test, place);
    const then = expression(yes, place);
    if (no !== undefined) {
      const otherwise = expression(no, place);
      return (frame) => (truth(holds(frame)) ? then(frame) : otherwise(frame));
    }
    const { line, template } = unit.source.place(at);
    const where = template === undefined ? `line ${line}` : `line ${line} in '${template}'`;
    const hint = `the inline if-expression on ${where} evaluated to false and no else section was defined.`;
    return (frame) => (truth(holds(frame)) ? then(frame) : new Undefined("Undefined", hint));
  };

  const invocation = (node: CallNode, place: Place, caller: Expression | undefined): Expression => {
    const given = compileArguments(node, place, expression);
    const { args } = given;
    const kwargs =
      caller === undefined
        ? given.kwargs
        : (frame: Frame) => new Map([...(given.kwargs(frame) ?? []), ["caller", caller(frame)] as const]);
    if (node.node.kind === "getattr") {
      const value = expression(node.node.node, place);
      const { attr } = node.node;
      return (frame) => callMember(value(frame), attr, args(frame), kwargs(frame), frame.context);
    }
    const target = expression(node.node, place);
    return (frame) => call(target(frame), args(frame), kwargs(frame), frame.context);
  };

  const unknown = (kind: "filter" | "test", wanted: string, place: Place, at: number): Expression => {
    const why = kind === "filter" ? whyAbsent(wanted) : "";
    if (!place.soft) throw unit.source.error(`No ${kind} named '${wanted}'.${why}`, at);
    return () => {
      throw new PyError("TemplateRuntimeError", `No ${kind} named '${wanted}' found.${why}`);
    };
  };

  const filterOf = (node: FilterNode, place: Place, given: Expression | undefined): Expression => {
    const apply = unit.filters.get(node.name);
    if (apply === undefined) return unknown("filter", node.name, place, node.at);
    let input: Expression = given ?? (() => null);
    if (node.node !== undefined) {
      input = node.node.kind === "filter" ? filterOf(node.node, place, given) : expression(node.node, place);
    }
    const { args, kwargs } = compileArguments(node, place, expression);
    const { name: filterName, at } = node;
    return (frame) => {
      const { context } = frame;
      context.meter.step();
      const value = input(frame);
      const given = args(frame);
      const named = kwargs(frame);
      try {
        return apply(value, given, named, context);
      } catch (error) {
        throw blamed(error, `filter '${filterName}'`, unit.source.place(at));
      }
    };
  };

  const testOf = (node: Expr & { kind: "test" }, place: Place): Expression => {
    const value = expression(node.node, place);
    const apply = unit.tests.get(node.name);
    if (apply === undefined) return unknown("test", node.name, place, node.at);
    if (node.name === "defined" && node.args.length === 0)
      return (frame) => !(value(frame) instanceof Undefined);
    const { args, kwargs } = compileArguments(node, place, expression);
    const { name: testName, at } = node;
    return (frame) => {
      const one = value(frame);
      const given = args(frame);
      const named = kwargs(frame);
      try {
        return apply(one, given, named, frame.context);
      } catch (error) {
        throw blamed(error, `test '${testName}'`, unit.source.place(at));
      }
    };
  };

  return {
    expression,
    filter: filterOf,
    callWith: invocation,
  };
}

/** Captured text as a value: safe HTML where escaping is on. */
export function captured(text: string, escaping: { on: boolean; dynamic: boolean }, frame: Frame): Value {
  return (escaping.dynamic ? frame.context.autoescape : escaping.on) ? new Markup(text) : text;
}
