/** The difference of two configurations side by side, with the parts that differ inside of a line. */
import { compareLines, hunksOf, type LineChange } from "../base/text/line-diff.ts";
import { shownLine } from "../configtree/lines.ts";
import { type CompareOptions, comparedTexts } from "./diff.ts";

export interface SideLine {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

export interface SideRow {
  readonly kind: "same" | "changed" | "added" | "removed";
  readonly left?: SideLine;
  readonly right?: SideLine;
  /** Of a changed row: the parts that differ, in UTF-16 units, from the first to behind the last. */
  readonly leftSpans?: readonly Span[];
  readonly rightSpans?: readonly Span[];
}

export type Span = readonly [from: number, to: number];

/** Rows without a gap between them. */
export type SidePart = readonly SideRow[];

/** The parts that differ, with equal lines around them. Ignored lines stand in both texts as in the first. */
export function sideBySide(a: string, b: string, { ignore, context }: CompareOptions = {}): SidePart[] {
  if (a === b) return [];
  const { before, after, newLine, changes } = comparedTexts(a, b, ignore);
  const left = (at: number) => ({ line: at + 1, text: shownLine(before[at] ?? "") });
  const right = (at: number) => ({ line: newLine(at), text: shownLine(after[at] ?? "") });
  return hunksOf(changes, before.length, after.length, context).map((hunk) => {
    const rows: SideRow[] = [];
    let [x, y] = [hunk.oldFrom, hunk.newFrom];
    const equalUntil = (until: number) => {
      for (; x < until; x++, y++) rows.push({ kind: "same", left: left(x), right: right(y) });
    };
    for (const change of hunk.changes) {
      equalUntil(change.oldFrom);
      for (const [old, fresh] of pairedLines(change, before, after))
        rows.push(rowOf(old, fresh, left, right));
      [x, y] = [change.oldTo, change.newTo];
    }
    equalUntil(hunk.oldTo);
    return rows;
  });
}

type LineAt = (at: number) => SideLine;

function rowOf(old: number | undefined, fresh: number | undefined, left: LineAt, right: LineAt): SideRow {
  if (old === undefined) return { kind: "added", right: right(fresh ?? 0) };
  if (fresh === undefined) return { kind: "removed", left: left(old) };
  const [one, other] = [left(old), right(fresh)];
  const [leftSpans, rightSpans] = changedSpans(one.text, other.text);
  return { kind: "changed", left: one, right: other, leftSpans, rightSpans };
}

/** Larger changes are not searched for lines that are alike. */
const maxPairs = 2_500;
const maxAlikeChars = 500;

/** Lines that stand beside each other: a removed one and the added one that resembles it, in order. */
function* pairedLines(
  { oldFrom, oldTo, newFrom, newTo }: LineChange,
  before: readonly string[],
  after: readonly string[],
): Generator<[old: number | undefined, fresh: number | undefined]> {
  const [n, m] = [oldTo - oldFrom, newTo - newFrom];
  if (n * m > maxPairs) {
    const paired = Math.min(n, m);
    for (let at = 0; at < paired; at++) yield [oldFrom + at, newFrom + at];
    for (let at = paired; at < n; at++) yield [oldFrom + at, undefined];
    for (let at = paired; at < m; at++) yield [undefined, newFrom + at];
    return;
  }
  const width = m + 1;
  /** The most likeness that the lines from these on can have. */
  const best = new Float64Array((n + 1) * width);
  const at = (x: number, y: number) => best[x * width + y] ?? 0;
  const likenesses = new Float64Array(n * m);
  for (let x = n - 1; x >= 0; x--)
    for (let y = m - 1; y >= 0; y--) {
      const like = alike(before[oldFrom + x], after[newFrom + y]);
      likenesses[x * m + y] = like;
      best[x * width + y] = Math.max(at(x + 1, y), at(x, y + 1), at(x + 1, y + 1) + like);
    }
  let [x, y] = [0, 0];
  while (x < n || y < m) {
    const like = x < n && y < m ? (likenesses[x * m + y] ?? 0) : 0;
    if (like > 0 && at(x, y) === at(x + 1, y + 1) + like) yield [oldFrom + x++, newFrom + y++];
    else if (x < n && (y === m || at(x, y) === at(x + 1, y))) yield [oldFrom + x++, undefined];
    else yield [undefined, newFrom + y++];
  }
}

/** Between 0 and 1, by what both lines begin and end with; 0 if that is little. */
function alike(one = "", other = ""): number {
  const [a, b] = [one.trim().slice(0, maxAlikeChars), other.trim().slice(0, maxAlikeChars)];
  const least = Math.min(a.length, b.length);
  let begin = 0;
  while (begin < least && a.charCodeAt(begin) === b.charCodeAt(begin)) begin++;
  let end = 0;
  while (end < least - begin && a.charCodeAt(a.length - 1 - end) === b.charCodeAt(b.length - 1 - end)) end++;
  const share = (begin + end) / Math.max(a.length, b.length, 1);
  return share >= minLikeness ? share : 0;
}

const minLikeness = 0.4;
/** Longer lines differ from their first difference to their last. */
const maxWords = 400;

/** The parts of two lines that differ, by words. */
function changedSpans(one: string, other: string): [Span[], Span[]] {
  const [before, after] = [wordsOf(one), wordsOf(other)];
  const [left, right]: [Span[], Span[]] = [[], []];
  const [leftAt, rightAt] = [startsOf(before), startsOf(after)];
  const add = (spans: Span[], from = 0, to = 0) => {
    if (to > from) spans.push([from, to]);
  };
  for (const { oldFrom, oldTo, newFrom, newTo } of compareLines(before, after).changes) {
    add(left, leftAt[oldFrom], leftAt[oldTo]);
    add(right, rightAt[newFrom], rightAt[newTo]);
  }
  return [left, right];
}

/** Words, blanks and single signs; joined they are the line. */
function wordsOf(line: string): string[] {
  if (line.length > maxWords * 20) return [line];
  const words = line.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
  return words.length > maxWords ? [line] : words;
}

function startsOf(words: readonly string[]): number[] {
  const starts = [0];
  let at = 0;
  for (const word of words) {
    at += word.length;
    starts.push(at);
  }
  return starts;
}
