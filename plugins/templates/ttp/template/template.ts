/** A loaded template: groups, inputs, outputs, variables, lookups, macros and nested templates. */
import {
  callValue,
  PyDict,
  str,
  TemplateError,
  typeError,
  typeName,
  type Value,
} from "../../python/index.ts";
import type { Environment } from "../environment.ts";
import { getters } from "../functions/getters.ts";
import { inputAttributeNames } from "../functions/inputs.ts";
import { loadTag } from "../loaders/load.ts";
import type { Program } from "../macro/contract.ts";
import { type Output, outputAttributeNames, readOutput } from "../outputs/output.ts";
import { asTemplate, readTemplate } from "./document.ts";
import { applyExtends } from "./extend.ts";
import { findFiles } from "./files.ts";
import { type Group, readGroup } from "./group.ts";
import { type Data, givenInput, type Input, mergeInputs, readInput } from "./input.ts";
import { nearlyKnown, placeText, unknownName } from "./mistakes.ts";
import type { Element } from "./xml.ts";

export interface Template {
  readonly name: string;
  readonly perTemplate: boolean;
  /** The results mode is neither of the two valid ones: the template parses nothing. */
  readonly idle: boolean;
  readonly vars: PyDict;
  /** Path in the results -> variable names. */
  readonly varsToResults: ReadonlyMap<string, readonly Value[]>;
  /** Variables whose values getters compute for each input. */
  readonly getters: ReadonlyMap<Value, string>;
  readonly lookups: PyDict;
  readonly macros: readonly Program[];
  readonly groups: readonly Group[];
  readonly inputs: ReadonlyMap<string, Input>;
  readonly outputs: readonly Output[];
  /** Outputs of individual groups. */
  readonly groupOutputs: ReadonlyMap<Group, readonly Output[]>;
  readonly children: readonly Template[];
}

export interface TemplateOptions {
  readonly name: string;
  readonly basePath: string;
  readonly vars: PyDict;
  /** Templates to load by name; empty: all. */
  readonly filters: readonly string[];
}

export function loadTemplate(text: string, options: TemplateOptions, env: Environment): Template {
  return build(readTemplate(text), options, env);
}

const TAGS: ReadonlyMap<string, string> = new Map([
  ...["v", "vars", "variables"].map((tag): [string, string] => [tag, "vars"]),
  ...["g", "grp", "group"].map((tag): [string, string] => [tag, "group"]),
  ...["o", "out", "output"].map((tag): [string, string] => [tag, "output"]),
  ...["i", "in", "input"].map((tag): [string, string] => [tag, "input"]),
  ...["lookup", "template", "macro", "doc"].map((tag): [string, string] => [tag, tag]),
]);

function build(source: Element, options: TemplateOptions, env: Environment): Template {
  const early = source.children.filter((child) => child.tag === "macro");
  applyExtends(source, {
    read: (path) => findFiles(env.files, path)?.[0]?.text,
    macro: (name, text) => extendMacro(name, text, early, env),
  });
  const root = asTemplate(source);
  const name = root.attributes.get("name") ?? options.name;
  const basePath = root.attributes.get("base_path") ?? options.basePath;
  const mode = root.attributes.get("results") ?? "per_input";
  const tags = (tagName: string): Element[] =>
    skipped ? [] : root.children.filter((child) => TAGS.get(child.tag.toLowerCase()) === tagName);
  const skipped = options.filters.length > 0 && !options.filters.includes(name);
  warnOfTags(root, mode, env);

  const macros = tags("macro").map((tag) => env.interpreter.compile(tag.text));
  const children = tags("template")
    .map((tag, i) => ({ tag, i }))
    .filter(
      ({ tag }) => options.filters.length === 0 || options.filters.includes(tag.attributes.get("name") ?? ""),
    )
    .map(({ tag, i }) => build(tag, { name: String(i), basePath, vars: options.vars, filters: [] }, env));
  const { vars, varsToResults } = readVars(tags("vars"), options.vars, env);
  const outputs = tags("output").map((tag) => readOutput(tag, env));
  const lookups = readLookups(tags("lookup"), env);
  const groups = tags("group").map((tag, i) =>
    readGroup(tag, { pathChar: root.attributes.get("pathchar") ?? ".", vars, ...env }, i),
  );
  const inputs = readInputs(tags("input"), groups, basePath, env);
  const assigned = assignOutputs(groups, outputs, env);
  return {
    name,
    perTemplate: mode.toLowerCase() === "per_template",
    idle: !MODES.includes(mode.toLowerCase()),
    vars,
    varsToResults,
    getters: takeGetters(vars),
    lookups,
    macros,
    groups,
    inputs,
    outputs: assigned.global,
    groupOutputs: assigned.byGroup,
    children,
  };
}

