/**
 * Compiles expressions to closures over a frame. Each closure keeps only what it needs and no compiler state,
 * because the data that a render touches must fit the CPU cache.
 */

import {
  type Operator as Arithmetic,
  arithmetic,
  comparisons,
  escapeValue,
  Markup,
  type Meter,
  negate,
  newSite,
  PyDict,
  PyFloat,
  PyObject,
  PySlice,
  PyTuple,
  positive,
  str,
  truth,
  typeName,
  Undefined,
  type Value,
} from "../../python/index.ts";
import { getAttribute, getSlice, getSubscript, isDictMethod } from "../run/access.ts";
import type { Expression, Frame } from "../run/runtime.ts";
import type { Arguments, CompareOperator, Expr, ExprKind, NodeOf } from "../syntax/nodes.ts";
import { compileCall, compileFilter, compileTest } from "./call.ts";
import { type Place, slotReader, softPlace, type Unit } from "./unit.ts";

type Compile<Kind extends ExprKind> = (node: NodeOf<Kind>, place: Place, unit: Unit) => Expression;

export function compileExpression<Kind extends ExprKind>(
  node: NodeOf<Kind>,
  place: Place,
  unit: Unit,
): Expression {
  const compile: Compile<Kind> = compilers[node.kind];
  return compile(node, place, unit);
}

const compileAll = (nodes: readonly Expr[], place: Place, unit: Unit): Expression[] =>
  nodes.map((node) => unit.expression(node, place));

const compileName: Compile<"name"> = ({ name }, { scope, owner }) => {
  const slot = scope.find(name);
  // The context may define it at run time.
  if (slot === undefined) return (frame) => frame.context.lookUp(name);
  const { index } = slot;
  if (slot.owner === owner) {
    return (frame) => {
      const value = frame.slots[index];
      return value === undefined ? frame.context.undefinedName(name) : value;
    };
  }
  const read = slotReader(slot, owner);
  return (frame) => {
    const value = read(frame);
    return value === undefined ? frame.context.undefinedName(name) : value;
  };
};

const compileMember: Compile<"getattr"> = ({ node, attr }, place, unit) => {
  // `x.__class__.__name__` is the only use of a class in templates: the name of a value's type.
  if (attr === "__name__" && node.kind === "getattr" && node.attr === "__class__") {
    const value = unit.expression(node.node, place);
    return (frame) => {
      const object = value(frame);
      return object instanceof Undefined ? getAttribute(object, attr, frame.context) : typeName(object);
    };
  }
  const value = unit.expression(node, place);
  if (isDictMethod(attr)) return (frame) => getAttribute(value(frame), attr, frame.context);
  return keyed(value, attr, getAttribute);
};

/** Looks up a name that is usually a dictionary key, through an inline cache. */
function keyed(value: Expression, key: string, otherwise: typeof getAttribute): Expression {
  const site = newSite();
  return (frame) => {
    const object = value(frame);
    const found = object instanceof PyDict ? object.getAt(key, site) : undefined;
    return found === undefined ? otherwise(object, key, frame.context) : found;
  };
}

const compileSubscript: Compile<"getitem"> = ({ node, arg }, place, unit) => {
  const value = unit.expression(node, place);
  if (arg.kind === "const" && typeof arg.value === "string") return keyed(value, arg.value, getSubscript);
  if (arg.kind === "slice") {
    const bounds = compileSlice(arg, place, unit);
    return (frame) => {
      const object = value(frame);
      return getSlice(object, bounds(frame), frame.context);
    };
  }
  const key = unit.expression(arg, place);
  return (frame) => getSubscript(value(frame), key(frame), frame.context);
};

function compileSlice(
  { start, stop, step }: NodeOf<"slice">,
  place: Place,
  unit: Unit,
): (frame: Frame) => PySlice {
  const bound = (node: Expr | undefined): Expression =>
    node === undefined ? () => null : unit.expression(node, place);
  const [from, to, by] = [bound(start), bound(stop), bound(step)];
  return (frame) => new PySlice(from(frame), to(frame), by(frame));
}

type Operator = (a: Value, b: Value, meter: Meter) => Value;

const operators: Readonly<Record<Arithmetic | CompareOperator, Operator>> = {
  ...arithmetic,
  ...comparisons,
};

/**
 * The reference writes a constant base as a literal without parentheses, so the sign of a negative one
 * applies to the power: `(-2) ** n` is -(2 ** n).
 */
const powerOfConstant: Operator = (base, exponent, meter) => {
  const number = base instanceof PyFloat ? base.value : base;
  const negative = Object.is(number, -0) ? base instanceof PyFloat : isNumber(number) && number < 0;
  const power = arithmetic["**"];
  return negative ? negate(power(negate(base), exponent, meter)) : power(base, exponent, meter);
};

const isNumber = (value: Value): value is number | bigint =>
  typeof value === "number" || typeof value === "bigint";

function operation(apply: Operator, left: Expr, right: Expr, place: Place, unit: Unit): Expression {
  const first = unit.expression(left, place);
  if (right.kind === "const") {
    const { value } = right;
    return (frame) => apply(first(frame), value, frame.context.meter);
  }
  const second = unit.expression(right, place);
  return (frame) => apply(first(frame), second(frame), frame.context.meter);
}

const compileComparison: Compile<"compare"> = ({ node, ops }, place, unit) => {
  const [only] = ops;
  if (ops.length === 1 && only !== undefined)
    return operation(operators[only[0]], node, only[1], place, unit);
  const first = unit.expression(node, place);
  const rest = ops.map(([op, operand]) => [operators[op], unit.expression(operand, place)] as const);
  return (frame) => {
    let left = first(frame);
    for (const [holds, operand] of rest) {
      const right = operand(frame);
      if (holds(left, right, frame.context.meter) === false) return false;
      left = right;
    }
    return true;
  };
};

