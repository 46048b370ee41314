/**
 * Expressions as functions of the frame. Made here and not where they are compiled, so that each keeps
 * what it needs and nothing of the compiler: what a render touches has to stay in the processor's cache.
 */
import { negate, positive } from "../python/arith.ts";
import { PyDict } from "../python/dict.ts";
import { blamed, PyError } from "../python/errors.ts";
import type { Meter } from "../python/limits.ts";
import { newSite } from "../python/shape.ts";
import { PySlice } from "../python/slice.ts";
import { PyTuple, truth, typeName, Undefined, type Value } from "../python/values.ts";
import { call, callMember, getAttribute, getSlice, getSubscript } from "./access.ts";
import type { CompiledArguments } from "./compile-arguments.ts";
import { concatenate } from "./compile-operators.ts";
import type { Filter, Test } from "./filter.ts";
import type { Expression, Frame } from "./runtime.ts";
import type { Source } from "./source.ts";

type Operator = (a: Value, b: Value, meter: Meter) => Value;

export function constant(value: Value): Expression {
  return () => value;
}

/** A name that no scope knows: the context may have it when the time comes. */
export function contextName(variable: string): Expression {
  return (frame) => frame.context.lookUp(variable);
}

export function ownName(index: number, variable: string): Expression {
  return (frame) => {
    const value = frame.slots[index];
    return value === undefined ? frame.context.undefinedName(variable) : value;
  };
}

export function outerName(read: (frame: Frame) => Value | undefined, variable: string): Expression {
  return (frame) => {
    const value = read(frame);
    return value === undefined ? frame.context.undefinedName(variable) : value;
  };
}

export function binary(apply: Operator, left: Expression, right: Expression): Expression {
  return (frame) => apply(left(frame), right(frame), frame.context.meter);
}

export function binaryWith(apply: Operator, left: Expression, value: Value): Expression {
  return (frame) => apply(left(frame), value, frame.context.meter);
}

export function logic(op: "and" | "or", left: Expression, right: Expression): Expression {
  if (op === "and") {
    return (frame) => {
      const value = left(frame);
      return truth(value) ? right(frame) : value;
    };
  }
  return (frame) => {
    const value = left(frame);
    return truth(value) ? value : right(frame);
  };
}

export function unary(op: string, operand: Expression): Expression {
  if (op === "not") return (frame) => !truth(operand(frame));
  return op === "-" ? (frame) => negate(operand(frame)) : (frame) => positive(operand(frame));
}

export function concatenation(items: readonly Expression[], markup: boolean): Expression {
  return (frame) =>
    concatenate(
      items.map((item) => item(frame)),
      markup,
      frame.context.meter,
    );
}

export function list(items: readonly Expression[]): Expression {
  return (frame) => items.map((item) => item(frame));
}

export function tuple(items: readonly Expression[]): Expression {
  return (frame) => new PyTuple(items.map((item) => item(frame)));
}

export function dictionary(pairs: readonly (readonly [Expression, Expression])[]): Expression {
  return (frame) => {
    const dict = new PyDict();
    for (const [key, value] of pairs) dict.set(key(frame), value(frame));
    return dict;
  };
}

export function slice(start: Expression, stop: Expression, step: Expression): (frame: Frame) => PySlice {
  return (frame) => new PySlice(start(frame), stop(frame), step(frame));
}

/** The one use of a class that templates have: asking for the name of a value's type. */
export function className(value: Expression, attr: string): Expression {
  return (frame) => {
    const one = value(frame);
    return one instanceof Undefined ? getAttribute(one, attr, frame.context) : typeName(one);
  };
}

export function attributeOf(value: Expression, attr: string): Expression {
  return (frame) => getAttribute(value(frame), attr, frame.context);
}

/** An attribute that most often is a key of a dictionary. */
export function memberOf(value: Expression, attr: string): Expression {
  const site = newSite();
  return (frame) => {
    const one = value(frame);
    const found = one instanceof PyDict ? one.getAt(attr, site) : undefined;
    return found === undefined ? getAttribute(one, attr, frame.context) : found;
  };
}

