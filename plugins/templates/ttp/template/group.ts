/** A group of a template: the path of its results, its functions, and the regexes of its lines. */
import {
  PatternError,
  PyDict,
  placed,
  splitAt,
  strip,
  stripEnd,
  stripStart,
  TemplateError,
  type Value,
} from "../../python/index.ts";
import type { Environment } from "../environment.ts";
import { variableOr } from "../functions/functions.ts";
import { groupAttributeNames, groupFunctions } from "../functions/group/index.ts";
import type { GroupId } from "../run/record.ts";
import { compileLine, type LinePattern } from "../run/scan.ts";
import type { Call } from "./attributes.ts";
import { bracesOf, withoutBraces } from "./braces.ts";
import { headersRegex, lineRegex, withVariable } from "./line.ts";
import { type PlacedLine, placedLines, placeText, unknownName } from "./mistakes.ts";
import { type Action, readVariable, type Variable, type VariableContext, variablesOf } from "./variable.ts";
import type { Element, Mark } from "./xml.ts";

export interface Line {
  readonly pattern: LinePattern;
  /** By regex group name and by result name. */
  readonly variables: ReadonlyMap<string, Variable>;
  action: Action;
  readonly group: Group;
  readonly isLine: boolean;
}

export interface Group {
  readonly path: readonly string[];
  readonly name: string;
  readonly id: GroupId;
  readonly parent: GroupId | undefined;
  readonly index: number;
  /** Inputs that only this group reads; set for top-level groups only. */
  readonly inputs: readonly string[];
  /** Outputs for this group's results; set for top-level groups only. */
  readonly outputs: readonly string[];
  readonly functions: readonly Call[];
  readonly defaults: ReadonlyMap<string, Value>;
  /** Whether the group yields its defaults without a match. */
  readonly hasStartDefault: boolean;
  readonly start: readonly Line[];
  readonly normal: readonly Line[];
  readonly end: readonly Line[];
  readonly children: readonly Group[];
}

export interface GroupContext extends Pick<Environment, "readCalls" | "warn"> {
  readonly pathChar: string;
  readonly vars: PyDict;
}

interface Place {
  readonly path: readonly string[];
  readonly parent: GroupId | undefined;
  readonly index: number;
}

export function readGroup(source: Element, context: GroupContext, index: number): Group {
  return makeGroup(source, context, { path: [], parent: undefined, index });
}

function groupId(name: string, index: number): GroupId {
  return { name, key: `${name}\0${index}` };
}

function makeGroup(source: Element, context: GroupContext, place: Place): Group {
  const attributes = readAttributes(source, context, place);
  const group = newGroup(attributes, place);
  addLines(group, placedLines(source.text, source.textMarks), context, false);
  source.children.forEach((child, i) => {
    if (!GROUP_TAGS.includes(child.tag.toLowerCase()))
      context.warn(
        `${placeText(child.mark)}: ${unknownName("tag", child.tag, GROUP_TAGS)} It is read as <group>.`,
      );
    group.children.push(
      makeGroup(child, context, { path: attributes.path, parent: attributes.id, index: i }),
    );
    if (strip(child.tail) !== "") addLines(group, placedLines(child.tail, child.tailMarks), context, true);
  });
  warnOfGroup(group, source.mark, context.warn);
  return group;
}

const GROUP_TAGS = ["group", "grp", "g"];
const METHODS = ["group", "table"];

/** A group before its attributes and lines are parsed. */
const newGroup = <Made extends object>(attributes: Made, { parent, index }: Place) => ({
  ...attributes,
  parent,
  index,
  defaults: new Map<string, Value>(),
  hasStartDefault: false,
  start: [] as Line[],
  normal: [] as Line[],
  end: [] as Line[],
  children: [] as Group[],
});
type Building = ReturnType<typeof newGroup<ReturnType<typeof readAttributes>>>;

