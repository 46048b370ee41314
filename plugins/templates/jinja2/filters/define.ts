/** How filters and tests are written down: their signature, which reads what they are given, and their body. */
import { type Signature, signature } from "../../python/args.ts";
import { PyError, typeError } from "../../python/errors.ts";
import { itemsOf } from "../../python/iterate.ts";
import { str } from "../../python/repr.ts";
import { indexOf } from "../../python/slice.ts";
import {
  isText,
  Markup,
  PyFloat,
  textOf,
  truth,
  typeName,
  Undefined,
  type Value,
} from "../../python/values.ts";
import type { Apply, Filter, FilterContext, Test } from "../filter.ts";

/** By name; an alias has an entry of its own. */
export type FilterEntries = readonly (readonly [string, Filter])[];
export type TestEntries = readonly (readonly [string, Test])[];

/** Makes of a value what a body takes, or throws Python's error. */
export type Read<T> = (value: Value, context: FilterContext) => T;

/** Text and nothing else. @param needed what the error says in front of `, not int`. */
export function onlyText(needed: string): Read<string> {
  return (value) => {
    if (isText(value)) return textOf(value);
    throw value instanceof Undefined ? value.fail() : typeError(`${needed}, not ${typeName(value)}`);
  };
}

/** The text of a value; Markup stays what it is. */
export const softText: Read<string | Markup> = (value, { meter }) =>
  isText(value) ? value : str(value, meter);

export const plainText: Read<string> = (value, { meter }) =>
  typeof value === "string" ? value : str(value, meter);

export const integer = (value: Value): number => {
  const index = indexOf(value);
  if (index === undefined) throw typeError(`'${typeName(value)}' object cannot be interpreted as an integer`);
  return index;
};

const defined = (value: Value): Value => (value instanceof Undefined ? value.fail() : value);

/** The words of a signature. */
const kinds = {
  any: (value: Value): Value => value,
  defined,
  flag: truth,
  int: integer,
  items: (value: Value, { meter }: FilterContext): readonly Value[] => itemsOf(defined(value), meter),
  soft: softText,
  text: plainText,
} satisfies Record<string, Read<unknown>>;

type Kinds = { readonly [Kind in keyof typeof kinds]: ReturnType<(typeof kinds)[Kind]> };
type KindOf<Text> = Text extends keyof Kinds ? Kinds[Text] : never;
type Subject = keyof Kinds | Read<unknown>;
type Read1<S> = S extends Read<infer T> ? T : KindOf<S>;
/** What a parameter such as `width: int = 79` gives. */
type Given<Text> = Text extends `${string}: ${infer Kind} = ${infer Absent}`
  ? KindOf<Kind> | (Absent extends "none" ? null : never)
  : Text extends `${string}: ${infer Kind}`
    ? KindOf<Kind>
    : Value;
type All<Text extends string> = Text extends ""
  ? []
  : Text extends `${infer First}, ${infer Rest}`
    ? [Given<First>, ...All<Rest>]
    : [Given<Text>];

interface Parameter {
  readonly name: string;
  readonly required: boolean;
  readonly read: Read<unknown>;
  readonly absent: Value;
}

const PARAMETER = /^(\w+)(?:: (\w+))?(?: = (.*))?$/s;

/** Text in quotes, a number, `true`, `false` or `none`. */
function literal(text: string): Value {
  if (text.startsWith("'")) return text.slice(1, -1);
  if (text === "none") return null;
  if (text === "true" || text === "false") return text === "true";
  return text.includes(".") ? new PyFloat(Number(text)) : Number(text);
}

function parseParameter(text: string): Parameter {
  const [, name = "", kind = "any", absent] = PARAMETER.exec(text) ?? [];
  const read = Object.entries(kinds).find(([word]) => word === kind)?.[1];
  if (read === undefined) throw new Error(`not a parameter: ${text}`);
  return { name, required: absent === undefined, read, absent: literal(absent ?? "none") };
}

/**
 * A filter, or a test where the body gives a boolean.
 * @param names all it is known by, with blanks between them.
 * @param subject how the value itself is read.
 * @param parameters `name`, `name: kind` or `name: kind = absent`, with commas between them.
 * @param body takes the value, then the parameters, then the context.
 */
export function define<S extends Subject, const Text extends string, Result extends Value>(
  names: string,
  subject: S,
  parameters: Text,
  body: (value: Read1<S>, ...given: [...All<Text>, FilterContext]) => Result,
): (readonly [string, Apply<Result>])[] {
  const all = parameters === "" ? [] : parameters.split(", ").map(parseParameter);
  const read: Read<unknown> = typeof subject === "function" ? subject : kinds[subject as keyof Kinds];
  return names.split(" ").map((name) => {
    const bind = signature(
      name,
      all.map((one) => (one.required ? one.name : `${one.name}?`)),
    );
    // The types of the body are those that its signature reads.
    return [name, reading(bind, read, all, body as unknown as Body<Result>)];
  });
}

type Body<Result> = (...given: readonly unknown[]) => Result;

function reading<Result extends Value>(
  bind: Signature,
  subject: Read<unknown>,
  parameters: readonly Parameter[],
  body: Body<Result>,
): Apply<Result> {
  if (parameters.length === 0) {
    return (value, args, kwargs, context) => {
      bind(args, kwargs);
      return body(subject(value, context), context);
    };
  }
  return (value, args, kwargs, context) => {
    const bound = bind(args, kwargs);
    const given: unknown[] = [subject(value, context)];
    for (let i = 0; i < parameters.length; i++) given.push(readOne(parameters[i], bound[i], context));
    given.push(context);
    return body(...given);
  };
}

/** None stays None where that is what stands for a parameter that is left out. */
function readOne(
  parameter: Parameter | undefined,
  value: Value | undefined,
  context: FilterContext,
): unknown {
  if (parameter === undefined || value === undefined) return parameter?.absent;
  const isNone = value === null && parameter.absent === null && !parameter.required;
  return isNone ? null : parameter.read(value, context);
}

/** The same kind of text as `like`. */
export function alike(like: Value, text: string): string | Markup {
  return like instanceof Markup ? new Markup(text) : text;
}

export const filterError = (message: string): PyError => new PyError("AnsibleFilterError", message);

/** A filter that reads its arguments itself: any number of them, or names of other filters. */
export const variadic = (name: string, apply: Filter): FilterEntries => [[name, apply]];
