/** Functions and lambdas: parameters, defaults, calls. */

import {
  type Kwargs,
  PyDict,
  PyFunction,
  PyTuple,
  placed,
  typeError,
  type Value,
} from "../../python/index.ts";
import type { Reader } from "./reader.ts";
import type { Evaluate, Frame } from "./scope.ts";

export interface Parameter {
  readonly kind: "plain" | "positional" | "keyword" | "star" | "double";
  readonly name: string;
  /** Evaluated at the definition. */
  readonly fallback: Evaluate | undefined;
}

export interface FunctionCode {
  readonly name: string;
  readonly parameters: readonly Parameter[];
  readonly line: number;
  /** Runs in the call's frame. */
  readonly body: Evaluate;
}

/** Parses up to `end`, which is not consumed. */
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
      for (const [i, parameter] of parameters.entries()) parameters[i] = { ...parameter, kind: "positional" };
    else if (reader.take("*")) {
      plain = "keyword";
      if (!reader.is(",")) push("star");
    } else push(reader.take("**") ? "double" : plain);
    if (!reader.take(",")) break;
  }
  return parameters;
}

export function makeFunction(code: FunctionCode, outer: Frame): Value {
  const { name, line, body } = code;
  const { world } = outer;
  const around = outer.outer === undefined && outer.vars === world.globals ? undefined : outer;
  const bind = binder(code, outer);
  return new PyFunction(name, (args, kwargs, meter) => {
    const vars = bind(args, kwargs);
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

/** Evaluates the defaults now. */
function binder({ name, parameters }: FunctionCode, outer: Frame) {
  const defaults = parameters.map(({ fallback }) => fallback?.(outer));
  const positional = parameters.filter(({ kind }) => kind === "plain" || kind === "positional");
  const maxPositional = positional.length;
  const star = parameters.find(({ kind }) => kind === "star");
  const rest = parameters.find(({ kind }) => kind === "double");
  const keywords = new Set(
    parameters
      .filter(({ kind }) => kind === "plain" || kind === "keyword")
      .map((parameter) => parameter.name),
  );

  function bindKeywords(vars: Map<string, Value>, kwargs: Kwargs | undefined): void {
    const extra = rest === undefined ? undefined : new PyDict();
    if (rest !== undefined && extra !== undefined) vars.set(rest.name, extra);
    for (const [key, value] of kwargs ?? []) {
      if (keywords.has(key)) {
        if (vars.has(key)) throw typeError(`${name}() got multiple values for argument '${key}'`);
        vars.set(key, value);
      } else if (extra === undefined)
        throw typeError(`${name}() got an unexpected keyword argument '${key}'`);
      else extra.set(key, value);
    }
  }

  return (args: readonly Value[], kwargs: Kwargs | undefined): Map<string, Value> => {
    const vars = new Map<string, Value>();
    if (star !== undefined) vars.set(star.name, new PyTuple(args.slice(maxPositional)));
    else if (args.length > maxPositional)
      throw typeError(
        `${name}() takes ${maxPositional} positional argument${maxPositional === 1 ? "" : "s"} but ${args.length} were given`,
      );
    for (const [i, value] of args.slice(0, maxPositional).entries())
      vars.set(positional[i]?.name ?? "", value);
    if (kwargs !== undefined || rest !== undefined) bindKeywords(vars, kwargs);
    if (vars.size === parameters.length) return vars;
    parameters.forEach((parameter, i) => {
      if (vars.has(parameter.name)) return;
      const value = defaults[i];
      if (value === undefined) throw typeError(`${name}() missing required argument: '${parameter.name}'`);
      vars.set(parameter.name, value);
    });
    return vars;
  };
}
