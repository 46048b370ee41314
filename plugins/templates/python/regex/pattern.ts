/** `compilePython`: a pattern with the methods of Python's `re.Pattern`. */

import { type MatchedPattern, PythonMatch } from "./match.ts";
import { type Answer, answerOf, Matcher, type MatcherOptions } from "./matcher.ts";
import type { Node } from "./parse/ast.ts";
import { parsePattern } from "./parse/parse.ts";
import { parseReplacement } from "./parse/replacement.ts";
import type { MatchMode } from "./run/native.ts";
import type { RawMatch } from "./run/raw-match.ts";

export interface CompileOptions extends MatcherOptions {
  /** Python's flag values: `IGNORECASE | MULTILINE`. */
  readonly flags?: number | undefined;
}

/** @throws PatternError if Python's `re.compile` raises `re.error`. */
export const compilePython = (pattern: string, options: CompileOptions = {}): PythonPattern =>
  new PythonPattern(pattern, options);

export class PythonPattern implements MatchedPattern {
  /** As Python's `flags`, including inline flags. */
  readonly flags: number;
  readonly groups: number;
  readonly groupIndex: ReadonlyMap<string, number>;
  /** Common literal prefix of all matches. */
  readonly begin: string;
  /** Access without `PythonMatch` objects, for engines that match millions of times. */
  readonly matcher: Matcher;

  private lastReplacement:
    | { readonly text: string; readonly parts: readonly (string | number)[] }
    | undefined;

  constructor(
    readonly pattern: string,
    options: CompileOptions,
  ) {
    const parsed = parsePattern(pattern, options.flags ?? 0);
    this.flags = parsed.flags;
    this.groups = parsed.groups;
    this.groupIndex = parsed.groupIndex;
    this.begin = beginOf(parsed.root);
    this.matcher = new Matcher(parsed, options);
  }

  match(text: string, from?: number, to?: number): PythonMatch | null {
    return this.find("match", text, from, to);
  }
  search(text: string, from?: number, to?: number): PythonMatch | null {
    return this.find("search", text, from, to);
  }
  fullmatch(text: string, from?: number, to?: number): PythonMatch | null {
    return this.find("full", text, from, to);
  }

  /** Without groups: texts; with one: its texts; with more: a list of texts per match. Unset groups are "". */
  findall(text: string): (string | string[])[] {
    const textOf = (match: RawMatch, group: number) => match.group(group) ?? "";
    return Array.from(this.each(text), (match) =>
      this.groups < 2
        ? textOf(match, this.groups)
        : Array.from({ length: this.groups }, (_, group) => textOf(match, group + 1)),
    );
  }

  *finditer(text: string): Generator<PythonMatch> {
    for (const match of this.each(text)) yield new PythonMatch(text, this, match);
  }

  /** All matches, with group texts at the matcher's places; `shift` is added to each index. */
  answers(text: string, shift: number): Answer[] {
    return Array.from(this.each(text), (match) => answerOf(match, this.matcher.places, shift));
  }

  sub(replacement: Replacement, text: string, count?: number): string {
    return this.subn(replacement, text, count)[0];
  }

  subn(replacement: Replacement, text: string, count = 0): readonly [string, number] {
    const parts = typeof replacement === "string" ? this.parts(replacement) : [];
    if (count === 1 && typeof replacement === "string") {
      const match = this.matcher.find(text, 0, "search");
      if (match === undefined) return [text, 0];
      return [text.slice(0, match.start) + filled(parts, match) + text.slice(match.end), 1];
    }
    let result = "";
    let last = 0;
    let replaced = 0;
    for (const match of this.each(text)) {
      result += text.slice(last, match.start);
      result +=
        typeof replacement === "string"
          ? filled(parts, match)
          : replacement(new PythonMatch(text, this, match));
      last = match.end;
      replaced += 1;
      if (replaced === count) break;
    }
    return [replaced === 0 ? text : result + text.slice(last), replaced];
  }

  /** Caches the last replacement: most patterns are used with only one. */
  private parts(replacement: string): readonly (string | number)[] {
    if (this.lastReplacement?.text !== replacement) {
      const parts = parseReplacement(replacement, this.groups, this.groupIndex);
      this.lastReplacement = { text: replacement, parts };
    }
    return this.lastReplacement.parts;
  }

  /** Text between matches, with group texts; null if a group did not participate. */
  split(text: string, max = 0): (string | null)[] {
    const parts: (string | null)[] = [];
    let last = 0;
    let splits = 0;
    for (const match of this.each(text)) {
      parts.push(text.slice(last, match.start));
      for (let group = 1; group <= this.groups; group++) parts.push(match.group(group));
      last = match.end;
      splits += 1;
      if (splits === max) break;
    }
    parts.push(text.slice(last));
    return parts;
  }

  private find(mode: MatchMode, text: string, from = 0, to = text.length): PythonMatch | null {
    const subject = to < text.length ? text.slice(0, Math.max(to, 0)) : text;
    if (from > subject.length) return null;
    const match = this.matcher.find(subject, Math.max(from, 0), mode);
    return match === undefined ? null : new PythonMatch(text, this, match);
  }

  /** All matches from left to right; after an empty match, only a longer one may begin at the same position. */
  private *each(text: string): Generator<RawMatch> {
    const { matcher } = this;
    let from = 0;
    let afterEmpty = false;
    while (from <= text.length) {
      let match: RawMatch | undefined;
      if (afterEmpty) {
        if (!matcher.emptyIsLast) match = matcher.findLonger(text, from);
        if (match === undefined) {
          from += (text.codePointAt(from) ?? 0) > 0xffff ? 2 : 1;
          afterEmpty = false;
          continue;
        }
      } else match = matcher.find(text, from, "search");
      if (match === undefined) return;
      yield match;
      from = match.end;
      afterEmpty = match.end === match.start;
    }
  }
}

/** A replacement template, or a function of the match. */
type Replacement = string | ((match: PythonMatch) => string);

function filled(parts: readonly (string | number)[], match: RawMatch): string {
  let text = "";
  for (const part of parts) text += typeof part === "string" ? part : (match.group(part) ?? "");
  return text;
}

function beginOf(root: Node): string {
  let begin = "";
  for (const node of root.kind === "sequence" ? root.items : [root]) {
    if (node.kind !== "literal" || node.casing !== "exact") break;
    begin += String.fromCodePoint(node.code);
  }
  return begin;
}

/** Python's `re.escape`. */
export function escapePython(text: string): string {
  return text.replace(/[()[\]{}?*+\-|^$\\.&~# \t\n\r\v\f]/g, "\\$&");
}