const compileLogic: Compile<"logic"> = (node, place, unit) => {
  const left = unit.expression(node.left, place);
  const right = unit.expression(node.right, place);
  if (node.op === "and") {
    return (frame) => {
      const value = left(frame);
      return truth(value) ? right(frame) : value;
    };
  }
  return (frame) => {
    const value = left(frame);
    return truth(value) ? value : right(frame);
  };
};

const compileUnary: Compile<"unary"> = ({ op, node }, place, unit) => {
  const operand = unit.expression(node, place);
  if (op === "not") return (frame) => !truth(operand(frame));
  const apply = op === "-" ? negate : positive;
  return (frame) => apply(operand(frame));
};

const compileCondition: Compile<"cond"> = ({ test, yes, no, at }, outside, unit) => {
  const place = softPlace(outside);
  const holds = unit.expression(test, place);
  const then = unit.expression(yes, place);
  if (no !== undefined) {
    const otherwise = unit.expression(no, place);
    return (frame) => (truth(holds(frame)) ? then(frame) : otherwise(frame));
  }
  const { line, template } = unit.source.place(at);
  const where = template === undefined ? `line ${line}` : `line ${line} in '${template}'`;
  const hint = `the inline if-expression on ${where} evaluated to false and no else section was defined.`;
  return (frame) => (truth(holds(frame)) ? then(frame) : new Undefined("Undefined", hint));
};

const isHtml = (value: Value): boolean =>
  value instanceof Markup || (value instanceof PyObject && value.html !== undefined);

/**
 * `a ~ b ~ c`. If escaping is known to be on, the result is safe HTML once one part is. A constant
 * expression, which the reference evaluates at compile time, always gives plain text.
 */
const compileConcatenation: Compile<"concat"> = (node, place, unit) => {
  const items = compileAll(node.items, place, unit);
  const markup = unit.escaping.on && !unit.escaping.dynamic && !isConstant(node);
  return (frame) => {
    const { meter } = frame.context;
    const values = items.map((item) => item(frame));
    const html = markup && values.some(isHtml);
    let text = "";
    for (const value of values) text += html ? escapeValue(value, meter).value : str(value, meter);
    meter.text(text.length);
    return html ? new Markup(text) : text;
  };
};

const compilers: { readonly [Kind in ExprKind]: Compile<Kind> } = {
  const:
    ({ value }) =>
    () =>
      value,
  name: compileName,
  getattr: compileMember,
  getitem: compileSubscript,
  slice: compileSlice,
  call: compileCall,
  filter: compileFilter,
  test: compileTest,
  compare: compileComparison,
  logic: compileLogic,
  unary: compileUnary,
  cond: compileCondition,
  concat: compileConcatenation,
  binary: ({ op, left, right }, place, unit) => {
    const folded = op === "**" && isConstant(left) && !isConstant(right) && !unit.escaping.dynamic;
    return operation(folded ? powerOfConstant : operators[op], left, right, place, unit);
  },
  tuple: (node, place, unit) => {
    const items = compileAll(node.items, place, unit);
    return (frame) => new PyTuple(items.map((item) => item(frame)));
  },
  list: (node, place, unit) => {
    const items = compileAll(node.items, place, unit);
    return (frame) => items.map((item) => item(frame));
  },
  dict: (node, place, unit) => {
    const pairs = node.items.map(
      ([key, value]) => [unit.expression(key, place), unit.expression(value, place)] as const,
    );
    return (frame) => {
      const dict = new PyDict();
      for (const [key, value] of pairs) dict.set(key(frame), value(frame));
      return dict;
    };
  },
  nsref: (node, _place, { source }) => {
    throw source.error("a namespace attribute can only be set", node.at);
  },
};

/** These use the context, so they run at render time. */
const LATE: ReadonlySet<string> = new Set(["map", "select", "reject", "selectattr", "rejectattr", "random"]);

const areConstant = (nodes: readonly (Expr | undefined)[]): boolean =>
  nodes.every((node) => node === undefined || isConstant(node));

const hasConstantArguments = ({ args, kwargs, dynArgs, dynKwargs }: Arguments): boolean =>
  areConstant([...args, ...kwargs.map(([, value]) => value), dynArgs, dynKwargs]);

/** Finds expressions that the reference folds at compile time: literals, operators, filters and tests on them. */
function isConstant(node: Expr): boolean {
  switch (node.kind) {
    case "const":
      return true;
    case "tuple":
    case "list":
    case "concat":
      return areConstant(node.items);
    case "dict":
      return areConstant(node.items.flat());
    case "cond":
      return node.no !== undefined && areConstant([node.test, node.yes, node.no]);
    case "binary":
    case "logic":
      return areConstant([node.left, node.right]);
    case "unary":
    case "getattr":
      return isConstant(node.node);
    case "compare":
      return areConstant([node.node, ...node.ops.map(([, operand]) => operand)]);
    case "getitem":
      return areConstant([node.node, node.arg]);
    case "slice":
      return areConstant([node.start, node.stop, node.step]);
    case "test":
      return isConstant(node.node) && hasConstantArguments(node);
    case "filter":
      return (
        node.node !== undefined && !LATE.has(node.name) && isConstant(node.node) && hasConstantArguments(node)
      );
    default:
      return false;
  }
}
