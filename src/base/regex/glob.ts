/** Patterns with `*` (any characters) and `?` (one): matched without backtracking over more than the last `*`. */

export const anyChars = Symbol("*");
export const anyChar = Symbol("?");

/** A pattern: texts, and the wildcards between them. */
export type GlobParts = readonly (string | typeof anyChars | typeof anyChar)[];

/** Counts what matching takes: one step is a text of usual length compared with one piece of a pattern. */
export interface StepCount {
  steps: number;
}

const charsPerStep = 64;

/** @param count is increased by the steps of each match. */
export function globOf(parts: GlobParts, count: StepCount = { steps: 0 }): (text: string) => boolean {
  return parts.includes(anyChar) ? matcherOfCharacters(parts, count) : matcherOfTexts(parts, count);
}

/** Only `*`: each text in between takes its leftmost place, so nothing is looked through twice. */
function matcherOfTexts(parts: GlobParts, count: StepCount): (text: string) => boolean {
  const [first = "", ...rest] = textsOf(parts);
  const last = rest.pop();
  if (last === undefined) return (text) => text === first;
  return (text) => {
    count.steps += 1 + text.length / charsPerStep;
    if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last))
      return false;
    const end = text.length - last.length;
    let at = first.length;
    for (const piece of rest) {
      count.steps++;
      const found = text.indexOf(piece, at);
      at = found + piece.length;
      if (found < 0 || at > end) return false;
    }
    return true;
  };
}

/** The texts before, between and after the `*`. */
function textsOf(parts: GlobParts): string[] {
  const texts = [""];
  for (const part of parts) {
    if (part === anyChars) texts.push("");
    else if (typeof part === "string") texts.push(`${texts.pop() ?? ""}${part}`);
  }
  return texts.filter((text, at) => text !== "" || at === 0 || at === texts.length - 1);
}

/** At most text length times pattern length steps. */
function matcherOfCharacters(parts: GlobParts, count: StepCount): (text: string) => boolean {
  const units = parts.flatMap((part): GlobParts[number][] => (typeof part === "string" ? [...part] : [part]));
  return (text) => {
    const chars = [...text];
    let unit = 0;
    let char = 0;
    let starUnit = -1;
    let starChar = 0;
    let looks = 0;
    while (char < chars.length) {
      looks++;
      const pattern = units[unit];
      if (pattern === anyChars) {
        starUnit = unit++;
        starChar = char;
      } else if (pattern === anyChar || (pattern !== undefined && pattern === chars[char])) {
        unit++;
        char++;
      } else if (starUnit >= 0) {
        unit = starUnit + 1;
        char = ++starChar;
      } else break;
    }
    count.steps += 1 + looks / 4;
    if (char < chars.length) return false;
    while (units[unit] === anyChars) unit++;
    return unit === units.length;
  };
}
