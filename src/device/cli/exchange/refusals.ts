/** Detects refused queries: a refusal is short; long output that quotes one is not a refusal. */
import type { TextPattern } from "../../../base/regex/linear.ts";

const maxRefusalLines = 10;

/** The line that shows the refusal; undefined if the answer is regular output. */
export function refusalIn(output: string, errors: readonly TextPattern[]): string | undefined {
  const lines = output.trim().split("\n", maxRefusalLines + 1);
  if (lines.length > maxRefusalLines) return undefined;
  for (const error of errors) {
    const match = error.exec(output);
    if (match === null) continue;
    return matchedLine(output, match);
  }
  return undefined;
}

/** The whole line, or lines, in which a pattern matched. */
export function matchedLine(output: string, match: { readonly index: number; readonly 0: string }): string {
  const start = output.lastIndexOf("\n", match.index) + 1;
  const end = output.indexOf("\n", match.index + Math.max(1, match[0].length));
  return output.slice(start, end < 0 ? undefined : end).trim();
}
