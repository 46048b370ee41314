/** Lines and groups of a template that never match, or not as their author will think. */
import { strip } from "../python/blanks.ts";
import { placeText } from "./mistakes.ts";
import { variablesOf } from "./variable.ts";
import type { Mark } from "./xml.ts";

type Warn = (message: string) => void;

export interface GroupParts {
  readonly name: string;
  readonly hasStartDefault: boolean;
  readonly defaults: ReadonlyMap<string, unknown>;
  readonly start: readonly unknown[];
  readonly normal: readonly unknown[];
  readonly end: readonly unknown[];
  readonly children: readonly unknown[];
}

/** A group that never begins. */
export function warnOfGroup(group: GroupParts, mark: Mark, warn: Warn): void {
  if (group.start.length > 0 || group.hasStartDefault || group.defaults.size > 0) return;
  if (group.normal.length > 0 || group.end.length > 0)
    warn(`${placeText(mark)}: no line begins ${called(group)}: it never matches`);
  else if (group.children.length === 0)
    warn(`${placeText(mark)}: ${called(group)} has no line with a variable: it never matches`);
}

const called = ({ name }: GroupParts): string =>
  name === "" || name.startsWith("_anonymous_") ? "the group" : `the group '${name}'`;

const VARIABLES = /\{\{[\s\S]+?\}\}/g;
const AFTER_INDICATOR = /\{\{\s*(_start_|_end_)\s*(?:\|[^}]*)?\}\}(.*\S.*)$/;

/** @param same the line before that has the same text. */
export function warnOfLine(source: string, same: number | undefined, warn: Warn): void {
  const rest = source.replace(VARIABLES, "");
  if (rest.includes("{{") || rest.includes("}}"))
    warn(`'${shortened(strip(source))}' has braces that are not closed`);
  else if (rest.length === source.length)
    warn(`'${shortened(strip(source))}' has no variable and is not looked for`);
  else if (same !== undefined) warn(`'${shortened(strip(source))}' stands in line ${same} already`);
  if (!source.includes("_start_") && !source.includes("_end_")) return;
  const [, indicator, behind] = AFTER_INDICATOR.exec(source) ?? [];
  if (behind !== undefined && variablesOf(behind).some((one) => !/^\s*_\w+_\s*$/.test(one)))
    warn(`what stands behind {{ ${indicator} }} is not looked at: '${shortened(strip(behind))}'`);
}

const shortened = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text);
