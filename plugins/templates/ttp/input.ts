/** An input of a template: its texts, the groups that read them, and functions that change them first. */
import { PyDict } from "../python/dict.ts";
import { itemsOf } from "../python/iterate.ts";
import type { Meter } from "../python/limits.ts";
import { compilePython } from "../python/regex/index.ts";
import { str } from "../python/repr.ts";
import type { Value } from "../python/values.ts";
import type { Call, ReadCalls } from "./attributes.ts";
import { type Files, findFiles } from "./files.ts";
import type { Group } from "./group.ts";
import { inputFunctionNames } from "./input-functions.ts";
import { unknownName } from "./mistakes.ts";
import type { Element } from "./xml.ts";

/** Text of a template, a file or a caller, or what a caller gives for an input macro. */
export type Data =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "file"; readonly text: string; readonly path: string }
  | { readonly kind: "structured"; readonly value: Value };

export interface Input {
  readonly name: string;
  readonly groups: readonly number[];
  readonly functions: readonly Call[];
  readonly data: readonly Data[];
  /** What the text of its tag gave: for other programs, such as commands to run. */
  readonly parameters: PyDict;
}

export interface InputContext {
  readonly groups: readonly Group[];
  readonly basePath: string;
  readonly files: Files;
  readonly meter: Meter;
  readonly readCalls: ReadCalls;
  readonly isInputFunction: (name: string) => boolean;
  readonly load: (text: string, load: string, include: string | undefined) => Value;
  readonly warn: (message: string) => void;
}

export const DEFAULT_INPUT = "Default_Input";

interface Building {
  name: string;
  groups: number[];
  functions: Call[];
  parameters: PyDict;
  load: string;
  extensions: string[];
  filters: string[];
  urls: string[];
}

const list = (text: string): string[] => text.split(",").map((one) => one.trim());

function texts(value: Value, meter: Meter): string[] {
  if (typeof value === "string") return [value];
  return itemsOf(value, meter).map((one) => str(one, meter));
}

/** Groups that name the input come before those the input names. */
function groupsOf(name: string, wanted: readonly string[], groups: readonly Group[]): number[] {
  const own = groups.filter((group) => group.inputs.includes(name));
  if (own.length > 0) return indexes(own);
  const all = wanted.includes("all");
  return indexes(groups.filter((group) => group.inputs.length === 0 && (all || wanted.includes(group.name))));
}

function indexes(groups: readonly Group[]): number[] {
  return [...new Set(groups.map((group) => group.index))].sort((a, b) => a - b);
}

/** An input that a caller gives. */
export function givenInput(
  name: string,
  data: readonly Data[],
  wanted: readonly string[],
  groups: readonly Group[],
): Input {
  return { name, groups: groupsOf(name, wanted, groups), functions: [], data, parameters: new PyDict() };
}

export function readInput(source: Element, context: InputContext): Input {
  const { meter, groups, readCalls, isInputFunction, warn } = context;
  const made: Building = {
    name: (source.attributes.get("name") ?? DEFAULT_INPUT).trim(),
    groups: [],
    functions: [],
    parameters: new PyDict(),
    load: "python",
    extensions: [],
    filters: [],
    urls: [],
  };
  const attributes = new Map<string, Value>(source.attributes);
  if (!attributes.has("groups")) attributes.set("groups", ["all"]);
  if (!attributes.has("load")) attributes.set("load", "python");

  const chained = (text: string): void => {
    for (const call of readCalls(text)) {
      if (isInputFunction(call.name)) made.functions.push(call);
      else warn(unknownName("input function", call.name, inputFunctionNames));
    }
  };
  const apply = (key: string, value: Value, text: string): void => {
    switch (key.toLowerCase()) {
      case "name":
        made.name = str(value, meter).trim();
        return;
      case "load":
        made.load = str(value, meter).trim();
        if (made.load !== "text") parameters(text);
        return;
      case "groups":
        made.groups = groupsOf(
          made.name,
          typeof value === "string" ? list(value) : texts(value, meter),
          groups,
        );
        return;
      case "extensions":
        made.extensions = texts(value, meter);
        return;
      case "filters":
        made.filters = texts(value, meter);
        return;
      case "url":
        made.urls = texts(value, meter);
        return;
      case "functions":
        chained(str(value, meter));
        return;
      case "extract_commands":
        made.functions.push({
          name: key,
          args: list(str(value, meter)).filter((one) => one !== ""),
          kwargs: new Map(),
        });
        return;
    }
    if (isInputFunction(key)) made.functions.push(...readCalls(`${key}(${str(value, meter)})`).slice(0, 1));
  };
  const parameters = (text: string): void => {
    const include = attributes.get("include");
    const loaded = context.load(text, made.load, typeof include === "string" ? include : undefined);
    if (!(loaded instanceof PyDict) || loaded.size === 0) return;
    made.parameters = loaded;
    for (const [key, value] of loaded.entries()) apply(str(key, meter), value, "");
  };
  for (const [key, value] of attributes) apply(key, value, source.text);

  const { name, functions } = made;
  const data: Data[] =
    made.load === "text" && source.text !== ""
      ? [{ kind: "text", text: source.text }]
      : made.urls.flatMap((url) => fromUrl(context.basePath + url, made, context));
  return { name, groups: made.groups, functions, data, parameters: made.parameters };
}

function fromUrl(path: string, { extensions, filters }: Building, { files, warn }: InputContext): Data[] {
  const found = findFiles(files, path);
  if (found === undefined) {
    // As in the reference, a path that leads nowhere is taken for the text itself.
    warn(`there is no file '${path}'`);
    return [{ kind: "text", text: path }];
  }
  const isFile = found.length === 1 && found[0]?.kind === "file" && found[0].path === path;
  if (isFile) return found;
  const patterns = filters.map((one) => compilePython(one));
  return found.filter((one) => {
    const name = one.kind === "file" ? (one.path.split("/").at(-1) ?? "") : "";
    if (extensions.length > 0 && !extensions.includes(name.split(".").at(-1) ?? "")) return false;
    return patterns.every((pattern) => pattern.search(name) !== null);
  });
}

/** Two inputs of one name are one. */
export function mergeInputs(first: Input, second: Input): Input {
  const data = [...first.data];
  for (const one of second.data) if (!data.some((other) => sameData(one, other))) data.push(one);
  const groups = [...new Set([...first.groups, ...second.groups])].sort((a, b) => a - b);
  return { ...first, data, groups };
}

function sameData(a: Data, b: Data): boolean {
  if (a.kind === "structured" || b.kind === "structured") return a === b;
  return (
    a.kind === b.kind &&
    a.text === b.text &&
    (a.kind === "file" ? a.path : "") === (b.kind === "file" ? b.path : "")
  );
}
