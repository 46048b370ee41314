/** Tells whether a query was refused: a refusal is short, an output that quotes one in its middle is not. */
import type { TextPattern } from "../base/linear.ts";

const longestRefusal = 10;

/** The line by which the device says so; undefined where the answer is an output. */
export function refusalIn(output: string, errors: readonly TextPattern[]): string | undefined {
  const lines = output.trim().split("\n", longestRefusal + 1);
  if (lines.length > longestRefusal) return undefined;
  for (const error of errors) {
    const match = error.exec(output);
    if (match === null) continue;
    return matchedLine(output, match);
  }
  return undefined;
}

/** The whole line, or lines, in which a pattern was found. */
export function matchedLine(output: string, match: { readonly index: number; readonly 0: string }): string {
  const start = output.lastIndexOf("\n", match.index) + 1;
  const end = output.indexOf("\n", match.index + Math.max(1, match[0].length));
  return output.slice(start, end < 0 ? undefined : end).trim();
}
