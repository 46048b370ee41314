/** Caches properties of the text that is being searched. */
import type { Tier } from "./run/emit.ts";

export function tierOf(text: string): Tier {
  if (!/[^\0-\x1b\x20-\x7f]/.test(text)) return 0;
  return /[\ud800-\udfff]/.test(text) ? 2 : 1;
}

/** The last text, shared by all patterns so that none keeps a text of its own alive. */
const last: { text: string; tier: Tier; longest: number } = { text: "", tier: 0, longest: -1 };

function examine(text: string): typeof last {
  // Comparing equal strings with different storage is slow: keep the new one, so the next comparison is by
  // identity.
  if (text === last.text) last.text = text;
  else Object.assign(last, { text, tier: tierOf(text), longest: -1 });
  return last;
}

export const tierOfText = (text: string): Tier => (text.length < 256 ? tierOf(text) : examine(text).tier);

/** A substring is not wider than the whole and has no longer lines, so its properties need no new scan. */
export function knowPart(part: string, fullText: string): void {
  if (fullText === last.text) last.text = part;
}

export function maxLineLength(text: string): number {
  const facts = examine(text);
  if (facts.longest < 0) facts.longest = measure(text);
  return facts.longest;
}

function measure(text: string): number {
  let longest = 0;
  let start = 0;
  for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
    if (end - start > longest) longest = end - start;
    start = end + 1;
  }
  return Math.max(longest, text.length - start);
}
