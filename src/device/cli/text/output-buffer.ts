/** The growing text of one answer. Joins and folds it only on request, and caches the result. */
import type { Cleaned } from "./ansi.ts";

const tailChars = 4096;
export const headChars = 8192;
const lineChars = 512;

export interface OutputBuffer {
  /** Appends completed lines as the cleaner returns them. */
  keep(cleaned: Cleaned): void;
  /** Starts a new answer after the current text of the unfinished line. */
  mark(): void;
  /** Number of lines; of several that arrived at once, two are counted. */
  lines(): number;
  /** The whole text, including the unfinished line. */
  text(): string;
  /** The first line with its line end; empty if it is unfinished or long. */
  firstLine(): string;
  /** The first KiB. */
  start(): string;
  /** The last lines, at most a few KiB. */
  tail(): string;
  /** A reply was typed at the unfinished line: the text after its line end is new. */
  replied(): void;
  /** The text after that line end, at most a few KiB; undefined if there is none yet. */
  sinceReply(): string | undefined;
  /** Does the work of `text` now. */
  prepare(): void;
}

/** Removes the carriage returns of line ends; the cleaner leaves no others. */
export function folded(text: string): string {
  return text.replace(/\r/g, "");
}

/** @param line the unfinished last line */
export function createOutputBuffer(line: () => string): OutputBuffer {
  let text = "";
  /** Chunks received since the last call of `text`; line ends not folded yet. */
  let parts: string[] = [];
  /** Cached tail; valid until more text arrives. */
  let tail: { readonly line: string; readonly text: string } | undefined;
  /** Cached result of the last call of `text`. */
  let joined: { readonly last: string; readonly text: string } | undefined;
  let leftover = "";
  let lines = 0;
  let reply: { behind: string; ended: boolean } | undefined;

  function unfinished(): string {
    const last = line();
    return leftover !== "" && last.startsWith(leftover) ? last.slice(leftover.length) : last;
  }

  /** Joins everything at once, including the unfinished line: a rope would be copied again when read. */
  function wholeText(): string {
    const last = unfinished();
    if (parts.length === 0 && joined?.last === last) return joined.text;
    const fresh = folded([...parts, last].join(""));
    const joinedText = text === "" ? fresh : text + fresh;
    text = joinedText.slice(0, joinedText.length - last.length);
    parts = [];
    joined = { last, text: joinedText };
    return joinedText;
  }

  function lastOf(last: string): string {
    let end = "";
    for (let at = parts.length - 1; at >= 0 && end.length < tailChars; at--) {
      end = (parts[at] ?? "").slice(end.length - tailChars) + end;
    }
    if (end.length < tailChars) end = text.slice(end.length - tailChars) + end;
    return (folded(end) + last).slice(-tailChars);
  }

  return {
    prepare: wholeText,
    lines: () => lines,
    replied() {
      reply = { behind: "", ended: false };
    },
    sinceReply: () => (reply?.ended ? folded(reply.behind) + line() : undefined),
    keep({ first, rest }) {
      tail = undefined;
      if (reply !== undefined) follow(reply, first + rest);
      parts.push(leftover !== "" && first.startsWith(leftover) ? first.slice(leftover.length) : first);
      if (rest !== "") parts.push(rest);
      leftover = "";
      lines += linesIn(first) === 2 || rest.includes("\n") ? 2 : linesIn(first);
    },
    mark() {
      text = "";
      parts = [];
      tail = undefined;
      joined = undefined;
      lines = 0;
      leftover = line();
      reply = undefined;
    },
    text: wholeText,
    firstLine() {
      const start = text === "" ? folded((parts[0] ?? "").slice(0, lineChars)) : text.slice(0, lineChars);
      return start.slice(0, start.indexOf("\n") + 1);
    },
    start() {
      let first = text.slice(0, headChars);
      let isWhole = first.length === text.length;
      for (let at = 0; at < parts.length && isWhole; at++) {
        const part = parts[at] ?? "";
        first += folded(part.slice(0, headChars));
        isWhole = part.length <= headChars && first.length < headChars;
      }
      return isWhole ? first + unfinished() : first.slice(0, headChars);
    },
    tail() {
      const last = line();
      if (tail?.line !== last) tail = { line: last, text: lastOf(last) };
      return tail.text;
    },
  };
}

/** Counts up to two. */
function linesIn(text: string): number {
  const end = text.indexOf("\n");
  return end < 0 ? 0 : text.indexOf("\n", end + 1) < 0 ? 1 : 2;
}

function follow(reply: { behind: string; ended: boolean }, done: string): void {
  const end = reply.ended ? 0 : done.indexOf("\n") + 1;
  if (!reply.ended && end === 0) return;
  reply.behind = (reply.behind + done.slice(end)).slice(-tailChars);
  reply.ended = true;
}
