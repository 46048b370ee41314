/** A match variable: its name, patterns and functions, and its effect on its line. */
import { type PyDict, stripEnd, TemplateError, type Value } from "../../python/index.ts";
import type { Environment } from "../environment.ts";
import { variableOr } from "../functions/functions.ts";
import type { Call } from "./attributes.ts";
import { bracesOf, withoutBraces } from "./braces.ts";
import { INDICATORS, isFunctionName, unknownFunction } from "./function-names.ts";
import { unknownName } from "./mistakes.ts";
import { patterns } from "./patterns.ts";

export type Action = "start" | "startempty" | "add" | "join" | "end";

export interface Variable {
  /** The text between the braces. */
  readonly source: string;
  /** Regex group name. */
  readonly group: string;
  /** Result name. */
  readonly name: string;
  readonly action: Action;
  readonly isLine: boolean;
  /** `ignore`: matches but yields no result. */
  readonly silent: boolean;
  /** An unconditional `set`: the line has no regex. */
  readonly withoutRegex: boolean;
  readonly patterns: readonly string[];
  readonly functions: readonly Call[];
  readonly head: Call;
  readonly calls: readonly Call[];
}

/** The group's settings for its variables; `defaults` collects theirs. */
export interface VariableContext extends Pick<Environment, "readCalls" | "warn"> {
  readonly vars: PyDict;
  /** Default for all variables of the group, if any. */
  readonly groupDefault: string | undefined;
  readonly defaults: Map<string, Value>;
}

const WITHOUT_DEFAULT = ["_end_", "_line_", "ignore", "_start_"];
/** Functions whose arguments may name template variables. */
const FROM_VARIABLES = [
  ...["contains_re", "startswith_re", "endswith_re", "notstartswith_re", "notendswith_re", "exclude_re"],
  ...["exclude", "contains", "equal", "notequal", "sformat"],
];

export function variablesOf(line: string): string[] {
  return bracesOf(line).map(({ source }) => source);
}

export function readVariable(source: string, line: string, context: VariableContext): Variable {
  const { vars, readCalls, groupDefault, defaults, warn } = context;
  const [head, ...calls] = readCalls(source);
  if (head === undefined)
    throw new TemplateError("TemplateSyntax", `a variable without a name in '${line.trim()}'`);
  const { name } = head;
  const group = sanitised(name);
  const state = {
    action: "add" as Action,
    isLine: false,
    silent: false,
    withoutRegex: false,
    patterns: [] as string[],
    functions: [] as Call[],
  };
  if (groupDefault !== undefined && !defaults.has(name) && !WITHOUT_DEFAULT.includes(name))
    defaults.set(name, groupDefault);

  const addPattern = (call: Call): void => {
    const patternName = call.args[0] ?? call.name;
    const fromVars = vars.get(patternName);
    const pattern = isGiven(fromVars)
      ? fromVars
      : typeof patternName === "string"
        ? (patterns.get(patternName) ?? patternName)
        : patternName;
    if (typeof pattern !== "string")
      throw new TemplateError("TemplateSyntax", `the pattern of '${name}' is not a text in '${line.trim()}'`);
    if (call.name === "re") warnOfAnchors(pattern, warn);
    state.patterns.push(pattern);
  };
  const set = (call: Call): void => {
    const text = stripEnd(withoutBraces(line));
    const [value] = call.args;
    if (text !== "") {
      state.functions.push({ ...call, kwargs: new Map([...call.kwargs, ["match_line", `\n${text}`]]) });
      return;
    }
    if (value === undefined) throw new TemplateError("TemplateSyntax", `set of '${name}' needs a value`);
    defaults.set(name, value);
    state.withoutRegex = true;
  };
  const chain = (call: Call): void => {
    const items = vars.get(call.args[0] ?? "");
    if (items === undefined || items === null) {
      const variableName = String(call.args[0]);
      warn(`${unknownName("template variable", variableName, vars.keys().map(String))} (chain of '${name}')`);
      return;
    }
    const texts = Array.isArray(items) ? items : [items];
    for (const text of texts) for (const call of readCalls(String(text))) apply(call);
  };
  let anyType = false;
  const check = (call: Call): void => {
    // A macro's result may have any method.
    anyType ||= call.name === "macro" || call.name === "chain";
    if (!anyType && !isFunctionName(call.name)) warn(`${unknownFunction(call.name)} (of '${name}')`);
    const unquoted = FROM_VARIABLES.includes(call.name)
      ? call.bare?.find((name) => !vars.has(name))
      : undefined;
    if (unquoted !== undefined)
      warn(`${call.name}(${unquoted}): '${unquoted}' is taken for a text: put it in quotes (of '${name}')`);
  };
  const indicators: Readonly<Record<string, (call: Call) => void>> = {
    ignore() {
      state.silent = true;
    },
    _start_() {
      state.action = group === "_start_" ? "startempty" : "start";
    },
    _end_() {
      state.action = "end";
    },
    _line_(call) {
      state.action = "join";
      state.isLine = true;
      addPattern(call);
    },
    _headers_() {
      state.action = "start";
    },
    chain,
    set,
    default({ args }) {
      if (!WITHOUT_DEFAULT.includes(name)) defaults.set(name, args.length === 1 ? (args[0] ?? null) : "None");
    },
    joinmatches(call) {
      state.functions.push(call);
      state.action = "join";
    },
    re: addPattern,
  };
  const apply = (call: Call): void => {
    if (INDICATORS.includes(call.name)) indicators[call.name]?.(call);
    else if (FROM_VARIABLES.includes(call.name))
      state.functions.push({ ...call, args: call.args.map((arg) => named(arg, vars)) });
    else if (patterns.has(call.name)) addPattern(call);
    else state.functions.push(call);
  };

  // A variable with the name of an indicator or function acts as one.
  if (INDICATORS.includes(group) || FROM_VARIABLES.includes(group)) apply({ ...head, name: group });
  for (const call of calls) {
    check(call);
    apply(call);
  }
  return { source, group, name, ...state, head, calls };
}

/** Each match starts after a line feed and ends before one, so anchors do not work. */
function warnOfAnchors(pattern: string, warn: (message: string) => void): void {
  if (pattern.includes("(?")) return;
  if (pattern.startsWith("^")) warn(`re("${pattern}"): '^' never matches within a line, leave it out`);
  if (/(?:^|[^\\])\$$/.test(pattern))
    warn(`re("${pattern}"): '$' matches at the end of the whole text only, leave it out`);
}

/** The template variable of that name, otherwise the text itself. */
function named(argument: Value, vars: PyDict): Value {
  return typeof argument === "string" ? variableOr(vars, argument) : argument;
}

function isGiven(value: Value | undefined): value is Value {
  return value !== undefined && value !== null && value !== "" && value !== false;
}

/** Replaces characters other than letters, digits and `_` with `_`, and puts one before a leading digit. */
export function sanitised(name: string): string {
  return name.replace(/[^\p{L}\p{N}_]+|^(?=\p{Nd})/gu, "_");
}
