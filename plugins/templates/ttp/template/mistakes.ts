/** Warnings about likely mistakes in a template, with position and suggestion. */
import { didYouMean, splitLines } from "../../python/index.ts";
import type { Mark } from "./xml.ts";

export function unknownName(kind: string, name: string, names: Iterable<string>): string {
  return `unknown ${kind} '${name}'${didYouMean(name, names)}`;
}

/** An unknown attribute may be for other programs: warn only if it is similar to a known name. */
export function nearlyKnown(kind: string, name: string, names: readonly string[]): string | undefined {
  if (names.includes(name.toLowerCase())) return undefined;
  const hint = didYouMean(name, names);
  return hint === "" ? undefined : `unknown ${kind} '${name}'${hint}`;
}

export function placeText({ line, from }: Pick<Mark, "line" | "from">): string {
  const lineNumber = Math.max(1, line);
  return from === undefined ? `line ${lineNumber}` : `line ${lineNumber} of ${from}`;
}

export interface PlacedLine {
  readonly text: string;
  readonly line: number;
  readonly from: string | undefined;
}

/** Splits text into lines, keeping line ends, with each line's position in the template. */
export function placedLines(text: string, marks: readonly Mark[]): PlacedLine[] {
  let at = 0;
  let next = 0;
  let line = 1;
  let from: string | undefined;
  return splitLines(text, true).map((part) => {
    for (let mark = marks[next]; mark !== undefined && mark.at <= at; mark = marks[++next]) {
      line = mark.line + lineFeeds(text.slice(mark.at, at));
      from = mark.from;
    }
    const placed = { text: part, line, from };
    line += lineFeeds(part);
    at += part.length;
    return placed;
  });
}

function lineFeeds(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return count;
}
