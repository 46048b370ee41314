/**
 * Plans how a match of a line becomes a result, once per line: where the variables' texts are, and which
 * functions apply.
 */
import {
  type Answer,
  attribute,
  callMethod,
  callValue,
  isCallable,
  PyDict,
  PyError,
  TemplateError,
  typeName,
  type Value,
} from "../../python/index.ts";
import { matchFunctions } from "../functions/match/index.ts";
import type { Call } from "../template/attributes.ts";
import { isFunctionName } from "../template/function-names.ts";
import type { Line } from "../template/group.ts";
import { argumentsOf } from "./own-arguments.ts";
import { decide, keep, type Outcome, type Runtime } from "./runtime.ts";

/** Values of a match at the places of the line's plan; a dictionary if functions added fields; false: dropped. */
export type Result = PyDict | readonly (Value | undefined)[] | false;

export interface LinePlan {
  /** Distinct result names. */
  readonly names: readonly string[];
  /** Index of each name's value in a result that is an array. */
  readonly places: readonly number[];
  /** No functions apply: the RegExp result is the result. */
  readonly plain: boolean;
  readonly slots: readonly Slot[];
}

interface Slot {
  /** Index of the text in the RegExp result. */
  readonly place: number;
  /** Index of the value in the result. */
  readonly target: number;
  readonly group: string;
  readonly functions: readonly Step[] | undefined;
}

type Step = (data: Value, rt: Runtime) => Outcome;

const plans = new WeakMap<Line, LinePlan>();

export function planOf(line: Line): LinePlan {
  let plan = plans.get(line);
  if (plan === undefined) {
    plan = makePlan(line);
    plans.set(line, plan);
  }
  return plan;
}

function makePlan({ pattern, variables }: Line): LinePlan {
  const { names: groups, regex } = pattern;
  const names: string[] = [];
  const captured: readonly (readonly [string, number])[] =
    groups.length === 0
      ? [...variables.keys()].map((name): [string, number] => [name, 0])
      : groups.map(([name, group]): [string, number] => [name, regex.matcher.places[group] ?? 0]);
  const slots = captured.map(([group, place]): Slot => {
    const variable = variables.get(group);
    const name = variable?.name ?? group;
    if (!names.includes(name)) names.push(name);
    return { place, target: names.indexOf(name), group, functions: variable?.functions.map(readStep) };
  });
  const plain = slots.length === names.length && slots.every(({ functions }) => functions?.length === 0);
  const places = names.map((_, i) => (plain ? (slots[i]?.place ?? 0) : i));
  return { names, places, plain, slots };
}

/** Applies the variables' functions to a match. */
export function resultOf({ slots, names }: LinePlan, match: Answer, rt: Runtime): Result {
  const values: Value[] = [];
  /** Added fields follow the variable whose function added them. */
  let dict: PyDict | undefined;
  for (const { place, target, group, functions } of slots) {
    if (functions === undefined)
      throw new TemplateError("TemplateRuntime", `the group '${group}' of a regex is not a match variable`);
    let data: Value = match[place] ?? null;
    let fields: PyDict | undefined;
    for (const step of functions) {
      const outcome = step(data, rt);
      data = outcome.data;
      const { flag } = outcome;
      if (flag === false) return false;
      if (!(flag instanceof PyDict)) continue;
      if (fields === undefined) fields = flag;
      else fields.take(flag);
    }
    if (dict === undefined) values[target] = data;
    else dict.set(names[target] ?? group, data);
    if (fields === undefined) continue;
    dict ??= PyDict.from(values.map((value, i): [Value, Value] => [names[i] ?? "", value]));
    dict.take(fields);
  }
  return dict ?? values;
}

function readStep(call: Call): Step {
  const matchFunction = matchFunctions.get(call.name);
  if (matchFunction === undefined) return (data, rt) => ownMethod(call, data, rt);
  return (data, rt) => {
    try {
      const { args, kwargs } = argumentsOf(call, rt);
      return matchFunction(data, args, kwargs, rt);
    } catch (error) {
      // The reference treats any KeyError as an unknown function.
      if (!(error instanceof PyError) || error.pythonType !== "KeyError") throw error;
      return ownMethod(call, data, rt);
    }
  };
}

/** A function that TTP does not know is a method or attribute of the value. */
function ownMethod(call: Call, data: Value, rt: Runtime): Outcome {
  const { name } = call;
  const { args, kwargs } = argumentsOf(call, rt);
  let value = typeof data === "string" ? callMethod(data, name, args, kwargs, rt.meter) : undefined;
  if (value === undefined) {
    const member = attribute(data, name, rt.meter);
    if (member === undefined) {
      // An entirely unknown name was already reported when the template was loaded.
      if (isFunctionName(name)) rt.warn(`unknown function '${name}' for a value of type ${typeName(data)}`);
      return keep(data);
    }
    value = isCallable(member) ? callValue(member, args, kwargs, rt.meter) : member;
  }
  return typeof value === "boolean" ? decide(data, value) : keep(value);
}
