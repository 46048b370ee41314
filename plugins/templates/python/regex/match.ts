/** A match as Python's `re.Match` shows it; positions are code units of the JavaScript string. */
import { PatternError } from "./errors.ts";
import type { Found } from "./found.ts";
import { parseReplacement } from "./replacement.ts";

/** What a match knows of the pattern that found it. */
export interface MatchedPattern {
  readonly pattern: string;
  readonly groups: number;
  readonly groupIndex: ReadonlyMap<string, number>;
}

export interface PythonMatch {
  readonly string: string;
  readonly re: MatchedPattern;
  /** Number or name; 0 or nothing: the whole match; null where the group took no part. */
  group(group?: number | string): string | null;
  groups(absent?: string | null): (string | null)[];
  /** In the order of the groups. */
  groupdict(absent?: string | null): Map<string, string | null>;
  start(group?: number | string): number;
  end(group?: number | string): number;
  span(group?: number | string): readonly [number, number];
  expand(template: string): string;
}

export function createMatch(text: string, re: MatchedPattern, found: Found): PythonMatch {
  function index(group: number | string): number {
    const number = typeof group === "number" ? group : (re.groupIndex.get(group) ?? -1);
    if (!(number >= 0 && number <= re.groups)) throw new PatternError("no such group");
    return number;
  }
  const span = (group: number | string = 0) => found.span(index(group));
  return {
    string: text,
    re,
    group: (group = 0) => found.group(index(group)),
    groups: (absent = null) =>
      Array.from({ length: re.groups }, (_, group) => found.group(group + 1) ?? absent),
    groupdict: (absent = null) =>
      new Map([...re.groupIndex].map(([name, group]) => [name, found.group(group) ?? absent])),
    span,
    start: (group) => span(group)[0],
    end: (group) => span(group)[1],
    expand: (template) =>
      parseReplacement(template, re.groups, re.groupIndex)
        .map((part) => (typeof part === "string" ? part : (found.group(part) ?? "")))
        .join(""),
  };
}
