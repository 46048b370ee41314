/** Runs the regexes of a group and its children over a text, and the functions of the variables on each match. */
import { TemplateError } from "patchbay/plugin";
import { callValue, isCallable } from "../python/call.ts";
import { PyDict } from "../python/dict.ts";
import { PyError } from "../python/errors.ts";
import { attribute } from "../python/methods.ts";
import type { Found } from "../python/regex/found.ts";
import type { Value } from "../python/values.ts";
import { typeName } from "../python/values.ts";
import type { Call } from "./attributes.ts";
import { Entries, type Entry } from "./entries.ts";
import { isFunctionName } from "./function-names.ts";
import type { Group, Line } from "./group.ts";
import { matchFunction } from "./match/index.ts";
import type { Outcome, Runtime } from "./runtime.ts";
import { cutSubject, findAll, type Subject } from "./scan.ts";

/** @returns the matches in the order of the text. */
export function matchGroup(group: Group, subject: Subject, rt: Runtime): Entry[] {
  const entries = new Entries();
  visit(group, subject, 0, entries, rt);
  return entries.sorted();
}

function visit(group: Group, subject: Subject, from: number, entries: Entries, rt: Runtime): void {
  let first = Number.POSITIVE_INFINITY;
  let lastStart = 0;
  for (const line of group.start) {
    const found = findAll(line.pattern, subject, from);
    const [head] = found;
    const tail = found.at(-1);
    if (head === undefined || tail === undefined) continue;
    check(line, found, entries, rt);
    first = Math.min(first, head.start);
    if (!line.isLine && lastStart < tail.start - from) lastStart = tail.end;
  }
  if (first === Number.POSITIVE_INFINITY) {
    if (group.hasStartDefault) addDefaults(group, entries);
    for (const child of group.children)
      if (group.start.length === 0 || child.hasStartDefault) visit(child, subject, from, entries, rt);
    return;
  }
  let inner = subject;
  let end = -1;
  for (const line of group.end) {
    const found = findAll(line.pattern, subject, first);
    const tail = found.at(-1);
    if (tail === undefined) continue;
    check(line, found, entries, rt);
    const reached = tail.end - first;
    if (end < reached && reached > lastStart) end = reached;
  }
  if (end !== -1) {
    inner = cutSubject(subject, first + end);
    entries.drop(group, first + end);
  }
  for (const line of group.normal) check(line, findAll(line.pattern, inner, first), entries, rt);
  for (const child of group.children) visit(child, inner, first, entries, rt);
}

function addDefaults(group: Group, entries: Entries): void {
  const [line] = group.start;
  entries.addBehind(line ?? startWithoutLine(group), new PyDict());
}

/** A group of defaults only has no line that could start it. */
function startWithoutLine(group: Group): Line {
  return { pattern: NO_PATTERN, variables: new Map(), action: "start", group, isLine: false };
}

const NO_PATTERN: Line["pattern"] = {
  get regex(): never {
    throw new Error("a start without a line is never matched");
  },
  prefix: undefined,
  names: [],
};

function check(line: Line, found: readonly Found[], entries: Entries, rt: Runtime): void {
  rt.meter.step(found.length);
  for (const match of found) {
    const result = matchResult(line, match, rt);
    if (result === false && !line.action.startsWith("start")) continue;
    entries.add(match.start, line, result);
  }
}

function matchResult({ pattern, variables }: Line, match: Found, rt: Runtime): PyDict | false {
  const result = new PyDict();
  if (pattern.names.length === 0) {
    const text = match.group(0);
    for (const name of variables.keys()) if (!addValue(name, text, variables, result, rt)) return false;
    return result;
  }
  for (const [name, group] of pattern.names)
    if (!addValue(name, match.group(group), variables, result, rt)) return false;
  return result;
}

function addValue(
  name: string,
  text: Value,
  variables: Line["variables"],
  result: PyDict,
  rt: Runtime,
): boolean {
  const variable = variables.get(name);
  if (variable === undefined)
    throw new TemplateError("TemplateRuntime", `the group '${name}' of a regex is no match variable`);
  let data = text;
  let fields: PyDict | undefined;
  for (const call of variable.functions) {
    const outcome = applyFunction(call, data, rt);
    data = outcome.data;
    const { flag } = outcome;
    if (flag === false) return false;
    if (!(flag instanceof PyDict)) continue;
    if (fields === undefined) fields = flag;
    else for (const [key, value] of flag.entries()) fields.set(key, value);
  }
  result.set(variable.name, data);
  if (fields !== undefined) for (const [key, value] of fields.entries()) result.set(key, value);
  return true;
}

function applyFunction(call: Call, data: Value, rt: Runtime): Outcome {
  const known = matchFunction(call.name);
  if (known !== undefined) {
    try {
      return known(data, call.args, call.kwargs, rt);
    } catch (error) {
      // The reference takes any KeyError for an unknown function.
      if (!(error instanceof PyError) || error.pythonType !== "KeyError") throw error;
    }
  }
  return ownMethod(call, data, rt);
}

/** A function that the language does not know is a method or attribute of the value. */
function ownMethod({ name, args, kwargs }: Call, data: Value, rt: Runtime): Outcome {
  const found = attribute(data, name, rt.meter);
  if (found === undefined) {
    // A name that nothing has was told when the template was read.
    if (isFunctionName(name)) rt.warn(`unknown function '${name}' for a value of type ${typeName(data)}`);
    return { data, flag: null };
  }
  const value = isCallable(found) ? callValue(found, args, kwargs, rt.meter) : found;
  return typeof value === "boolean" ? { data, flag: value } : { data: value, flag: null };
}