function readAttributes({ attributes, mark }: Element, outer: GroupContext, place: Place) {
  const context = { ...outer, warn: (message: string) => outer.warn(`${placeText(mark)}: ${message}`) };
  const { vars, readCalls, pathChar, warn } = context;
  const isTop = place.parent === undefined;
  const settings = {
    path: [...place.path],
    name: "",
    id: groupId("", place.index),
    inputs: [] as string[],
    outputs: [] as string[],
    functions: [] as Call[],
    method: "group",
    default: undefined as Value | undefined,
  };
  for (const [key, text] of attributes) {
    switch (key.toLowerCase()) {
      case "name":
        settings.path = pathOf(text, settings.path, pathChar);
        settings.name = settings.path.join(".");
        settings.id = groupId(settings.name, place.index);
        break;
      case "method":
        settings.method = strip(text.toLowerCase());
        if (!METHODS.includes(settings.method)) warn(unknownName("method", text, METHODS));
        break;
      case "input":
        if (isTop) settings.inputs = splitAt(text, ",");
        break;
      case "output":
        if (isTop) settings.outputs = splitAt(text, ",");
        break;
      case "default":
        settings.default = variableOr(vars, text);
        break;
      case "chain":
      case "functions":
        settings.functions.push(...chain(text, context));
        break;
      default:
        if (!groupFunctions.has(key)) warn(unknownName("attribute or function", key, groupAttributeNames));
        for (const call of readCalls(`${key}(${text})`).slice(0, 1))
          settings.functions.push({ ...call, line: mark.line });
    }
  }
  if (settings.name === "") {
    if (isTop) settings.path = ["_anonymous_*"];
    settings.name = settings.path.join(".");
    settings.id = groupId(`${settings.name}._anonymous_`, place.index);
  }
  return settings;
}

/** A leading `/` makes the path absolute. */
function pathOf(name: string, parent: readonly string[], pathChar: string): string[] {
  if (!name.startsWith("/")) return [...parent, ...name.split(pathChar)];
  const rest = name.replace(/^\/+/, "");
  if (parent.includes("_anonymous_")) return ["_anonymous_*", ...rest.split(pathChar)];
  return name === "/" ? ["_anonymous_*"] : rest.split(pathChar);
}

/** Parses a chain of functions, or the name of a variable that holds one. */
function chain(text: string, { vars, readCalls, warn }: GroupContext): Call[] {
  const value = variableOr(vars, text);
  const texts = Array.isArray(value) ? value : [value];
  return texts
    .flatMap((chain) => readCalls(String(chain)))
    .filter((call) => {
      const isKnown = groupFunctions.has(call.name);
      if (!isKnown) warn(unknownName("group function", call.name, groupFunctions.keys()));
      return isKnown;
    });
}

/** @param tail lines after a child group, which never start the group. */
function addLines(group: Building, texts: readonly PlacedLine[], context: GroupContext, tail: boolean): void {
  const lines: Line[] = [];
  const seen = new Map<string, number>();
  for (const { text, line: number, from } of texts) {
    if (strip(text) === "" || stripStart(text).startsWith("##")) continue;
    const source = stripEnd(text);
    const warn = (message: string) => context.warn(`${placeText({ line: number, from })}: ${message}`);
    warnOfLine(source, seen.get(source), warn);
    seen.set(source, number);
    if (variablesOf(source).length === 0) continue;
    try {
      const line = readLine(group, source, { ...context, warn });
      if (line !== undefined) lines.push(line);
    } catch (error) {
      throw placed(error, from === undefined ? { line: number } : { line: number, template: from });
    }
  }
  lines.forEach((line, i) => {
    if (line.action === "end") group.end.push(line);
    else if (tail) group.normal.push(line);
    else if (i === 0 || group.method === "table" || line.action.startsWith("start")) {
      if (!line.action.startsWith("start")) line.action = "start";
      group.start.push(line);
    } else group.normal.push(line);
  });
  if (group.default instanceof PyDict) {
    for (const [key, value] of group.default.entries()) group.defaults.set(String(key), value);
    if (group.start.length === 0) group.hasStartDefault = true;
  }
  group.hasStartDefault ||= group.start.some((line) =>
    [...line.variables.keys()].some((name) => group.defaults.has(name)),
  );
}

