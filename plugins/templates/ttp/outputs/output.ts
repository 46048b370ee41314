/** An output: functions and a formatter that results go through. */
import { PyDict } from "../../python/dict.ts";
import { eq } from "../../python/equal.ts";
import { typeError } from "../../python/errors.ts";
import { itemsOf } from "../../python/iterate.ts";
import type { Meter } from "../../python/limits.ts";
import { formatMoment, localMoment } from "../../python/moment.ts";
import { str } from "../../python/repr.ts";
import { truth, type Value } from "../../python/values.ts";
import type { Call, ReadCalls } from "../attributes.ts";
import { format } from "../formatters/index.ts";
import { unknownName } from "../mistakes.ts";
import type { OutputView, Runtime } from "../runtime.ts";
import type { Element } from "../xml.ts";
import { outputFunction, outputFunctionNames } from "./functions.ts";

export const outputAttributeNames: readonly string[] = [
  ...["name", "description", "load", "include", "key", "format", "returner", "condition", "functions"],
  ...["path", "headers", "missing", "strict", "sep", "quote", "format_attributes", "filename", "url"],
  ...outputFunctionNames,
];

export interface Output {
  readonly name: Value;
  readonly attributes: PyDict;
  readonly load: Value;
  readonly functions: readonly Call[];
}

export interface OutputContext {
  readonly meter: Meter;
  readonly readCalls: ReadCalls;
  readonly now: () => Date;
  readonly warn: (message: string) => void;
  readonly load: (text: string, attributes: ReadonlyMap<string, string>) => Value;
}

/** The output that `result(format=…)` asks for. */
export function givenOutput(attributes: PyDict, context: OutputContext): Output {
  const all = defaults();
  for (const [key, value] of attributes.entries()) all.set(key, value);
  return makeOutput(all, new PyDict(), context);
}

export function readOutput(source: Element, context: OutputContext): Output {
  const all = defaults();
  for (const [key, value] of source.attributes) all.set(key, value);
  if (all.get("format") === "jinja2") all.set("load", "text");
  const texts = new Map([...source.attributes, ["load", String(all.get("load"))]]);
  const loaded = context.load(source.text, texts);
  if (loaded instanceof PyDict) for (const [key, value] of loaded.entries()) all.set(key, value);
  return makeOutput(all, truth(loaded) ? loaded : source.text, context);
}

const defaults = (): PyDict =>
  PyDict.from([
    ["returner", "self"],
    ["format", "raw"],
    ["load", "python"],
  ]);

const list = (text: string, separator: string): Value[] => text.split(separator).map((one) => one.trim());

function makeOutput(given: PyDict, load: Value, { meter, readCalls, now, warn }: OutputContext): Output {
  const attributes = given.copy();
  const functions: Call[] = [];
  let name: Value = null;
  const first = (text: string): Call | undefined => readCalls(text)[0];
  for (const [key, value] of given.entries()) {
    const attribute = str(key, meter);
    const text = str(value, meter);
    switch (attribute.toLowerCase()) {
      case "name":
        name = value;
        break;
      case "returner":
        attributes.set("returner", list(text, ","));
        break;
      case "filename":
        attributes.set("filename", formatMoment(text, localMoment(now())));
        break;
      case "format_attributes": {
        const call = first(`format_attributes(${text})`);
        attributes.set(
          "format_attributes",
          PyDict.from([
            ["args", [...(call?.args ?? [])]],
            ["kwargs", PyDict.from(call?.kwargs ?? [])],
          ]),
        );
        break;
      }
      case "path":
        attributes.set("path", list(text, "."));
        break;
      case "headers":
        attributes.set("headers", typeof value === "string" ? list(value, ",") : value);
        break;
      case "condition":
        attributes.set("condition", [...(first(`condition(${text})`)?.args ?? [])]);
        break;
      case "functions":
        for (const call of readCalls(text)) {
          if (outputFunction(call.name) !== undefined) functions.push(call);
          else warn(unknownName("output function", call.name, outputFunctionNames));
        }
        break;
      default: {
        if (outputFunction(attribute) === undefined) break;
        const call = first(`${attribute}(${text})`);
        if (call !== undefined) functions.push(call);
      }
    }
  }
  return { name, attributes, load, functions };
}

/** What the output makes of the results; itself, where it returns nowhere else than to a terminal or a file. */
export function runOutput(output: Output, data: Value, view: OutputView, rt: Runtime): Value {
  rt.output = view;
  if (!applies(output, view, rt)) return data;
  let results = data;
  for (const { name, args, kwargs } of output.functions) {
    rt.meter.step();
    results = outputFunction(name)?.(results, args, kwargs, rt) ?? null;
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
  const [name = null, wanted = null, ...more] = itemsOf(condition, rt.meter);
  if (more.length > 0) throw typeError("condition needs a variable and a value");
  return eq(template?.vars.get(name) ?? "_undef_", wanted);
}
