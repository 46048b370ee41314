/** Splits a configuration into commands; a multi-line banner is one command. */
import { linesOf } from "../../../common/text.ts";

export interface Entry {
  /** The original line, for error messages. */
  readonly line: string;
  /** Starts at 1. */
  readonly number: number;
  readonly command: string;
}

export function entriesOf(text: string): readonly Entry[] {
  const lines = linesOf(text);
  const entries: Entry[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const number = at + 1;
    if (/^\s*(?:!|$)/.test(line)) continue;
    const last = endOfBanner(lines, at);
    entries.push({
      line,
      number,
      command: lines
        .slice(at, last + 1)
        .join("\n")
        .trimEnd(),
    });
    at = last;
  }
  return entries;
}

/** A banner ends where its delimiter occurs again. */
function endOfBanner(lines: readonly string[], at: number): number {
  const [, mark, rest = ""] = /^\s*banner \S+ (\S)(.*)$/.exec(lines[at] ?? "") ?? [];
  if (mark === undefined || rest.includes(mark)) return at;
  const end = lines.findIndex((line, index) => index > at && line.includes(mark));
  return end < 0 ? at : end;
}
