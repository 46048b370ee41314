/** An output: functions and a formatter that process results. */

import {
  eq,
  formatMoment,
  itemsOf,
  localMoment,
  PyDict,
  splitAt,
  str,
  truth,
  typeError,
  type Value,
} from "../../python/index.ts";
import type { Environment } from "../environment.ts";
import { format } from "../formatters/index.ts";
import { loadTag } from "../loaders/load.ts";
import { needsFormat } from "../parts.ts";
import { argumentsOf } from "../run/own-arguments.ts";
import type { OutputView, Runtime } from "../run/runtime.ts";
import type { Call } from "../template/attributes.ts";
import { unknownName } from "../template/mistakes.ts";
import type { Element } from "../template/xml.ts";
import { outputFunctions } from "./functions.ts";

export const outputAttributeNames: readonly string[] = [
  ...["name", "description", "load", "include", "key", "format", "returner", "condition", "functions"],
  ...["path", "headers", "missing", "strict", "sep", "quote", "format_attributes", "filename", "url"],
  ...outputFunctions.keys(),
];

export interface Output {
  readonly name: Value;
  readonly attributes: PyDict;
  readonly load: Value;
  readonly functions: readonly Call[];
}

/** The output for `result(format=…)`. */
export function givenOutput(attributes: PyDict, env: Environment): Output {
  const merged = defaults();
  for (const [key, value] of attributes.entries()) merged.set(key, value);
  return makeOutput(merged, new PyDict(), env);
}

export function readOutput(source: Element, env: Environment): Output {
  const merged = defaults();
  for (const [key, value] of source.attributes) merged.set(key, value);
  if (merged.get("format") === "jinja2") merged.set("load", "text");
  const texts = new Map([...source.attributes, ["load", String(merged.get("load"))]]);
  const loaded = loadTag(source.text, texts, env);
  if (loaded instanceof PyDict) for (const [key, value] of loaded.entries()) merged.set(key, value);
  return makeOutput(merged, truth(loaded) ? loaded : source.text, env);
}

const defaults = (): PyDict =>
  PyDict.from([
    ["returner", "self"],
    ["format", "raw"],
    ["load", "python"],
  ]);

/** Attributes that are parsed instead of kept as text. */
const READ: Readonly<Record<string, (value: Value, text: string, env: Environment) => Value>> = {
  returner: (_value, text) => splitAt(text, ","),
  filename: (_value, text, { now }) => formatMoment(text, localMoment(now())),
  format_attributes(_value, text, { readCalls }) {
    const [call] = readCalls(`format_attributes(${text})`);
    return PyDict.from([
      ["args", [...(call?.args ?? [])]],
      ["kwargs", PyDict.from(call?.kwargs ?? [])],
    ]);
  },
  path: (_value, text) => splitAt(text, "."),
  headers: (value) => (typeof value === "string" ? splitAt(value, ",") : value),
  condition: (_value, text, { readCalls }) => [...(readCalls(`condition(${text})`)[0]?.args ?? [])],
};

function makeOutput(merged: PyDict, load: Value, env: Environment): Output {
  const { meter, readCalls, warn } = env;
  const attributes = merged.copy();
  const functions: Call[] = [];
  let name: Value = null;
  for (const [key, value] of merged.entries()) {
    const attribute = str(key, meter);
    const lower = attribute.toLowerCase();
    const text = str(value, meter);
    const read = Object.hasOwn(READ, lower) ? READ[lower] : undefined;
    if (read !== undefined) attributes.set(lower, read(value, text, env));
    else if (lower === "name") name = value;
    else if (lower === "functions")
      for (const call of readCalls(text)) {
        if (outputFunctions.has(call.name)) functions.push(call);
        else warn(unknownName("output function", call.name, outputFunctions.keys()));
      }
    else if (outputFunctions.has(attribute))
      functions.push(...readCalls(`${attribute}(${text})`).slice(0, 1));
  }
  needsFormat(str(attributes.get("format") ?? "raw", meter));
  return { name, attributes, load, functions };
}

/** Runs the output; returns the original data if it only returns to a terminal or a file. */
export function runOutput(output: Output, data: Value, view: OutputView, rt: Runtime): Value {
  rt.output = view;
  if (!applies(output, view, rt)) return data;
  let results = data;
  for (const call of output.functions) {
    const { args, kwargs } = argumentsOf(call, rt);
    rt.meter.step();
    results = outputFunctions.get(call.name)?.(results, args, kwargs, rt) ?? null;
  }
  results = format(str(output.attributes.get("format") ?? "raw", rt.meter), results, output, rt);
  let returned = false;
  for (const returner of itemsOf(output.attributes.get("returner") ?? [], rt.meter)) {
    if (returner === "self") returned = true;
    else if (returner !== "terminal") rt.warn(`the returner '${str(returner, rt.meter)}' does nothing here`);
  }
  return returned ? results : data;
}

function applies({ attributes }: Output, { template }: OutputView, rt: Runtime): boolean {
  const condition = attributes.get("condition");
  if (condition === undefined || !truth(condition)) return true;
  const [name = null, expected = null, ...more] = itemsOf(condition, rt.meter);
  if (more.length > 0) throw typeError("condition needs a variable and a value");
  return eq(template?.vars.get(name) ?? "_undef_", expected);
}
