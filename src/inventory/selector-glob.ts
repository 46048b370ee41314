/** Matches a text against the values of a selector, and counts what that takes. */

import { type Host, hostOf, readHostPattern } from "../base/net/host-match.ts";
import { anyChars, globOf, type StepCount } from "../base/regex/glob.ts";
import type { SelectorValue } from "./selector-words.ts";

export type FitsText = (text: string) => boolean;

/** Longer texts match `*` only, which bounds the work. */
const maxTextLength = 1_024;

/** Matches any of the values, ignoring case. */
export function fitsAny(values: readonly SelectorValue[], count: StepCount): FitsText {
  const plain = new Set<string>();
  const globs: FitsText[] = [];
  for (const { parts } of values) {
    if (parts.length === 1 && parts[0] === anyChars) return () => true;
    const [only = ""] = parts;
    if (parts.length <= 1 && typeof only === "string") plain.add(only);
    else globs.push(globOf(parts, count));
  }
  return (text) => {
    count.steps++;
    if (text.length > maxTextLength) return false;
    const lowered = text.toLowerCase();
    return plain.has(lowered) || globs.some((fits) => fits(lowered));
  };
}

/** Caches the last host: the terms of a selector are evaluated on the same device in a row. */
let last = { text: "", host: hostOf("") };

function readHost(text: string): Host {
  if (last.text !== text) last = { text, host: hostOf(text) };
  return last.host;
}

/** Hosts also match CIDR ranges such as `10.0.0.0/8`. @returns the first value that is neither range nor text */
export function fitsHost(
  values: readonly SelectorValue[],
  count: StepCount,
): FitsText | { readonly wrong: SelectorValue } {
  const ranges = values.filter(({ text }) => text.includes("/"));
  const wrong = ranges.find(({ text }) => readHostPattern(text) === undefined);
  if (wrong) return { wrong };
  const patterns = ranges.flatMap(({ text }) => readHostPattern(text) ?? []);
  const texts = values.filter(({ text }) => !text.includes("/"));
  // Different spellings of an address are the same host.
  const plain = new Set(texts.filter(({ parts }) => parts.length === 1).map(({ text }) => hostOf(text).text));
  const fits = texts.length > 0 ? fitsAny(texts, count) : () => false;
  return (text) => {
    if (fits(text)) return true;
    if (patterns.length === 0 && plain.size === 0) return false;
    const host = readHost(text);
    if (plain.has(host.text)) return true;
    count.steps += 2 * patterns.length;
    return patterns.some((pattern) => pattern.matches(host));
  };
}
