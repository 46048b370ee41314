/** The `{{ … }}` of a line, found in one pass: an expression would look again from every `{{` that nothing closes. */

export interface Braces {
  /** What stands between the braces. */
  readonly source: string;
  readonly start: number;
  /** Behind the closing braces. */
  readonly end: number;
}

export function bracesOf(text: string): Braces[] {
  const found: Braces[] = [];
  for (let start = text.indexOf("{{"); start >= 0; ) {
    // At least one character stands in them.
    const close = text.indexOf("}}", start + 3);
    if (close < 0) break;
    found.push({ source: text.slice(start + 2, close), start, end: close + 2 });
    start = text.indexOf("{{", close + 2);
  }
  return found;
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
