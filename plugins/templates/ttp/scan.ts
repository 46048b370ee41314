/** Finds all matches of a line's regex: the native engine goes over the whole text, no line is looked at by itself. */
import { compilePython, type PythonPattern } from "../python/regex/index.ts";
import type { Answer } from "../python/regex/matcher.ts";
import { knowPart } from "../python/regex/text-facts.ts";

export interface LinePattern {
  readonly regex: PythonPattern;
  /** Named groups in order. */
  readonly names: readonly (readonly [string, number])[];
}

export function compileLine(source: string): LinePattern {
  // Groups without a name are never asked for, which spares the native expression to keep them.
  const regex = compilePython(source, { observe: (_group, name) => name !== undefined });
  return { regex, names: [...regex.groupIndex] };
}

/** All matches from `start` on, from left to right, none inside another. */
export function findAll({ regex }: LinePattern, text: string, start: number): readonly Answer[] {
  const { begin, matcher } = regex;
  if (begin.startsWith("\n")) return matcher.all(text, start, begin);
  // Cut, so that what looks behind sees nothing before the start.
  return regex.answers(start === 0 ? text : text.slice(start), start);
}

/** The text up to a place. */
export function partOf(text: string, end: number): string {
  const part = text.slice(0, end);
  knowPart(part, text);
  return part;
}

export const endOf = (match: Answer): number => match.index + (match[0]?.length ?? 0);
