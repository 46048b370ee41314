/** An input of a template: its texts, the groups that read them, and the functions applied first. */

import { compilePython, itemsOf, type Meter, PyDict, splitAt, str, type Value } from "../../python/index.ts";
import type { Environment } from "../environment.ts";
import { inputFunctions } from "../functions/inputs.ts";
import { loadStructure } from "../loaders/load.ts";
import type { Call } from "./attributes.ts";
import { type Datum, findFiles } from "./files.ts";
import type { Group } from "./group.ts";
import { unknownName } from "./mistakes.ts";
import type { Element } from "./xml.ts";

/** Text of a template, a file or a caller, or structured data for an input macro. */
export type Data = Datum | { readonly kind: "structured"; readonly value: Value };

export interface Input {
  readonly name: string;
  readonly groups: readonly number[];
  readonly functions: readonly Call[];
  readonly data: readonly Data[];
  /** The parsed text of the tag, for other programs, such as commands to run. */
  readonly parameters: PyDict;
}

export const DEFAULT_INPUT = "Default_Input";

function texts(value: Value, meter: Meter): string[] {
  if (typeof value === "string") return [value];
  return itemsOf(value, meter).map((item) => str(item, meter));
}

/** If groups name the input, only those read it; otherwise the groups that the input names. */
function groupsOf(name: string, groupNames: readonly string[], groups: readonly Group[]): number[] {
  const assigned = groups.filter((group) => group.inputs.includes(name));
  if (assigned.length > 0) return indexes(assigned);
  const isAll = groupNames.includes("all");
  return indexes(
    groups.filter((group) => group.inputs.length === 0 && (isAll || groupNames.includes(group.name))),
  );
}

function indexes(groups: readonly Group[]): number[] {
  return [...new Set(groups.map((group) => group.index))].sort((a, b) => a - b);
}

/** An input that the caller provides. */
export function givenInput(
  name: string,
  data: readonly Data[],
  groupNames: readonly string[],
  groups: readonly Group[],
): Input {
  return { name, groups: groupsOf(name, groupNames, groups), functions: [], data, parameters: new PyDict() };
}

export function readInput(
  source: Element,
  groups: readonly Group[],
  basePath: string,
  env: Environment,
): Input {
  const { meter, readCalls, warn } = env;
  let name = (source.attributes.get("name") ?? DEFAULT_INPUT).trim();
  let groupIndexes: number[] = [];
  let load = "python";
  let parameters = new PyDict();
  const functions: Call[] = [];
  const lists = { extensions: [] as string[], filters: [] as string[], url: [] as string[] };

  const chain = (text: string): void => {
    for (const call of readCalls(text)) {
      if (inputFunctions.has(call.name)) functions.push(call);
      else warn(unknownName("input function", call.name, inputFunctions.keys()));
    }
  };
  /** Applies a setting, which may be an attribute of the tag or come from its text. */
  const apply = (key: string, value: Value, text: string): void => {
    const attribute = key.toLowerCase();
    const single = str(value, meter);
    if (attribute === "name") name = single.trim();
    else if (attribute === "groups")
      groupIndexes = groupsOf(
        name,
        typeof value === "string" ? splitAt(value, ",") : texts(value, meter),
        groups,
      );
    else if (attribute === "functions") chain(single);
    else if (Object.hasOwn(lists, attribute)) lists[attribute as keyof typeof lists] = texts(value, meter);
    else if (attribute === "extract_commands")
      functions.push({
        name: key,
        args: splitAt(single, ",").filter((arg) => arg !== ""),
        kwargs: new Map(),
      });
    else if (attribute === "load") {
      load = single.trim();
      if (load !== "text") readParameters(text);
    } else if (inputFunctions.has(key)) functions.push(...readCalls(`${key}(${single})`).slice(0, 1));
  };
  const readParameters = (text: string): void => {
    const loaded = loadStructure(text, { load, include: source.attributes.get("include") }, env);
    if (!(loaded instanceof PyDict) || loaded.size === 0) return;
    parameters = loaded;
    for (const [key, value] of loaded.entries()) apply(str(key, meter), value, "");
  };
  for (const [key, value] of source.attributes) apply(key, value, source.text);
  if (!source.attributes.has("groups")) apply("groups", ["all"], source.text);
  if (!source.attributes.has("load")) apply("load", "python", source.text);

  const data: Data[] =
    load === "text" && source.text !== ""
      ? [{ kind: "text", text: source.text }]
      : lists.url.flatMap((url) => fromUrl(basePath + url, lists, env));
  return { name, groups: groupIndexes, functions, data, parameters };
}

/** @param filters patterns that must all match the file name. */
function fromUrl(
  path: string,
  { extensions, filters }: { extensions: readonly string[]; filters: readonly string[] },
  { files, warn }: Environment,
): Data[] {
  const matches = findFiles(files, path);
  if (matches === undefined) {
    // As in the reference, a path that does not exist is used as the text itself.
    warn(`there is no file '${path}'`);
    return [{ kind: "text", text: path }];
  }
  const isFile = matches.length === 1 && matches[0]?.kind === "file" && matches[0].path === path;
  if (isFile) return matches;
  const patterns = filters.map((pattern) => compilePython(pattern));
  return matches.filter((file) => {
    const name = file.kind === "file" ? (file.path.split("/").at(-1) ?? "") : "";
    if (extensions.length > 0 && !extensions.includes(name.split(".").at(-1) ?? "")) return false;
    return patterns.every((pattern) => pattern.search(name) !== null);
  });
}

/** Merges two inputs of the same name. */
export function mergeInputs(first: Input, second: Input): Input {
  const data = [...first.data];
  for (const entry of second.data) if (!data.some((other) => sameData(entry, other))) data.push(entry);
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
