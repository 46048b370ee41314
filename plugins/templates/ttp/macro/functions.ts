/** Functions and lambdas of macros: parameters, defaults, calls. */
import { PyDict } from "../../python/dict.ts";
import { placed, typeError } from "../../python/errors.ts";
import type { Meter } from "../../python/limits.ts";
import { type Kwargs, PyFunction, PyTuple, type Value } from "../../python/values.ts";
import type { FunctionCode } from "./ast.ts";
import type { Frame } from "./frame.ts";

export type Evaluate = (frame: Frame) => Value;

export interface CompiledFunction {
  readonly code: FunctionCode;
  /** Of the parameters that have one, by position; evaluated where the function is defined. */
  readonly fallbacks: readonly (Evaluate | undefined)[];
  /** Runs in the frame of the call. */
  readonly body: Evaluate;
}

export function makeFunction({ code, fallbacks, body }: CompiledFunction, outer: Frame): Value {
  const defaults = fallbacks.map((one) => one?.(outer));
  const around = outer.outer === undefined && outer.vars === outer.world.globals ? undefined : outer;
  return new PyFunction(code.name, (args, kwargs, meter) => {
    const frame: Frame = {
      vars: new Map(),
      outer: around,
      world: outer.world,
      meter,
      line: code.line,
      result: null,
      handling: undefined,
    };
    bind(code, defaults, args, kwargs, frame.vars);
    return inside(meter, frame, body);
  });
}

function inside(meter: Meter, frame: Frame, body: Evaluate): Value {
  meter.enter();
  try {
    return body(frame);
  } catch (error) {
    throw frame.world.tellsLine ? placed(error, { line: frame.line, template: "macro" }) : error;
  } finally {
    meter.leave();
  }
}

function bind(
  { name, parameters }: FunctionCode,
  defaults: readonly (Value | undefined)[],
  args: readonly Value[],
  kwargs: Kwargs | undefined,
  vars: Map<string, Value>,
): void {
  let used = 0;
  let star: Value[] | undefined;
  for (const one of parameters) {
    if (one.kind === "star") {
      star = args.slice(used);
      vars.set(one.name, new PyTuple(star));
    } else if (one.kind === "plain" || one.kind === "positional") {
      const value = args[used];
      if (value !== undefined) vars.set(one.name, value);
      if (used < args.length) used++;
    }
  }
  if (star === undefined && used < args.length) {
    const most = parameters.filter((one) => one.kind === "plain" || one.kind === "positional").length;
    throw typeError(
      `${name}() takes ${most} positional argument${most === 1 ? "" : "s"} but ${args.length} were given`,
    );
  }
  bindKeywords(name, parameters, kwargs, vars);
  parameters.forEach((one, i) => {
    if (one.kind === "star" || one.kind === "double" || vars.has(one.name)) return;
    const value = defaults[i];
    if (value === undefined) throw typeError(`${name}() missing required argument: '${one.name}'`);
    vars.set(one.name, value);
  });
}

function bindKeywords(
  name: string,
  parameters: FunctionCode["parameters"],
  kwargs: Kwargs | undefined,
  vars: Map<string, Value>,
): void {
  const rest = parameters.find((one) => one.kind === "double");
  const extra = rest === undefined ? undefined : new PyDict();
  for (const [key, value] of kwargs ?? []) {
    const known = parameters.find(
      (one) => one.name === key && (one.kind === "plain" || one.kind === "keyword"),
    );
    if (known === undefined) {
      if (extra === undefined) throw typeError(`${name}() got an unexpected keyword argument '${key}'`);
      extra.set(key, value);
    } else {
      if (vars.has(key)) throw typeError(`${name}() got multiple values for argument '${key}'`);
      vars.set(key, value);
    }
  }
  if (rest !== undefined && extra !== undefined) vars.set(rest.name, extra);
}
