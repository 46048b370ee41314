/** Compiles call arguments: positional, keyword, `*` and `**`. */
import { PyDict } from "../python/dict.ts";
import { typeError } from "../python/errors.ts";
import { itemsOf } from "../python/iterate.ts";
import { isText, type Kwargs, textOf, typeName, type Value } from "../python/values.ts";
import type { Arguments } from "./nodes.ts";
import type { Expression, Frame } from "./runtime.ts";
import type { CompileExpression, Place } from "./unit.ts";

export interface CompiledArguments {
  /** Literals only, and no keywords: what is given is the same every time. */
  readonly fixed: readonly Value[] | undefined;
  args(frame: Frame): readonly Value[];
  kwargs(frame: Frame): Kwargs | undefined;
}

const NONE: readonly Value[] = [];

export function compileArguments(
  node: Arguments,
  place: Place,
  compile: CompileExpression,
): CompiledArguments {
  const positional = node.args.map((arg) => compile(arg, place));
  const keywords = node.kwargs.map(([name, value]) => [name, compile(value, place)] as const);
  const dynArgs = node.dynArgs === undefined ? undefined : compile(node.dynArgs, place);
  const dynKwargs = node.dynKwargs === undefined ? undefined : compile(node.dynKwargs, place);
  const plain = node.kwargs.length === 0 && dynArgs === undefined && dynKwargs === undefined;
  const literals = node.args.flatMap((arg) => (arg.kind === "const" ? [arg.value] : []));
  const fixed = plain && literals.length === node.args.length ? literals : undefined;
  return { fixed, args: positionals(positional, dynArgs), kwargs: keywordMap(keywords, dynKwargs) };
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
): (frame: Frame) => Kwargs | undefined {
  if (keywords.length === 0 && dynamic === undefined) return () => undefined;
  return (frame) => {
    const map = new Map<string, Value>();
    for (const [name, value] of keywords) map.set(name, value(frame));
    if (dynamic !== undefined) addAll(map, dynamic(frame));
    return map;
  };
}

function addAll(map: Map<string, Value>, source: Value): void {
  if (!(source instanceof PyDict)) {
    throw typeError(`argument after ** must be a mapping, not ${typeName(source)}`);
  }
  for (const [key, value] of source.entries()) {
    if (!isText(key)) throw typeError("keywords must be strings");
    const name = textOf(key);
    if (map.has(name)) throw typeError(`got multiple values for keyword argument '${name}'`);
    map.set(name, value);
  }
}