const TEMPLATE_ATTRIBUTES = ["name", "results", "base_path", "pathchar"];
const MODES = ["per_input", "per_template"];
const KNOWN_ATTRIBUTES: ReadonlyMap<string, readonly string[]> = new Map([
  ["vars", ["name", "load", "include", "key"]],
  ["lookup", ["name", "load", "include", "key", "database"]],
  ["input", inputAttributeNames],
  ["output", outputAttributeNames],
]);

function warnOfTags(root: Element, mode: string, { warn }: Environment): void {
  const warnAt = ({ mark }: Element, message: string | undefined) => {
    if (message !== undefined) warn(`${placeText(mark)}: ${message}`);
  };
  for (const name of root.attributes.keys())
    warnAt(root, nearlyKnown("attribute of <template>", name, TEMPLATE_ATTRIBUTES));
  if (!MODES.includes(mode.toLowerCase()))
    warnAt(root, `${unknownName("mode of results", mode, MODES)} Nothing is parsed.`);
  for (const child of root.children) {
    const kind = TAGS.get(child.tag.toLowerCase());
    if (kind === undefined) warnAt(child, `${unknownName("tag", child.tag, TAGS.keys())} It is left out.`);
    const knownAttributes = KNOWN_ATTRIBUTES.get(kind ?? "") ?? [];
    for (const name of knownAttributes.length === 0 ? [] : child.attributes.keys())
      warnAt(child, nearlyKnown(`attribute of <${child.tag}>`, name, knownAttributes));
  }
}

/** Applies a macro of the extending template to the text of the other one. */
function extendMacro(
  name: string,
  text: string,
  tags: readonly Element[],
  env: Environment,
): string | undefined {
  if (name === "") return undefined;
  for (const tag of tags) {
    const body = env.interpreter.compile(tag.text).run(env.extraNames, env.meter).get(name);
    if (body !== undefined) return str(callValue(body, [text], undefined, env.meter), env.meter);
  }
  return undefined;
}

function readVars(tags: readonly Element[], initial: PyDict, env: Environment) {
  const vars = initial.copy();
  const varsToResults = new Map<string, Value[]>();
  for (const tag of tags) {
    const loaded = loadTag(tag.text, tag.attributes, env);
    const path = tag.attributes.get("name");
    if (loaded === null && path === undefined) continue;
    if (!(loaded instanceof PyDict))
      throw typeError(`variables must be a dictionary, not ${typeName(loaded)}`);
    for (const [key, value] of loaded.entries()) {
      vars.set(key, value);
      if (path !== undefined) varsToResults.set(path, [...(varsToResults.get(path) ?? []), key]);
    }
  }
  return { vars, varsToResults };
}

/** Removes the variables whose value names a getter, and returns them. */
function takeGetters(vars: PyDict): Map<Value, string> {
  const result = new Map<Value, string>();
  for (const [key, value] of vars.entries())
    if (typeof value === "string" && getters.has(value)) {
      result.set(key, value);
      vars.delete(key);
    }
  return result;
}

function readLookups(tags: readonly Element[], env: Environment): PyDict {
  const lookups = new PyDict();
  for (const tag of tags) {
    const name = tag.attributes.get("name");
    if (name === undefined) {
      env.warn("a look-up without a name");
      continue;
    }
    if ((tag.attributes.get("database") ?? "").toLowerCase() === "geoip2")
      throw new TemplateError("TemplateSyntax", "look-ups in a GeoIP2 database are not supported");
    const loaded = loadTag(tag.text, tag.attributes, env);
    if (loaded !== null) lookups.set(name, loaded);
  }
  return lookups;
}

function readInputs(
  tags: readonly Element[],
  groups: readonly Group[],
  basePath: string,
  env: Environment,
): Map<string, Input> {
  const inputs = new Map<string, Input>();
  const put = (input: Input) => {
    const existing = inputs.get(input.name);
    inputs.set(input.name, existing === undefined ? input : mergeInputs(existing, input));
  };
  for (const tag of tags) put(readInput(tag, groups, basePath, env));
  // A group may name a path instead of an input.
  for (const name of groups.flatMap((group) => group.inputs))
    if (!inputs.has(name)) {
      const data: Data[] = (findFiles(env.files, basePath + name) ?? []).filter(
        (item) => item.kind === "file",
      );
      put(givenInput(name, data, ["all"], groups));
    }
  return inputs;
}

/** Outputs that a group names do not run on the template's results. */
function assignOutputs(groups: readonly Group[], outputs: readonly Output[], env: Environment) {
  const global = [...outputs];
  const selected: Output[] = [];
  const byGroup = new Map<Group, Output[]>();
  for (const group of groups)
    for (const name of group.outputs) {
      // As in the reference, the output after a removed one is skipped: of two with the same name, the second
      // stays.
      for (let at = 0; at < global.length; at++)
        if (global[at]?.name === name) selected.push(...global.splice(at, 1));
      const found = selected.findLast((output) => output.name === name);
      if (found === undefined) env.warn(`the output '${name}' of the group '${group.name}' is not there`);
      else byGroup.set(group, [...(byGroup.get(group) ?? []), found]);
    }
  return { global, byGroup };
}
