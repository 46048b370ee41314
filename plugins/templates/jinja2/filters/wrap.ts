/** Wraps text to a width as Python's textwrap does. */

import { isBlank, isWide, textLength, valueError } from "../../python/index.ts";

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

/** A chunk of text. A chunk longer than a line is consumed from its front without copying the rest. */
class Chunk {
  private from = 0;
  private readonly letters: string | readonly string[];
  constructor(text: string) {
    this.letters = isWide(text) ? Array.from(text) : text;
  }
  get length(): number {
    return this.letters.length - this.from;
  }
  /** The first `count` characters. */
  head(count: number): string {
    const part = this.letters.slice(this.from, this.from + count);
    return typeof part === "string" ? part : part.join("");
  }
  whole(): string {
    return this.head(this.length);
  }
  cut(count: number): string {
    const part = this.head(count);
    this.from += count;
    return part;
  }
}

export function wrapText(text: string, width: number, breakLong: boolean, onHyphens: boolean): string[] {
  if (width <= 0) throw valueError(`invalid width ${width} (must be > 0)`);
  const chunks = (text.match(onHyphens ? HYPHENATED : SIMPLE) ?? [])
    .map((chunk) => new Chunk(chunk))
    .reverse();
  const lines: string[] = [];
  while (chunks.length > 0) {
    const line: string[] = [];
    let size = 0;
    const first = chunks.at(-1);
    // Tests the first character first: only a chunk that starts with white space can be blank.
    if (lines.length > 0 && first !== undefined && isBlank(first.head(1)) && isEmpty(first.whole()))
      chunks.pop();
    for (let next = chunks.at(-1); next !== undefined && size + next.length <= width; next = chunks.at(-1)) {
      line.push(next.whole());
      size += next.length;
      chunks.pop();
    }
    const long = chunks.at(-1);
    if (long !== undefined && long.length > width) {
      if (breakLong) line.push(long.cut(breakAt(long, width - size, onHyphens)));
      else if (line.length === 0) line.push(chunks.pop()?.whole() ?? "");
    }
    if (line.length > 0 && isEmpty(line.at(-1) ?? "")) line.pop();
    if (line.length > 0) lines.push(line.join(""));
  }
  return lines;
}

function breakAt(chunk: Chunk, room: number, onHyphens: boolean): number {
  if (!onHyphens || chunk.length <= room) return room;
  const head = chunk.head(room);
  const hyphen = head.lastIndexOf("-");
  const before = head.slice(0, hyphen);
  return hyphen > 0 && /[^-]/.test(before) ? textLength(before) + 1 : room;
}
