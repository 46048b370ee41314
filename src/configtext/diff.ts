/** The difference of two configurations by lines: counts, unified in git's format, side by side. */
import {
  compareLines,
  hunkHeader,
  hunksOf,
  type LineChange,
  type LineDifference,
  unifiedHunk,
} from "../base/text/line-diff.ts";
import { linesOf, shownLine } from "./lines.ts";

export interface CompareOptions {
  /** Lines that belong to neither text: those that change without a change of the configuration. */
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
    lines.push(hunkHeader(hunk) + heading, ...unifiedHunk(hunk, before, after));
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

function comparedTexts(a: string, b: string, ignore: CompareOptions["ignore"]): Compared {
  const before = linesOf(a);
  const after = linesOf(b);
  if (ignore === undefined) return { ...compareLines(before, after), before, after };
  return comparedWithout(before, after, ignore);
}

/** Compares what is not ignored, and puts the ignored lines of the first text back into both. */
function comparedWithout(
  before: readonly string[],
  after: readonly string[],
  ignore: (line: string) => boolean,
): Compared {
  const isIgnored = before.map((line) => ignore(shownLine(line)));
  const old = before.filter((_, at) => !isIgnored[at]);
  const fresh = after.filter((line) => !ignore(shownLine(line)));
  const difference = compareLines(old, fresh);
  const changes: LineChange[] = [];
  const merged: string[] = [];
  let [x, y, place] = [0, 0, 0];
  /** Ignored lines at this place, and equal ones up to a number of lines that are not ignored. */
  const equalUntil = (until: number) => {
    for (; place < before.length && (isIgnored[place] || x < until); place++) {
      merged.push(before[place] ?? "");
      if (!isIgnored[place]) [x, y] = [x + 1, y + 1];
    }
  };
  for (const { oldFrom, oldTo, newFrom, newTo } of difference.changes) {
    equalUntil(oldFrom);
    let [from, start] = [place, merged.length];
    for (; y < newTo; y++) merged.push(fresh[y] ?? "");
    while (x < oldTo) {
      if (isIgnored[place]) {
        changes.push({ oldFrom: from, oldTo: place, newFrom: start, newTo: merged.length });
        while (isIgnored[place]) merged.push(before[place++] ?? "");
        [from, start] = [place, merged.length];
      } else [x, place] = [x + 1, place + 1];
    }
    if (newFrom < newTo || oldFrom < oldTo)
      changes.push({ oldFrom: from, oldTo: place, newFrom: start, newTo: merged.length });
  }
  equalUntil(old.length);
  return { ...difference, before, after: merged, changes };
}
