/** Runs the regexes of a group and its children on a text, and the variables' functions on each match. */

import { type Answer, PyDict } from "../../python/index.ts";
import type { Group, Line } from "../template/group.ts";
import { Entries, type Entry } from "./entries.ts";
import { planOf, resultOf } from "./line-plan.ts";
import type { Runtime } from "./runtime.ts";
import { endOf, findAll, partOf } from "./scan.ts";

/** @returns the matches in text order. */
export function matchGroup(group: Group, text: string, rt: Runtime): Entry[] {
  const entries = new Entries();
  visit(group, text, 0, entries, rt);
  return entries.sorted();
}

function visit(group: Group, text: string, from: number, entries: Entries, rt: Runtime): void {
  let first = Number.POSITIVE_INFINITY;
  let lastStart = 0;
  for (const line of group.start) {
    const matches = findAll(line.pattern, text, from);
    const [head] = matches;
    const tail = matches.at(-1);
    if (head === undefined || tail === undefined) continue;
    check(line, matches, entries, rt);
    first = Math.min(first, head.index);
    if (!line.isLine && lastStart < tail.index - from) lastStart = endOf(tail);
  }
  if (first === Number.POSITIVE_INFINITY) {
    if (group.hasStartDefault) addDefaults(group, entries);
    for (const child of group.children)
      if (group.start.length === 0 || child.hasStartDefault) visit(child, text, from, entries, rt);
    return;
  }
  let inner = text;
  let end = -1;
  for (const line of group.end) {
    const matches = findAll(line.pattern, text, first);
    const tail = matches.at(-1);
    if (tail === undefined) continue;
    check(line, matches, entries, rt);
    const reached = endOf(tail) - first;
    if (end < reached && reached > lastStart) end = reached;
  }
  if (end !== -1) {
    inner = partOf(text, first + end);
    entries.drop(group, first + end);
  }
  for (const line of group.normal) check(line, findAll(line.pattern, inner, first), entries, rt);
  for (const child of group.children) visit(child, inner, first, entries, rt);
}

function addDefaults(group: Group, entries: Entries): void {
  const [line] = group.start;
  entries.addBehind(line ?? startWithoutLine(group), new PyDict());
}

/** A group with defaults only has no line that could start it. */
function startWithoutLine(group: Group): Line {
  return { pattern: NO_PATTERN, variables: new Map(), action: "start", group, isLine: false };
}

const NO_PATTERN: Line["pattern"] = {
  get regex(): never {
    throw new Error("a start without a line is never matched");
  },
  names: [],
};

function check(line: Line, matches: readonly Answer[], entries: Entries, rt: Runtime): void {
  rt.meter.step(matches.length);
  const plan = planOf(line);
  if (plan.plain) {
    for (const match of matches) entries.add(match.index, line, match);
    return;
  }
  const isStart = line.action.startsWith("start");
  for (const match of matches) {
    const result = resultOf(plan, match, rt);
    if (result !== false || isStart) entries.add(match.index, line, result);
  }
}
