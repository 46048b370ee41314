/** Runs a TTP case in process: its texts, variables, lookups and files, or its calls on a parser. */

import * as v from "valibot";
import { fromPlain, Meter, PyDict, toPlain } from "../../python/index.ts";
import { createParser, type Parser, type ParserOptions } from "../parser.ts";
import type { Files } from "../template/files.ts";
import "./loaded.ts";

const record = v.record(v.string(), v.unknown());
const names = v.nullish(v.union([v.string(), v.array(v.string())]));
const data = v.object({
  text: v.optional(v.string()),
  structured: v.optional(v.unknown()),
  input: v.string(),
  template: v.string(),
  groups: v.nullish(v.array(v.string())),
});
const template = v.object({ text: v.string(), name: v.nullish(v.string()), filters: names });
const lookup = v.object({
  name: v.string(),
  text_data: v.nullish(v.string()),
  load: v.nullish(v.string()),
  key: v.nullish(v.string()),
  include: v.nullish(v.string()),
});
const step = v.looseObject({ op: v.string() });
export const caseSchema = v.object({
  id: v.string(),
  template: v.optional(v.string()),
  templates: v.optional(v.array(template)),
  data: v.optional(v.array(data), []),
  vars: v.optional(record),
  lookups: v.optional(v.array(lookup)),
  options: v.optional(record, {}),
  files: v.optional(v.record(v.string(), v.string()), {}),
  ttp_templates_dir: v.optional(v.string()),
  result_args: v.optional(record, {}),
  steps: v.optional(v.array(step)),
  expected: v.optional(v.unknown()),
  error: v.optional(record),
  features: v.array(v.string()),
  skip: v.optional(v.boolean()),
});
export type Case = v.InferOutput<typeof caseSchema>;

const normal = (path: string) => path.replace(/^(?:\.\/)+/, "");

function filesOf(one: Case): Files {
  const files = new Map(Object.entries(one.files).map(([path, text]) => [normal(path), text]));
  const folder =
    one.ttp_templates_dir === undefined ? undefined : normal(one.ttp_templates_dir).replace(/\/$/, "");
  return {
    read: (path) =>
      files.get(normal(path)) ?? (folder === undefined ? undefined : files.get(`${folder}/${path}`)),
    list(path) {
      const prefix = `${normal(path).replace(/\/$/, "")}/`;
      const found = [...files.keys()]
        .filter((key) => key.startsWith(prefix))
        .map((key) => key.slice(prefix.length));
      return found.length === 0 ? undefined : found.filter((key) => !key.includes("/"));
    },
  };
}

const dict = (value: unknown): PyDict => {
  const made = fromPlain(value ?? {});
  return made instanceof PyDict ? made : new PyDict();
};
const list = (value: string | string[] | null | undefined): string[] =>
  value === null || value === undefined ? [] : typeof value === "string" ? [value] : value;

function addLookup(parser: Parser, one: v.InferOutput<typeof lookup>): void {
  parser.addLookup(one.name, {
    text: one.text_data ?? "",
    load: one.load ?? undefined,
    include: one.include ?? undefined,
    key: one.key ?? undefined,
  });
}

function addData(parser: Parser, one: v.InferOutput<typeof data>): void {
  const where = { name: one.input, template: one.template, groups: one.groups ?? undefined };
  if (one.text === undefined) parser.addInput(fromPlain(one.structured), where);
  else if (!parser.addFileInput(one.text, where)) parser.addInput(one.text, where);
}

function result(parser: Parser, args: Record<string, unknown>): unknown {
  const { structure, templates, ...output } = args;
  const made = parser.result({
    structure: v.parse(v.optional(v.string(), "list"), structure),
    templates: list(v.parse(names, templates)),
    output: dict(output),
  });
  return toPlain(made, new Meter());
}

/** @returns the result of the case. */
export function runCase(one: Case): unknown {
  const options: ParserOptions = {
    files: filesOf(one),
    vars: dict(one.vars),
    keysToInt: one.options.dynamic_path_key_to_int === true,
    basePath: v.parse(v.optional(v.string(), ""), one.options.base_path),
  };
  if (one.steps !== undefined) return runSteps(one.steps, options);
  const parser = createParser(options);
  if (one.template !== undefined) parser.addTemplate(one.template);
  for (const { text, name, filters } of one.templates ?? [])
    parser.addTemplate(text, name ?? undefined, list(filters));
  for (const table of one.lookups ?? []) addLookup(parser, table);
  for (const item of one.data) addData(parser, item);
  parser.parse();
  return result(parser, one.result_args);
}

function runSteps(steps: readonly v.InferOutput<typeof step>[], options: ParserOptions): unknown {
  let parser = createParser(options);
  let last: unknown;
  for (const { op, ...args } of steps) {
    if (op === "new") parser = createParser({ ...options, vars: dict(args.vars) });
    else if (op === "add_template") {
      const { text, name, filters } = v.parse(template, args);
      parser.addTemplate(text, name ?? undefined, list(filters));
    } else if (op === "add_input") addData(parser, v.parse(data, args));
    else if (op === "clear_input") parser.clearInput(v.parse(v.optional(v.string()), args.template));
    else if (op === "clear_result") parser.clearResult(list(v.parse(names, args.templates)));
    else if (op === "add_vars") parser.addVars(dict(args.vars));
    else if (op === "add_lookup") addLookup(parser, v.parse(lookup, args));
    else if (op === "parse") parser.parse();
    else if (op === "result") last = result(parser, v.parse(record, args.args));
    else throw new Error(`unknown step ${op}`);
  }
  return last;
}

/** Equal as JSON values; key order does not matter. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) || Array.isArray(b))
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((one, i) => sameJson(one, b[i]))
    );
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  const [x, y] = [Object.entries(a), new Map(Object.entries(b))];
  return x.length === y.size && x.every(([key, value]) => y.has(key) && sameJson(value, y.get(key)));
}
