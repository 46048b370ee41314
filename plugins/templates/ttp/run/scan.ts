/** Finds all matches of a line's regex in one pass of the native engine over the whole text. */

import { type Answer, compilePython, knowPart, type PythonPattern } from "../../python/index.ts";
export interface LinePattern {
  readonly regex: PythonPattern;
  /** Named groups in order. */
  readonly names: readonly (readonly [string, number])[];
}

export function compileLine(source: string): LinePattern {
  // Unnamed groups are never read, so they need not capture.
  const regex = compilePython(source, { observe: (_group, name) => name !== undefined });
  return { regex, names: [...regex.groupIndex] };
}

/** All non-overlapping matches from `start` on, from left to right. */
export function findAll({ regex }: LinePattern, text: string, start: number): readonly Answer[] {
  const { begin, matcher } = regex;
  if (begin.startsWith("\n")) return matcher.all(text, start, begin);
  // Cut off the text before `start`, so that look-behinds do not see it.
  return regex.answers(start === 0 ? text : text.slice(start), start);
}

/** The text up to an offset. */
export function partOf(text: string, end: number): string {
  const part = text.slice(0, end);
  knowPart(part, text);
  return part;
}

export const endOf = (match: Answer): number => match.index + (match[0]?.length ?? 0);
