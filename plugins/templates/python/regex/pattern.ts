/** `compilePython`: a pattern object with the methods of Python's `re.Pattern`. */

import type { Found } from "./found.ts";
import { createMatch, type MatchedPattern, type PythonMatch } from "./match.ts";
import { createMatcher, type Matcher, type MatcherOptions } from "./matcher.ts";
import { parsePattern } from "./parse.ts";
import { parseReplacement } from "./replacement.ts";

export interface PythonPattern extends MatchedPattern {
  /** As Python's `flags`, inline ones included. */
  readonly flags: number;
  match(text: string, from?: number, to?: number): PythonMatch | null;
  search(text: string, from?: number, to?: number): PythonMatch | null;
  fullmatch(text: string, from?: number, to?: number): PythonMatch | null;
  /** No group: texts; one: its texts; more: a list of texts for each match. Absent groups are "". */
  findall(text: string): (string | string[])[];
  finditer(text: string): Iterable<PythonMatch>;
  sub(replacement: string | ((match: PythonMatch) => string), text: string, count?: number): string;
  subn(
    replacement: string | ((match: PythonMatch) => string),
    text: string,
    count?: number,
  ): readonly [string, number];
  /** Texts between matches, with those of the groups; null where a group took no part. */
  split(text: string, max?: number): (string | null)[];
  /** The way without `PythonMatch` objects, for engines that match by the million. */
  readonly matcher: Matcher;
}

export interface CompileOptions extends MatcherOptions {
  /** Flags as numbers of Python: `IGNORECASE | MULTILINE`. */
  readonly flags?: number | undefined;
}

/** @throws PatternError where Python's `re.compile` raises `re.error`. */
export function compilePython(pattern: string, options: CompileOptions = {}): PythonPattern {
  const parsed = parsePattern(pattern, options.flags ?? 0);
  const { groups, groupIndex } = parsed;
  const matcher = createMatcher(parsed, options);
  const re: MatchedPattern = { pattern, groups, groupIndex };

  function find(how: "match" | "search" | "full", text: string, from = 0, to = text.length) {
    const subject = to < text.length ? text.slice(0, Math.max(to, 0)) : text;
    if (from > subject.length) return null;
    const found = matcher.find(subject, Math.max(from, 0), how);
    return found === undefined ? null : createMatch(text, re, found);
  }

  /** All matches from left to right; after an empty one, only a longer one may begin at the same place. */
  function* each(text: string): Generator<Found> {
    let from = 0;
    let afterEmpty = false;
    while (from <= text.length) {
      let found: Found | undefined;
      if (afterEmpty) {
        if (!matcher.emptyIsLast) found = matcher.findLonger(text, from);
        if (found === undefined) {
          from += (text.codePointAt(from) ?? 0) > 0xffff ? 2 : 1;
          afterEmpty = false;
          continue;
        }
      } else found = matcher.find(text, from, "search");
      if (found === undefined) return;
      yield found;
      from = found.end;
      afterEmpty = found.end === found.start;
    }
  }

  function subn(
    replacement: string | ((match: PythonMatch) => string),
    text: string,
    count = 0,
  ): readonly [string, number] {
    const parts = typeof replacement === "string" ? parseReplacement(replacement, groups, groupIndex) : [];
    let result = "";
    let last = 0;
    let done = 0;
    for (const found of each(text)) {
      result += text.slice(last, found.start);
      if (typeof replacement === "string") {
        for (const part of parts) result += typeof part === "string" ? part : (found.group(part) ?? "");
      } else result += replacement(createMatch(text, re, found));
      last = found.end;
      done += 1;
      if (done === count) break;
    }
    return [done === 0 ? text : result + text.slice(last), done];
  }

  return {
    pattern,
    flags: parsed.flags,
    groups,
    groupIndex,
    matcher,
    match: (text, from, to) => find("match", text, from, to),
    search: (text, from, to) => find("search", text, from, to),
    fullmatch: (text, from, to) => find("full", text, from, to),
    findall(text) {
      const all: (string | string[])[] = [];
      for (const found of each(text)) {
        if (groups < 2) all.push(found.group(groups) ?? "");
        else all.push(Array.from({ length: groups }, (_, group) => found.group(group + 1) ?? ""));
      }
      return all;
    },
    *finditer(text) {
      for (const found of each(text)) yield createMatch(text, re, found);
    },
    subn,
    sub: (replacement, text, count) => subn(replacement, text, count)[0],
    split(text, max = 0) {
      const parts: (string | null)[] = [];
      let last = 0;
      let done = 0;
      for (const found of each(text)) {
        parts.push(text.slice(last, found.start));
        for (let group = 1; group <= groups; group++) parts.push(found.group(group));
        last = found.end;
        done += 1;
        if (done === max) break;
      }
      parts.push(text.slice(last));
      return parts;
    },
  };
}

/** Python's `re.escape`. */
export function escapePython(text: string): string {
  return text.replace(/[()[\]{}?*+\-|^$\\.&~# \t\n\r\v\f]/g, "\\$&");
}
