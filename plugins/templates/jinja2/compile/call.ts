/** Compiles calls, filters and tests with their arguments. */

import {
  blamed,
  isText,
  itemsOf,
  type Kwargs,
  PyDict,
  PyError,
  textOf,
  typeError,
  typeName,
  Undefined,
  type Value,
} from "../../python/index.ts";
import type { Apply } from "../filters/kinds.ts";
import { call, callMember } from "../run/access.ts";
import type { Expression, Frame } from "../run/runtime.ts";
import { whyAbsent } from "../syntax/absent.ts";
import { filterHint, testHint } from "../syntax/hints.ts";
import type { Arguments, NodeOf } from "../syntax/nodes.ts";
import type { Source } from "../syntax/source.ts";
import type { Place, Unit } from "./unit.ts";

interface CompiledArguments {
  /** Set if all arguments are literals and none is a keyword argument. */
  readonly fixed: readonly Value[] | undefined;
  args(frame: Frame): readonly Value[];
  kwargs(frame: Frame): Kwargs | undefined;
}

const NONE: readonly Value[] = [];

/** @param caller the caller that a call block passes */
function compileArguments(node: Arguments, place: Place, unit: Unit, caller?: Expression): CompiledArguments {
  const positional = node.args.map((arg) => unit.expression(arg, place));
  const keywords = node.kwargs.map(([name, value]) => [name, unit.expression(value, place)] as const);
  const dynArgs = node.dynArgs && unit.expression(node.dynArgs, place);
  const dynKwargs = node.dynKwargs && unit.expression(node.dynKwargs, place);
  const plain = node.kwargs.length === 0 && !dynArgs && !dynKwargs && !caller;
  const literals = node.args.flatMap((arg) => (arg.kind === "const" ? [arg.value] : []));
  return {
    fixed: plain && literals.length === node.args.length ? literals : undefined,
    args: positionals(positional, dynArgs),
    kwargs: keywordMap(keywords, dynKwargs, caller),
  };
}

function positionals(
  args: readonly Expression[],
  dynamic: Expression | undefined,
): (frame: Frame) => readonly Value[] {
  if (dynamic !== undefined) {
    return (frame) => [...args.map((arg) => arg(frame)), ...itemsOf(dynamic(frame), frame.context.meter)];
  }
  const [first, second, third] = args;
  if (first === undefined) return () => NONE;
  if (second === undefined) return (frame) => [first(frame)];
  if (third === undefined) return (frame) => [first(frame), second(frame)];
  return (frame) => args.map((arg) => arg(frame));
}

function keywordMap(
  keywords: readonly (readonly [string, Expression])[],
  dynamic: Expression | undefined,
  caller: Expression | undefined,
): (frame: Frame) => Kwargs | undefined {
  if (keywords.length === 0 && dynamic === undefined && caller === undefined) return () => undefined;
  return (frame) => {
    const map = new Map<string, Value>();
    for (const [name, value] of keywords) map.set(name, value(frame));
    if (dynamic !== undefined) addAll(map, dynamic(frame));
    if (caller !== undefined) map.set("caller", caller(frame));
    return map;
  };
}

function addAll(map: Map<string, Value>, source: Value): void {
  if (!(source instanceof PyDict))
    throw typeError(`argument after ** must be a mapping, not ${typeName(source)}`);
  for (const [key, value] of source.entries()) {
    if (!isText(key)) throw typeError("keywords must be strings");
    const name = textOf(key);
    if (map.has(name)) throw typeError(`got multiple values for keyword argument '${name}'`);
    map.set(name, value);
  }
}

export function compileCall(node: NodeOf<"call">, place: Place, unit: Unit, caller?: Expression): Expression {
  const { fixed, args, kwargs } = compileArguments(node, place, unit, caller);
  if (node.node.kind === "getattr") {
    const value = unit.expression(node.node.node, place);
    const { attr } = node.node;
    if (fixed !== undefined)
      return (frame) => callMember(value(frame), attr, fixed, undefined, frame.context);
    return (frame) => callMember(value(frame), attr, args(frame), kwargs(frame), frame.context);
  }
  const target = unit.expression(node.node, place);
  if (fixed !== undefined) return (frame) => call(target(frame), fixed, undefined, frame.context);
  return (frame) => call(target(frame), args(frame), kwargs(frame), frame.context);
}

/** An unknown filter or test: an error at compile time, or at run time if it is in a conditional branch. */
function unknown(subject: string, hint: string, { soft }: Place, { source }: Unit, at: number): Expression {
  if (!soft) throw source.error(`No ${subject}.${hint}`, at);
  return () => {
    throw new PyError("TemplateRuntimeError", `No ${subject} found.${hint}`);
  };
}

/** Context for the errors of a filter or test. */
interface Blame {
  readonly kind: "filter" | "test";
  readonly name: string;
  readonly source: Source;
  readonly at: number;
}

function applied(
  apply: Apply<Value>,
  input: Expression,
  { fixed, args, kwargs }: CompiledArguments,
  { kind, name, source, at }: Blame,
): Expression {
  const isFilter = kind === "filter";
  return (frame) => {
    const { context } = frame;
    if (isFilter) context.meter.step();
    const value = input(frame);
    const positional = fixed ?? args(frame);
    const named = fixed === undefined ? kwargs(frame) : undefined;
    try {
      return apply(value, positional, named, context);
    } catch (error) {
      throw blamed(error, `${kind} '${name}'`, source.place(at));
    }
  };
}

/** @param captured the captured text of a filter block */
export function compileFilter(
  node: NodeOf<"filter">,
  place: Place,
  unit: Unit,
  captured: Expression = () => null,
): Expression {
  const { name, at } = node;
  const apply = unit.filters.get(name);
  if (apply === undefined) {
    const hint = whyAbsent(name) || filterHint(name, unit.filters.keys());
    return unknown(`filter named '${name}'`, hint, place, unit, at);
  }
  let input = captured;
  if (node.node?.kind === "filter") input = compileFilter(node.node, place, unit, captured);
  else if (node.node !== undefined) input = unit.expression(node.node, place);
  const args = compileArguments(node, place, unit);
  return applied(apply, input, args, { kind: "filter", name, source: unit.source, at });
}

export function compileTest(node: NodeOf<"test">, place: Place, unit: Unit): Expression {
  const { name, at } = node;
  const input = unit.expression(node.node, place);
  const apply = unit.tests.get(name);
  if (apply === undefined)
    return unknown(`test named '${name}'`, testHint(name, unit.tests.keys()), place, unit, at);
  if (name === "defined" && node.args.length === 0 && node.kwargs.length === 0)
    return (frame) => !(input(frame) instanceof Undefined);
  const args = compileArguments(node, place, unit);
  return applied(apply, input, args, { kind: "test", name, source: unit.source, at });
}
