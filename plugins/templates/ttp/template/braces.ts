/** Finds the `{{ … }}` of a line in one pass; a regex would rescan from every unclosed `{{`. */

export interface Braces {
  /** The text between the braces. */
  readonly source: string;
  readonly start: number;
  /** Offset after the closing braces. */
  readonly end: number;
}

export function bracesOf(text: string): Braces[] {
  const pairs: Braces[] = [];
  for (let start = text.indexOf("{{"); start >= 0; ) {
    // The braces contain at least one character.
    const close = text.indexOf("}}", start + 3);
    if (close < 0) break;
    pairs.push({ source: text.slice(start + 2, close), start, end: close + 2 });
    start = text.indexOf("{{", close + 2);
  }
  return pairs;
}

export function withoutBraces(text: string): string {
  let rest = "";
  let last = 0;
  for (const { start, end } of bracesOf(text)) {
    rest += text.slice(last, start);
    last = end;
  }
  return rest + text.slice(last);
}
