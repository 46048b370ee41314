/** Breaks one line of text into lines of a width, as Python's textwrap does. */
import { isBlank } from "../../python/blanks.ts";
import { textLength, textSlice } from "../../python/codepoints.ts";
import { valueError } from "../../python/errors.ts";

const WORD = "[\\p{L}\\p{N}_]";
const LETTER = "[\\p{L}_]";
const PUNCTUATED = "[\\p{L}\\p{N}_!\"'&.,?]";
const BLANK = "[\\t\\n\\v\\f\\r ]";
const HYPHENATED = new RegExp(
  `${BLANK}+|(?<=${PUNCTUATED})-{2,}(?=${WORD})|[^\\t\\n\\v\\f\\r ]+?(?:-(?:(?<=${LETTER}{2}-)|(?<=${LETTER}-${LETTER}-))(?=${LETTER}-?${LETTER})|(?=${BLANK}|$)|(?<=${PUNCTUATED})(?=-{2,}${WORD}))`,
  "gu",
);
const SIMPLE = new RegExp(`${BLANK}+|[^\\t\\n\\v\\f\\r ]+`, "g");

function isEmpty(chunk: string): boolean {
  for (const char of chunk) if (!isBlank(char)) return false;
  return true;
}

export function wrapText(text: string, width: number, breakLong: boolean, onHyphens: boolean): string[] {
  if (width <= 0) throw valueError(`invalid width ${width} (must be > 0)`);
  const chunks = text.match(onHyphens ? HYPHENATED : SIMPLE)?.reverse() ?? [];
  const lines: string[] = [];
  while (chunks.length > 0) {
    const line: string[] = [];
    let size = 0;
    if (lines.length > 0 && isEmpty(chunks.at(-1) ?? "")) chunks.pop();
    for (
      let next = chunks.at(-1);
      next !== undefined && size + textLength(next) <= width;
      next = chunks.at(-1)
    ) {
      line.push(next);
      size += textLength(next);
      chunks.pop();
    }
    const long = chunks.at(-1);
    if (long !== undefined && textLength(long) > width) {
      if (breakLong) {
        const end = breakAt(long, width - size, onHyphens);
        line.push(textSlice(long, 0, end));
        chunks[chunks.length - 1] = textSlice(long, end, textLength(long));
      } else if (line.length === 0) line.push(chunks.pop() ?? "");
    }
    if (line.length > 0 && isEmpty(line.at(-1) ?? "")) line.pop();
    if (line.length > 0) lines.push(line.join(""));
  }
  return lines;
}

function breakAt(chunk: string, room: number, onHyphens: boolean): number {
  if (!onHyphens || textLength(chunk) <= room) return room;
  const hyphen = textSlice(chunk, 0, room).lastIndexOf("-");
  return hyphen > 0 && /[^-]/.test(chunk.slice(0, hyphen)) ? textLength(chunk.slice(0, hyphen)) + 1 : room;
}
