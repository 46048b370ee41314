/** Defines filters and tests by signature and body; the signature converts the arguments. */

import {
  isText,
  itemsOf,
  Markup,
  needInt,
  PyError,
  PyFloat,
  type Signature,
  signature,
  str,
  textOf,
  truth,
  typeError,
  typeName,
  Undefined,
  type Value,
} from "../../python/index.ts";
import type { Apply, Filter, FilterContext, Test } from "./kinds.ts";

/** By name; aliases have their own entries. */
export type FilterEntries = readonly (readonly [string, Filter])[];
export type TestEntries = readonly (readonly [string, Test])[];

/** Converts an argument to the type that a body takes, or raises Python's error. */
export type Read<T> = (value: Value, context: FilterContext) => T;

/** Accepts only text. @param needed the error message up to `, not int`. */
export function onlyText(needed: string): Read<string> {
  return (value) => {
    if (isText(value)) return textOf(value);
    throw value instanceof Undefined ? value.fail() : typeError(`${needed}, not ${typeName(value)}`);
  };
}

/** Converts to text; Markup stays Markup. */
export const softText: Read<string | Markup> = (value, { meter }) =>
  isText(value) ? value : str(value, meter);

export const plainText: Read<string> = (value, { meter }) =>
  typeof value === "string" ? value : str(value, meter);

export const integer = (value: Value): number => needInt(value, 0);

const defined = (value: Value): Value => (value instanceof Undefined ? value.fail() : value);

/** Types in a signature. */
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
/** The TypeScript type of a parameter such as `width: int = 79`. */
type ParameterType<Text> = Text extends `${string}: ${infer Kind} = ${infer Absent}`
  ? KindOf<Kind> | (Absent extends "none" ? null : never)
  : Text extends `${string}: ${infer Kind}`
    ? KindOf<Kind>
    : Value;
type ParameterTypes<Text extends string> = Text extends ""
  ? []
  : Text extends `${infer First}, ${infer Rest}`
    ? [ParameterType<First>, ...ParameterTypes<Rest>]
    : [ParameterType<Text>];

interface Parameter {
  readonly name: string;
  /** Undefined for `any`. */
  readonly read: Read<unknown> | undefined;
  readonly absent: Value;
}

const PARAMETER = /^(\w+)(?:: (\w+))?(?: = (.*))?$/s;

/** A default value: text in quotes, a number, `true`, `false` or `none`. */
function literal(text: string): Value {
  if (text.startsWith("'")) return text.slice(1, -1);
  if (text === "none") return null;
  if (text === "true" || text === "false") return text === "true";
  return text.includes(".") ? new PyFloat(Number(text)) : Number(text);
}

function parseParameter(text: string): Parameter {
  const [, rawName = "", kind = "any", written] = PARAMETER.exec(text) ?? [];
  const read: Read<unknown> | undefined = kinds[kind as keyof Kinds];
  if (read === undefined) throw new Error(`not a parameter: ${text}`);
  const name = written === undefined ? rawName : `${rawName}?`;
  if (kind === "any") return { name, read: undefined, absent: literal(written ?? "none") };
  // If the default is None, an explicit None is kept.
  if (written === "none")
    return { name, read: (value, context) => (value === null ? null : read(value, context)), absent: null };
  return { name, read, absent: literal(written ?? "none") };
}

/**
 * Defines a filter, or a test if the body returns a boolean.
 * @param names name and aliases, separated by spaces.
 * @param subject type of the value itself.
 * @param parameters `name`, `name: type` or `name: type = default`, separated by commas.
 * @param body takes the value, then the parameters, then the context.
 */
export function define<S extends Subject, const Text extends string, Result extends Value>(
  names: string,
  subject: S,
  parameters: Text,
  body: (value: Read1<S>, ...args: [...ParameterTypes<Text>, FilterContext]) => Result,
): (readonly [string, Apply<Result>])[] {
  const parsedParameters = parameters === "" ? [] : parameters.split(", ").map(parseParameter);
  const read: Read<unknown> = typeof subject === "function" ? subject : kinds[subject as keyof Kinds];
  return names.split(" ").map((name) => {
    const bind = signature(
      name,
      parsedParameters.map((parameter) => parameter.name),
    );
    // The signature determines the types of the body.
    return [name, reading(bind, read, parsedParameters, body as unknown as Body<Result>)];
  });
}

type Body<Result> = (...args: readonly unknown[]) => Result;

/** Filters run once per item, so those with few parameters are called without an argument array. */
function reading<Result extends Value>(
  bind: Signature,
  subject: Read<unknown>,
  parameters: readonly Parameter[],
  body: Body<Result>,
): Apply<Result> {
  const [first, second, third, fourth] = parameters;
  if (first === undefined) {
    return (value, args, kwargs, context) => {
      bind(args, kwargs);
      return body(subject(value, context), context);
    };
  }
  if (second === undefined) {
    return (value, args, kwargs, context) => {
      const argument = bind(args, kwargs)[0];
      return body(subject(value, context), readOne(first, argument, context), context);
    };
  }
  if (third === undefined) {
    return (value, args, kwargs, context) => {
      const bound = bind(args, kwargs);
      const input = subject(value, context);
      return body(input, readOne(first, bound[0], context), readOne(second, bound[1], context), context);
    };
  }
  if (fourth === undefined) {
    return (value, args, kwargs, context) => {
      const bound = bind(args, kwargs);
      const input = subject(value, context);
      const a = readOne(first, bound[0], context);
      const b = readOne(second, bound[1], context);
      return body(input, a, b, readOne(third, bound[2], context), context);
    };
  }
  return (value, args, kwargs, context) => {
    const bound = bind(args, kwargs);
    const input = subject(value, context);
    return body(input, ...parameters.map((parameter, i) => readOne(parameter, bound[i], context)), context);
  };
}

function readOne({ read, absent }: Parameter, value: Value | undefined, context: FilterContext): unknown {
  if (value === undefined) return absent;
  return read === undefined ? value : read(value, context);
}

/** Returns Markup if `like` is Markup. */
export function alike(like: Value, text: string): string | Markup {
  return like instanceof Markup ? new Markup(text) : text;
}

export const argumentError = (message: string): PyError => new PyError("FilterArgumentError", message);

export const filterError = (message: string): PyError => new PyError("AnsibleFilterError", message);

/** A filter that parses its own arguments: any number of them, or names of other filters. */
export const variadic = (name: string, apply: Filter): FilterEntries => [[name, apply]];
