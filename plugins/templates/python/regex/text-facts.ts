/** What a text is like: asked for again and again while a large one is searched. */
import type { Tier } from "./emit.ts";

export function tierOf(text: string): Tier {
  if (!/[^\0-\x1b\x20-\x7f]/.test(text)) return 0;
  return /[\ud800-\udfff]/.test(text) ? 2 : 1;
}

export interface TextFacts {
  tier(text: string): Tier;
  longestLine(text: string): number;
}

/** Remembers one text, the last: all patterns share it, so that none keeps a text of its own alive. */
export function createTextFacts(): TextFacts {
  let last = "";
  let tier: Tier = 0;
  let longest = -1;

  function look(text: string): void {
    if (text === last) return;
    last = text;
    tier = tierOf(text);
    longest = -1;
  }

  return {
    tier(text) {
      if (text.length < 256) return tierOf(text);
      look(text);
      return tier;
    },
    longestLine(text) {
      look(text);
      if (longest < 0) longest = measure(text);
      return longest;
    },
  };
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