function readLine(group: Building, source: string, context: GroupContext): Line | undefined {
  const { vars, readCalls, warn } = context;
  const variableContext: VariableContext = {
    vars,
    readCalls,
    warn,
    defaults: group.defaults,
    groupDefault: typeof group.default === "string" ? group.default : undefined,
  };
  const variables = new Map<string, Variable>();
  let regex = "";
  let action: Action = "add";
  let isLine = false;
  let skipped = false;
  for (const text of variablesOf(source)) {
    const variable = readVariable(text, source, variableContext);
    if (variable.withoutRegex) {
      skipped = true;
      continue;
    }
    if (!variable.silent) {
      variables.set(variable.group, variable);
      variables.set(variable.name, variable);
    }
    regex = withVariable(regex === "" ? lineRegex(source) : regex, variable, source, vars);
    if (variable.group === "_headers_")
      for (const name of headersRegex(source, `{{${text}}}`, variable).names)
        variables.set(name, readVariable(`${name} | strip | exclude(${name})`, "", variableContext));
    isLine ||= variable.isLine;
    if (!action.startsWith("start") && variable.group !== "ignore") action = variable.action;
  }
  if (skipped) return undefined;
  return { pattern: compiled(regex, source), variables, action, group, isLine };
}

function compiled(regex: string, source: string): LinePattern {
  try {
    return compileLine(regex);
  } catch (error) {
    if (error instanceof PatternError)
      throw new TemplateError(
        "TemplateSyntax",
        `${error.message} in the regex of the line '${source}': ${regex}`,
      );
    throw error;
  }
}

type Warn = (message: string) => void;

/** Warnings for lines and groups that never match, or not as their author expects. */
interface GroupParts {
  readonly name: string;
  readonly hasStartDefault: boolean;
  readonly defaults: ReadonlyMap<string, unknown>;
  readonly start: readonly unknown[];
  readonly normal: readonly unknown[];
  readonly end: readonly unknown[];
  readonly children: readonly unknown[];
}

/** Warns of a group that can never start. */
function warnOfGroup(group: GroupParts, mark: Mark, warn: Warn): void {
  if (group.start.length > 0 || group.hasStartDefault || group.defaults.size > 0) return;
  if (group.normal.length > 0 || group.end.length > 0)
    warn(`${placeText(mark)}: no line begins ${called(group)}: it never matches`);
  else if (group.children.length === 0)
    warn(`${placeText(mark)}: ${called(group)} has no line with a variable: it never matches`);
}

const called = ({ name }: GroupParts): string =>
  name === "" || name.startsWith("_anonymous_") ? "the group" : `the group '${name}'`;

const INDICATORS = ["_start_", "_end_"];

/** @param same number of an earlier line with the same text. */
function warnOfLine(source: string, same: number | undefined, warn: Warn): void {
  const rest = withoutBraces(source);
  if (rest.includes("{{") || rest.includes("}}"))
    warn(`'${shortened(strip(source))}' has braces that are not closed`);
  else if (rest.length === source.length)
    warn(`'${shortened(strip(source))}' has no variable and is not looked for`);
  else if (same !== undefined) warn(`'${shortened(strip(source))}' stands in line ${same} already`);
  if (!INDICATORS.some((indicator) => source.includes(indicator))) return;
  const variables = bracesOf(source).map((braces) => ({
    ...braces,
    name: strip(braces.source.split("|")[0] ?? ""),
  }));
  const at = variables.findIndex(({ name }) => INDICATORS.includes(name));
  const indicator = variables[at];
  if (indicator === undefined || !variables.slice(at + 1).some(({ name }) => !/^_\w+_$/.test(name))) return;
  const behind = shortened(strip(source.slice(indicator.end)));
  warn(`what stands behind {{ ${indicator.name} }} is not looked at: '${behind}'`);
}

const shortened = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text);
