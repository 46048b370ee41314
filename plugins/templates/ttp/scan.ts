/** Finds all matches of a line's regex: only lines that begin as the regex does are tried. */

import type { Found } from "../python/regex/found.ts";
import { compilePython, type PythonPattern } from "../python/regex/index.ts";

export interface LinePattern {
  readonly regex: PythonPattern;
  /** What follows the line feed in every match; undefined where a match need not begin with one. */
  readonly prefix: string | undefined;
  /** Named groups in order. */
  readonly names: readonly (readonly [string, number])[];
}

/** A text and where its line feeds are. */
export interface Subject {
  readonly text: string;
  readonly lineFeeds: Int32Array;
}

export function compileLine(source: string): LinePattern {
  // Groups without a name are never asked for, which spares the native expression to keep them.
  const regex = compilePython(source, { observe: (_group, name) => name !== undefined });
  const prefix = regex.begin.startsWith("\n") ? regex.begin.slice(1) : undefined;
  return { regex, prefix, names: [...regex.groupIndex] };
}

/**
 * The pattern layer knows the last text again by comparing it. Where an equal text comes as another string, each
 * match would compare all of it (1 MB: 4 s instead of 0.2 s), so that it is shown another text in between.
 */
const INTERLUDE = { regex: compilePython("x"), text: " ".repeat(256) };

export function createSubject(text: string): Subject {
  INTERLUDE.regex.matcher.find(INTERLUDE.text, 0, "match");
  const lineFeeds: number[] = [];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lineFeeds.push(at);
  return { text, lineFeeds: Int32Array.from(lineFeeds) };
}

/** The same text up to `end`. */
export function cutSubject(subject: Subject, end: number): Subject {
  if (end >= subject.text.length) return subject;
  return {
    text: subject.text.slice(0, end),
    lineFeeds: subject.lineFeeds.subarray(0, firstAtOrAfter(subject.lineFeeds, end)),
  };
}

function firstAtOrAfter(places: Int32Array, at: number): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle] ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** All matches from `start` on, from left to right, none inside another. */
export function findAll(
  { regex, prefix }: LinePattern,
  { text, lineFeeds }: Subject,
  start: number,
): Found[] {
  const { matcher } = regex;
  const matches: Found[] = [];
  if (prefix === undefined) {
    // Cut, so that what looks behind sees nothing before the start.
    const rest = start === 0 ? text : text.slice(start);
    for (const match of regex.finditer(rest)) matches.push(shifted(match, start));
    return matches;
  }
  const findAt = matcher.finder(text, "match");
  const first = prefix.charCodeAt(0);
  let free = start;
  for (let i = firstAtOrAfter(lineFeeds, start); i < lineFeeds.length; i++) {
    const at = lineFeeds[i] ?? 0;
    if (at < free) continue;
    if (prefix !== "" && (text.charCodeAt(at + 1) !== first || !text.startsWith(prefix, at + 1))) continue;
    const found = findAt(at);
    if (found === undefined) continue;
    matches.push(found);
    free = found.end;
  }
  return matches;
}

function shifted(
  match: { span(group?: number): readonly [number, number]; group(group?: number): string | null },
  by: number,
): Found {
  const [start, end] = match.span();
  return {
    start: start + by,
    end: end + by,
    group: (index) => match.group(index),
    span(index) {
      const [from, to] = match.span(index);
      return from < 0 ? [from, to] : [from + by, to + by];
    },
  };
}
