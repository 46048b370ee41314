/** A text as a delta against another one: parts of the base, and what stands between them. */
import { ServiceError } from "../base/errors.ts";
import { compareLines } from "../base/text/line-diff.ts";
import { linesOf, openEnd } from "../configtree/lines.ts";

/** A larger delta is not worth its base. */
const maxShare = 1 / 4;

/**
 * The delta as JSON: the lengths of both texts, then `[from, length]` for a part of the base and a string for an
 * insertion, in order. All lengths are in UTF-16 units. Work is linear in both lengths, and any text survives, unpaired
 * surrogates too.
 * @returns undefined if it is longer than a quarter of the text
 */
export function makeDelta(base: string, text: string): string | undefined {
  const maxLength = text.length * maxShare;
  const begin = commonBeginning(base, text);
  const end = commonEnd(base, text, begin);
  const before = linesOf(base.slice(begin, base.length - end));
  const after = linesOf(text.slice(begin, text.length - end));
  const oldOffset = offsetsOf(before, begin);
  const newOffset = offsetsOf(after, begin);
  const parts: (string | [from: number, length: number])[] = [];
  let inserted = 0;
  let copied = 0;
  const copyUntil = (offset: number) => {
    if (offset > copied) parts.push([copied, offset - copied]);
  };
  for (const { oldFrom, oldTo, newFrom, newTo } of compareLines(before, after).changes) {
    copyUntil(oldOffset(oldFrom));
    copied = oldOffset(oldTo);
    const insertion = text.slice(newOffset(newFrom), newOffset(newTo));
    if (insertion !== "") parts.push(insertion);
    inserted += insertion.length;
    if (inserted > maxLength) return undefined;
  }
  copyUntil(base.length);
  const delta = JSON.stringify([base.length, text.length, ...parts]);
  return delta.length > maxLength ? undefined : delta;
}

/** Length of the equal first lines. */
function commonBeginning(base: string, text: string): number {
  const most = Math.min(base.length, text.length);
  let at = 0;
  while (at < most && base.charCodeAt(at) === text.charCodeAt(at)) at++;
  return at === 0 ? 0 : base.lastIndexOf("\n", at - 1) + 1;
}

/** Length of the equal last lines, behind the equal first ones. */
function commonEnd(base: string, text: string, begin: number): number {
  const most = Math.min(base.length, text.length) - begin;
  const [oldLast, newLast] = [base.length - 1, text.length - 1];
  let length = 0;
  while (length < most && base.charCodeAt(oldLast - length) === text.charCodeAt(newLast - length)) length++;
  const lineEnd = length === 0 ? -1 : base.indexOf("\n", base.length - length);
  return lineEnd < 0 ? 0 : base.length - lineEnd - 1;
}

/** Where a line begins; asked for in ascending order. */
function offsetsOf(lines: readonly string[], from: number): (line: number) => number {
  let [at, offset] = [0, from];
  return (line) => {
    for (; at < line; at++) {
      const text = lines[at] ?? "";
      offset += text.endsWith(openEnd) ? text.length - openEnd.length : text.length + 1;
    }
    return offset;
  };
}

/** @throws ServiceError Internal if the delta is damaged or was not made for this base */
export function applyDelta(base: string, delta: string): string {
  const [baseLength, length, ...parts] = partsOf(delta);
  if (baseLength !== base.length) throw unfit();
  const pieces = parts.map((part) => {
    if (typeof part === "string") return part;
    if (!Array.isArray(part)) throw unfit();
    const [from, size] = part;
    if (!isOffset(from) || !isOffset(size) || from + size > base.length) throw unfit();
    return base.slice(from, from + size);
  });
  const text = pieces.join("");
  if (text.length !== length) throw unfit();
  return text;
}

/** What stands in the text and not in the base: whole lines. @throws ServiceError Internal as `applyDelta` */
export function insertionsOf(delta: string): string[] {
  return partsOf(delta).filter((part) => typeof part === "string");
}

function partsOf(delta: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(delta);
    if (Array.isArray(parts)) return parts;
  } catch {
    // Reported below.
  }
  throw unfit();
}

function isOffset(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function unfit(): ServiceError {
  return new ServiceError("Internal", "A stored text is damaged: its delta does not fit its base.");
}
