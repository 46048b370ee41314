/** Functions and lambdas of macros: parameters, defaults, calls. */
import { PyDict } from "../../python/dict.ts";
import { placed, typeError } from "../../python/errors.ts";
import { type Kwargs, PyFunction, PyTuple, type Value } from "../../python/values.ts";
import type { Reader } from "./reader.ts";
import type { Evaluate, Frame } from "./scope.ts";

export interface Parameter {
  readonly kind: "plain" | "positional" | "keyword" | "star" | "double";
  readonly name: string;
  /** Evaluated where the function is defined. */
  readonly fallback: Evaluate | undefined;
}

export interface FunctionCode {
  readonly name: string;
  readonly parameters: readonly Parameter[];
  readonly line: number;
  /** Runs in the frame of the call. */
  readonly body: Evaluate;
}

/** Up to `end`, which is not taken. */
export function parseParameters(reader: Reader, end: string, annotated: boolean): Parameter[] {
  const { expression } = reader.grammar;
  const parameters: Parameter[] = [];
  let plain: Parameter["kind"] = "plain";
  const push = (kind: Parameter["kind"]) => {
    const name = reader.name();
    if (annotated && reader.take(":")) expression(reader);
    const mayDefault = kind === "plain" || kind === "keyword";
    parameters.push({
      kind,
      name,
      fallback: mayDefault && reader.take("=") ? expression(reader).read : undefined,
    });
  };
  while (!reader.is(end)) {
    if (reader.take("/"))
      for (const [i, one] of parameters.entries()) parameters[i] = { ...one, kind: "positional" };
    else if (reader.take("*")) {
      plain = "keyword";
      if (!reader.is(",")) push("star");
    } else push(reader.take("**") ? "double" : plain);
    if (!reader.take(",")) break;
  }
  return parameters;
}

export function makeFunction(code: FunctionCode, outer: Frame): Value {
  const { name, parameters, line, body } = code;
  const defaults = parameters.map(({ fallback }) => fallback?.(outer));
  const { world } = outer;
  const around = outer.outer === undefined && outer.vars === world.globals ? undefined : outer;
  return new PyFunction(name, (args, kwargs, meter) => {
    const vars = bind(code, defaults, args, kwargs);
    const frame: Frame = { vars, outer: around, world, meter, line, result: null, handling: undefined };
    meter.enter();
    try {
      return body(frame);
    } catch (error) {
      throw world.tellsLine ? placed(error, { line: frame.line, template: "macro" }) : error;
    } finally {
      meter.leave();
    }
  });
}

function bind(
  { name, parameters }: FunctionCode,
  defaults: readonly (Value | undefined)[],
  args: readonly Value[],
  kwargs: Kwargs | undefined,
): Map<string, Value> {
  const vars = new Map<string, Value>();
  const positional = parameters.filter(({ kind }) => kind === "plain" || kind === "positional");
  positional.forEach((one, i) => {
    const value = args[i];
    if (value !== undefined) vars.set(one.name, value);
  });
  const most = positional.length;
  const star = parameters.find(({ kind }) => kind === "star");
  if (star !== undefined) vars.set(star.name, new PyTuple(args.slice(most)));
  else if (args.length > most)
    throw typeError(
      `${name}() takes ${most} positional argument${most === 1 ? "" : "s"} but ${args.length} were given`,
    );
  const rest = parameters.find(({ kind }) => kind === "double");
  const extra = new PyDict();
  for (const [key, value] of kwargs ?? []) {
    if (parameters.some((one) => one.name === key && (one.kind === "plain" || one.kind === "keyword"))) {
      if (vars.has(key)) throw typeError(`${name}() got multiple values for argument '${key}'`);
      vars.set(key, value);
    } else if (rest === undefined) throw typeError(`${name}() got an unexpected keyword argument '${key}'`);
    else extra.set(key, value);
  }
  if (rest !== undefined) vars.set(rest.name, extra);
  parameters.forEach((one, i) => {
    if (vars.has(one.name)) return;
    const value = defaults[i];
    if (value === undefined) throw typeError(`${name}() missing required argument: '${one.name}'`);
    vars.set(one.name, value);
  });
  return vars;
}
