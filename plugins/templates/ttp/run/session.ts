/** A run of templates from inputs to results; it leaves no state in the templates. */

import {
  deepCopy,
  itemsOf,
  PyDict,
  PyError,
  truth,
  typeError,
  typeName,
  type Value,
} from "../../python/index.ts";
import { getters } from "../functions/getters.ts";
import { inputFunctions } from "../functions/inputs.ts";
import { type Output, runOutput } from "../outputs/output.ts";
import type { Group } from "../template/group.ts";
import type { Data, Input } from "../template/input.ts";
import type { Template } from "../template/template.ts";
import type { Entry } from "./entries.ts";
import { matchGroup } from "./matching.ts";
import { argumentsOf } from "./own-arguments.ts";
import { makeResults } from "./results.ts";
import type { OutputView, Runtime, TemplateView } from "./runtime.ts";

/** A template with the state of one run. */
export interface RunningTemplate extends TemplateView {
  readonly template: Template;
  readonly macros: ReadonlyMap<string, Value>;
  readonly lookups: PyDict;
  inputs: Map<string, Input>;
}

const dictionary = (value: Value): PyDict => (value instanceof PyDict ? value : new PyDict());

export function startTemplate(
  template: Template,
  extraNames: ReadonlyMap<string, Value>,
  rt: Runtime,
): RunningTemplate {
  const macros = new Map<string, Value>();
  for (const program of template.macros)
    for (const [name, value] of program.run(extraNames, rt.meter)) macros.set(name, value);
  return {
    template,
    macros,
    name: template.name,
    vars: dictionary(deepCopy(template.vars)),
    lookups: dictionary(deepCopy(template.lookups)),
    inputs: new Map(template.inputs),
    results: template.perTemplate ? new PyDict() : [],
  };
}

export function parseTemplates(running: readonly RunningTemplate[], rt: Runtime): void {
  for (const state of running) parseTemplate(state, rt);
  for (const state of running) {
    if (state.macros.size > 0) rt.macros = state.macros;
    for (const output of state.template.outputs)
      state.results = runOutput(output, state.results, outputView(output, state), rt);
  }
}

function parseTemplate(running: RunningTemplate, rt: Runtime): void {
  const { template } = running;
  rt.macros = running.macros;
  rt.template = running;
  if (template.idle) return;
  let joined: Value = new PyDict();
  for (const input of running.inputs.values())
    for (const data of input.data) {
      rt.mainResults = template.perTemplate ? joined : new PyDict();
      const results = parseText(running, input, prepared(running, input, data, rt), rt);
      if (template.perTemplate) joined = results;
      else if (Array.isArray(running.results)) running.results.push(formed(results));
      else throw typeError("results were already formatted; clear them before parsing again");
    }
  if (template.perTemplate) running.results = formed(joined);
}

/** If there is an anonymous group, its results become the list and the others are appended. */
function formed(results: Value): Value {
  if (!(results instanceof PyDict)) return results;
  const anonymous = results.get("_anonymous_");
  if (anonymous === undefined) return results;
  results.delete("_anonymous_");
  if (results.size === 0) return anonymous;
  if (!Array.isArray(anonymous))
    throw new PyError("AttributeError", `'${typeName(anonymous)}' object has no attribute 'append'`);
  anonymous.push(results);
  return anonymous;
}

/** The text of the data after getters and input functions. */
function prepared(running: RunningTemplate, input: Input, data: Data, rt: Runtime): string {
  rt.meter.step();
  rt.dataText = data.kind === "structured" ? data.value : `\n${data.text}\n\n`;
  rt.dataName = data.kind === "file" ? data.path : data.kind === "text" ? "text_data" : "structured_data";
  rt.vars = running.vars.copy();
  rt.lookups = running.lookups;
  runGetters(running.template, rt);
  for (const call of input.functions) {
    const run = inputFunctions.get(call.name);
    if (run === undefined) throw new PyError("KeyError", `unknown input function '${call.name}'`);
    const { args, kwargs } = argumentsOf(call, rt);
    const { data: changed, flag } = run(rt.dataText, args, kwargs, rt);
    rt.dataText = changed;
    if (flag === false) break;
  }
  const text = rt.dataText;
  if (typeof text !== "string")
    throw typeError(`an input macro must make text of the data, it is ${typeName(text)}`);
  rt.meter.text(text.length);
  return text;
}

