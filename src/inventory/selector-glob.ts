/** Whether a text fits a value of a selector; never more steps than the text has characters times the value's. */
import { type Host, hostOf, readHostPattern } from "../base/host-match.ts";
import { many, one, type SelectorValue } from "./selector-words.ts";

export type FitsText = (text: string) => boolean;

/** A longer text fits `*` only: what is compared stays small. */
const longestText = 1_024;

/** Any of the values; texts are compared without regard to case. */
export function fitsAny(values: readonly SelectorValue[]): FitsText {
  const plain = new Set<string>();
  const globs: FitsText[] = [];
  for (const { parts } of values) {
    if (parts.length === 1 && parts[0] === many) return () => true;
    const [only = ""] = parts;
    if (parts.length <= 1 && typeof only === "string") plain.add(only);
    else globs.push(globOf(parts));
  }
  return (text) => {
    if (text.length > longestText) return false;
    const lowered = text.toLowerCase();
    return plain.has(lowered) || globs.some((fits) => fits(lowered));
  };
}

/** Greedy, with one place to come back to: the last `*`. */
function globOf(parts: SelectorValue["parts"]): FitsText {
  const units = parts.flatMap((part): (string | typeof many | typeof one)[] =>
    typeof part === "string" ? [...part] : [part],
  );
  return (text) => {
    const chars = [...text];
    let unit = 0;
    let char = 0;
    let starUnit = -1;
    let starChar = 0;
    while (char < chars.length) {
      const wanted = units[unit];
      if (wanted === many) {
        starUnit = unit++;
        starChar = char;
      } else if (wanted === one || (wanted !== undefined && wanted === chars[char])) {
        unit++;
        char++;
      } else if (starUnit >= 0) {
        unit = starUnit + 1;
        char = ++starChar;
      } else return false;
    }
    while (units[unit] === many) unit++;
    return unit === units.length;
  };
}

/** Many terms of one selector ask for the same device, one after the other. */
let last = { text: "", host: hostOf("") };

function readHost(text: string): Host {
  if (last.text !== text) last = { text, host: hostOf(text) };
  return last.host;
}

/** Hosts know ranges of addresses too: `10.0.0.0/8`. @returns undefined: one of them is neither a range nor a text */
export function fitsHost(values: readonly SelectorValue[]): FitsText | { readonly wrong: SelectorValue } {
  const ranges = values.filter(({ text }) => text.includes("/"));
  const wrong = ranges.find(({ text }) => readHostPattern(text) === undefined);
  if (wrong) return { wrong };
  const patterns = ranges.flatMap(({ text }) => readHostPattern(text) ?? []);
  const others = values.filter(({ text }) => !text.includes("/"));
  // An address in another spelling is the same host.
  const plain = new Set(
    others.filter(({ parts }) => parts.length === 1).map(({ text }) => hostOf(text).text),
  );
  const fits = others.length > 0 ? fitsAny(others) : () => false;
  return (text) => {
    if (fits(text)) return true;
    if (patterns.length === 0 && plain.size === 0) return false;
    const host = readHost(text);
    return plain.has(host.text) || patterns.some((pattern) => pattern.matches(host));
  };
}
