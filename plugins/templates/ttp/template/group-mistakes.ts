/** Warnings for lines and groups that never match, or not as their author expects. */
import { strip } from "../../python/index.ts";
import { bracesOf, withoutBraces } from "./braces.ts";
import { placeText } from "./mistakes.ts";
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

/** Warns of a group that can never start. */
export function warnOfGroup(group: GroupParts, mark: Mark, warn: Warn): void {
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
export function warnOfLine(source: string, same: number | undefined, warn: Warn): void {
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