function runGetters(template: Template, rt: Runtime): void {
  if (typeof rt.dataText !== "string") {
    if (template.getters.size > 0) rt.note("getters need text, the input is structured");
    return;
  }
  for (const [name, getter] of template.getters) {
    const input = { text: rt.dataText, name: rt.dataName, now: rt.now, warn: rt.note };
    const value = getters.get(getter)?.(input);
    if (value !== undefined && truth(value)) rt.vars.set(name, value);
  }
}

function parseText(running: RunningTemplate, input: Input, text: string, rt: Runtime): Value {
  const { template } = running;
  // As in the reference, the last character is dropped: the second of the two appended line feeds.
  const subject = text.slice(0, -1);
  const common: Entry[][] = [];
  const apart: { entries: Entry[]; outputs: readonly Output[] }[] = [];
  for (const index of input.groups) {
    const group = template.groups[index];
    if (group === undefined) continue;
    const entries = matchGroup(group, subject, rt);
    const outputs = template.groupOutputs.get(group);
    if (entries.length === 0) continue;
    if (outputs === undefined) common.push(entries);
    else apart.push({ entries, outputs });
  }
  const runs = groupRuns(template.groups, rt);
  const results = {
    varsToResults: template.varsToResults,
    runs: (group: Group) => runs.get(group) ?? group.defaults,
  };
  let combined = makeResults(common, rt.mainResults, results, rt);
  for (const { entries, outputs } of apart) {
    let ownResults = makeResults([entries], new PyDict(), results, rt);
    for (const output of outputs) ownResults = runOutput(output, ownResults, outputView(output, running), rt);
    if (combined instanceof PyDict) combined = combined.size > 0 ? [combined] : [];
    if (!Array.isArray(combined)) throw typeError("the results are no list");
    combined.push(ownResults);
  }
  return combined;
}

/** Defaults of each group; a default that names a recorded variable gets its value. */
function groupRuns(groups: readonly Group[], rt: Runtime): Map<Group, ReadonlyMap<string, Value>> {
  const runs = new Map<Group, ReadonlyMap<string, Value>>();
  const visit = (group: Group): void => {
    if (group.defaults.size > 0) {
      const values = new Map(
        [...group.defaults].map(([key, value]): [string, Value] => [key, deepCopy(value)]),
      );
      for (const recorded of [rt.globals, rt.vars])
        for (const [key, value] of recorded.entries())
          for (const [name, now] of values)
            if (typeof now === "string" && now === key) values.set(name, value);
      runs.set(group, values);
    }
    for (const child of group.children) visit(child);
  };
  for (const group of groups) visit(group);
  return runs;
}

export function outputView(output: Output, running: RunningTemplate | undefined): OutputView {
  const { name, attributes, load } = output;
  return {
    name,
    // Copies, because macros may modify them and the template is cached.
    attributes: dictionary(deepCopy(attributes)),
    load: deepCopy(load),
    template: running,
    inputPlaces() {
      if (running === undefined || running.template.perTemplate) return undefined;
      const places = new Map<string, number[]>();
      let count = 0;
      for (const [input, { data }] of running.inputs)
        places.set(
          input,
          data.map(() => count++),
        );
      return places;
    },
  };
}

/** The results of templates in the requested structure. */
export function structured(
  running: readonly RunningTemplate[],
  structure: string,
  through: (state: RunningTemplate) => Value,
  rt: Runtime,
): Value {
  switch (structure.toLowerCase()) {
    case "list":
      return running.map(through);
    case "dictionary":
      return PyDict.from(
        running
          .filter((state) => state.name !== "")
          .map((state): [string, Value] => [state.name, through(state)]),
      );
    case "flat_list":
      return running.flatMap((state) => {
        const results = through(state);
        if (!Array.isArray(results)) return [results];
        return results.flatMap((item) => (Array.isArray(item) ? itemsOf(item, rt.meter) : [item]));
      });
  }
  throw new PyError(
    "ValueError",
    `unknown structure '${structure}'; known are list, dictionary and flat_list`,
  );
}