export function itemOf(value: Expression, key: string): Expression {
  const site = newSite();
  return (frame) => {
    const one = value(frame);
    const found = one instanceof PyDict ? one.getAt(key, site) : undefined;
    return found === undefined ? getSubscript(one, key, frame.context) : found;
  };
}

export function subscriptOf(value: Expression, key: Expression): Expression {
  return (frame) => getSubscript(value(frame), key(frame), frame.context);
}

export function sliceOf(value: Expression, bounds: (frame: Frame) => PySlice): Expression {
  return (frame) => {
    const one = value(frame);
    return getSlice(one, bounds(frame), frame.context);
  };
}

type Comparison = (a: Value, b: Value, meter: Meter) => boolean;

export function compared(first: Expression, holds: Comparison, second: Expression): Expression {
  return (frame) => holds(first(frame), second(frame), frame.context.meter);
}

export function comparedTo(first: Expression, holds: Comparison, value: Value): Expression {
  return (frame) => holds(first(frame), value, frame.context.meter);
}

/** `a < b < c`. */
export function comparedInTurn(
  first: Expression,
  rest: readonly (readonly [Comparison, Expression])[],
): Expression {
  return (frame) => {
    let left = first(frame);
    for (const [holds, operand] of rest) {
      const right = operand(frame);
      if (!holds(left, right, frame.context.meter)) return false;
      left = right;
    }
    return true;
  };
}

export function conditional(holds: Expression, yes: Expression, no: Expression): Expression {
  return (frame) => (truth(holds(frame)) ? yes(frame) : no(frame));
}

export function invoked(target: Expression, { fixed, args, kwargs }: CompiledArguments): Expression {
  if (fixed !== undefined) return (frame) => call(target(frame), fixed, undefined, frame.context);
  return (frame) => call(target(frame), args(frame), kwargs(frame), frame.context);
}

export function memberInvoked(
  value: Expression,
  attr: string,
  { fixed, args, kwargs }: CompiledArguments,
): Expression {
  if (fixed !== undefined) return (frame) => callMember(value(frame), attr, fixed, undefined, frame.context);
  return (frame) => callMember(value(frame), attr, args(frame), kwargs(frame), frame.context);
}

export interface Application<Apply> {
  readonly apply: Apply;
  /** Added to the errors it throws. */
  readonly blame: Blame;
}

export interface Blame {
  /** `filter 'upper'`. */
  readonly what: string;
  readonly source: Source;
  readonly at: number;
}

function blamedBy(error: unknown, { what, source, at }: Blame): unknown {
  return blamed(error, what, source.place(at));
}

export function filtered(
  input: Expression,
  { fixed, args, kwargs }: CompiledArguments,
  application: Application<Filter>,
): Expression {
  if (fixed !== undefined) return filteredWith(input, fixed, application);
  const { apply, blame } = application;
  return (frame) => {
    const { context } = frame;
    context.meter.step();
    const value = input(frame);
    const given = args(frame);
    const named = kwargs(frame);
    try {
      return apply(value, given, named, context);
    } catch (error) {
      throw blamedBy(error, blame);
    }
  };
}

function filteredWith(
  input: Expression,
  args: readonly Value[],
  { apply, blame }: Application<Filter>,
): Expression {
  return (frame) => {
    const { context } = frame;
    context.meter.step();
    const value = input(frame);
    try {
      return apply(value, args, undefined, context);
    } catch (error) {
      throw blamedBy(error, blame);
    }
  };
}

export function tested(
  input: Expression,
  { fixed, args, kwargs }: CompiledArguments,
  { apply, blame }: Application<Test>,
): Expression {
  return (frame) => {
    const value = input(frame);
    const given = fixed ?? args(frame);
    const named = fixed === undefined ? kwargs(frame) : undefined;
    try {
      return apply(value, given, named, frame.context);
    } catch (error) {
      throw blamedBy(error, blame);
    }
  };
}

export function isDefined(input: Expression): Expression {
  return (frame) => !(input(frame) instanceof Undefined);
}

export function failing(message: string): Expression {
  return () => {
    throw new PyError("TemplateRuntimeError", message);
  };
}

export function undefinedWith(hint: string): Expression {
  return () => new Undefined("Undefined", hint);
}
