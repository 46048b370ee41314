/** The difference of two configurations by lines: counts, unified in git's format, side by side. */
import {
  compareLines,
  hunkHeader,
  hunksOf,
  type LineChange,
  type LineDifference,
  unifiedHunk,
} from "../base/text/line-diff.ts";
import { closedLine, linesOf, openEnd, shownLine } from "../configtree/lines.ts";

export interface CompareOptions {
  /**
   * Lines that belong to neither text: those that change without a change of the configuration. The last lines of both
   * texts must end with a line end then.
   */
  readonly ignore?: ((line: string) => boolean) | undefined;
  /** Equal lines shown around a change; default 3. Infinity: all. */
  readonly context?: number;
}

export interface UnifiedOptions extends CompareOptions {
  /** Names of the texts in the header, as `a/sw1.cfg`. */
  readonly from: string;
  readonly to: string;
}

export interface LineCounts {
  readonly added: number;
  readonly removed: number;
}

interface Compared extends LineDifference {
  readonly before: readonly string[];
  /** Where lines are ignored: those that are not, with those of `before` that the difference leaves alone. */
  readonly after: readonly string[];
  /** Number of a line of `after` in the second text, from 1; of an ignored one, that of the line above. */
  newLine(at: number): number;
}

/** Number of added and removed lines, without ignored ones. */
export function countChanges(a: string, b: string, { ignore }: CompareOptions = {}): LineCounts {
  if (a === b) return { added: 0, removed: 0 };
  return countOf(comparedTexts(a, b, ignore).changes);
}

function countOf(changes: readonly LineChange[]): LineCounts {
  let [added, removed] = [0, 0];
  for (const { oldFrom, oldTo, newFrom, newTo } of changes) {
    removed += oldTo - oldFrom;
    added += newTo - newFrom;
  }
  return { added, removed };
}

/**
 * The difference in unified format, which `git apply` and `patch` take; empty if the texts are equal. Applied to `a` it
 * gives `b`, with the ignored lines of `a`.
 */
export function unified(a: string, b: string, { from, to, ignore, context }: UnifiedOptions): string {
  if (a === b) return "";
  const { before, after, changes } = comparedTexts(a, b, ignore);
  if (changes.length === 0) return "";
  const lines = [`--- ${fileName(from)}`, `+++ ${fileName(to)}`];
  let [heading, seen] = ["", 0];
  for (const hunk of hunksOf(changes, before.length, after.length, context)) {
    for (; seen < hunk.oldFrom; seen++)
      if (isHeading(before[seen])) heading = ` ${shownHeading(before[seen])}`;
    lines.push(hunkHeader(hunk) + heading);
    for (const line of unifiedHunk(hunk, before, after)) lines.push(line);
  }
  return `${lines.join("\n")}\n`;
}

const maxHeading = 80;

function isHeading(line: string | undefined): boolean {
  return line !== undefined && /^[A-Za-z_$]/.test(line);
}

function shownHeading(line = ""): string {
  return shownLine(line).slice(0, maxHeading).toWellFormed().trimEnd();
}

/** As git writes it: quoted where a name has characters that end it. */
function fileName(name: string): string {
  if (!/[\p{Cc}"\\]/u.test(name)) return name.includes(" ") ? `${name}\t` : name;
  const escaped = name.replaceAll(/[\p{Cc}"\\]/gu, (char) =>
    char === '"' || char === "\\" ? `\\${char}` : `\\${char.charCodeAt(0).toString(8).padStart(3, "0")}`,
  );
  return `"${escaped}"`;
}

export function comparedTexts(a: string, b: string, ignore: CompareOptions["ignore"]): Compared {
  const before = linesOf(a);
  const after = linesOf(b);
  if (ignore === undefined) return { ...compareLines(before, after), before, after, newLine: (at) => at + 1 };
  return comparedWithout(before, after, ignore);
}

/** Compares what is not ignored, and puts the ignored lines of the first text back into both. */
function comparedWithout(
  before: readonly string[],
  after: readonly string[],
  ignore: (line: string) => boolean,
): Compared {
  // An open last line can stand nowhere else, so it is compared.
  const isLeftOut = (line: string) => !line.endsWith(openEnd) && ignore(shownLine(line));
  const isIgnored = before.map(isLeftOut);
  const old = before.filter((_, at) => !isIgnored[at]);
  const numbers: number[] = [];
  const fresh = after.filter((line, at) => !isLeftOut(line) && numbers.push(at + 1) > 0);
  // Ignored lines of the first text follow it.
  if (isIgnored.at(-1) && fresh.length > 0) fresh.push(closedLine(fresh.pop() ?? ""));
  const difference = compareLines(old, fresh);
  const changes: LineChange[] = [];
  const merged: string[] = [];
  const mergedNumbers: number[] = [];
  let [x, y, place] = [0, 0, 0];
  const addIgnored = () => {
    merged.push(before[place++] ?? "");
    mergedNumbers.push(numbers[y - 1] ?? 0);
  };
  const addFresh = (line: string | undefined) => {
    merged.push(line ?? "");
    mergedNumbers.push(numbers[y++] ?? 0);
  };
  /** Ignored lines at this place, and equal ones up to a number of lines that are not ignored. */
  const equalUntil = (until: number) => {
    while (place < before.length && (isIgnored[place] || x < until)) {
      if (isIgnored[place]) addIgnored();
      else {
        addFresh(before[place]);
        [x, place] = [x + 1, place + 1];
      }
    }
  };
  for (const { oldFrom, oldTo, newFrom, newTo } of difference.changes) {
    equalUntil(oldFrom);
    let [from, start] = [place, merged.length];
    const end = () => {
      if (place > from || merged.length > start)
        changes.push({ oldFrom: from, oldTo: place, newFrom: start, newTo: merged.length });
    };
    for (let at = newFrom; at < newTo; at++) addFresh(fresh[at]);
    while (x < oldTo) {
      if (isIgnored[place]) {
        end();
        while (isIgnored[place]) addIgnored();
        [from, start] = [place, merged.length];
      } else [x, place] = [x + 1, place + 1];
    }
    end();
  }
  equalUntil(old.length);
  return { ...difference, before, after: merged, newLine: (at) => mergedNumbers[at] ?? 0, changes };
}
