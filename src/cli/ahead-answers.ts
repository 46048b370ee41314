/**
 * Gives each of several lines that were typed in one write its own answer. The device shows a prompt for each: the
 * prompts are counted, and the echoes say whether the count is right. Where a line editor reads what was typed ahead, it
 * echoes each line behind its prompt; what arrives while a command runs, the terminal itself echoes before that, whole or
 * in pieces. Where no editor is, that is the only echo.
 */
import { findEcho } from "./echo.ts";

export interface LineAnswer {
  readonly line: string;
  /** What the device said, without echoes and the prompt. */
  readonly output: string;
  /** The same as it stood there, where echoes were taken out of it. */
  readonly raw: string;
}

export interface Matched {
  /** Of the lines, in order, whose prompt has come. */
  readonly answers: readonly LineAnswer[];
  /** As many prompts as lines: each answer is that of its line. */
  readonly counted: boolean;
  /** The transcript and the outputs are what they would be line by line. */
  readonly whole: boolean;
  readonly transcript: string;
}

interface Segments {
  readonly parts: readonly string[];
  /** What stands between a prompt and what is typed. */
  readonly gap: string;
  readonly counted: boolean;
}

interface Cleaned {
  readonly output: string;
  /** Where in the lines the echo ended that was taken out; where it began to look, if none was. */
  readonly end: number;
  readonly sure: boolean;
}

/**
 * @param text what came since the lines were typed
 * @param prompt the last line of the prompt at which they were typed, and that each of them shows again
 */
export function matchAnswers(text: string, lines: readonly string[], prompt: string): Matched {
  const segments = split(text, lines, prompt);
  return (
    inPlace(segments, lines, prompt) ?? asItCame(segments, lines, prompt) ?? unclear(text, segments, lines)
  );
}

/** How often a prompt stands in a text. */
export function promptCount(text: string, prompt: string): number {
  let count = 0;
  for (let at = text.indexOf(prompt); at >= 0; at = text.indexOf(prompt, at + prompt.length)) count++;
  return count;
}

function split(text: string, lines: readonly string[], prompt: string): Segments {
  const pieces = text.split(prompt);
  const gap = pieces.at(-1) ?? "";
  const ended = /^[ \t]*$/.test(gap);
  const parts = pieces.slice(0, -1);
  return { parts, gap: ended ? gap : "", counted: ended && parts.length === lines.length };
}

/** Each line is echoed behind the prompt at which it is read. */
function inPlace(
  { parts, gap, counted }: Segments,
  lines: readonly string[],
  prompt: string,
): Matched | undefined {
  const typed = `${lines.join("\n")}\n`;
  const answers: LineAnswer[] = [];
  let transcript = "";
  let whole = true;
  let heard = 0;
  let unread = 0;
  for (const [at, part] of parts.entries()) {
    const line = lines[at];
    if (line === undefined) return undefined;
    const echo = findEcho(part, "", line, undefined);
    if (echo === undefined || part[echo - 1] !== "\n") return undefined;
    // Nothing else stands on its line: it may be the device's words that begin as the line does.
    if (!part.slice(0, echo).trimEnd().endsWith(line.trim())) return undefined;
    unread += line.length + 1;
    const raw = part.slice(echo);
    const { output, end, sure } = withoutEchoes(raw, typed, Math.max(heard, unread));
    heard = end;
    whole &&= sure;
    answers.push({ line, output, raw });
    transcript += part.slice(0, echo) + output + prompt;
  }
  return { answers, counted, whole: counted && whole, transcript: transcript + gap };
}

/**
 * Each line is echoed as it arrives, wherever that is, and not behind its prompt: all that was typed is found again in its
 * order, at the beginning of a line or behind a prompt, and the rest is what the device said.
 */
function asItCame(
  { parts, gap, counted }: Segments,
  lines: readonly string[],
  prompt: string,
): Matched | undefined {
  if (!counted) return undefined;
  const typed = `${lines.join("\n")}\n`;
  const answers: LineAnswer[] = [];
  let heard = 0;
  for (const [index, part] of parts.entries()) {
    const raw = index > 0 && part.startsWith(gap) ? part.slice(gap.length) : part;
    let output = "";
    for (let at = 0; at < raw.length; ) {
      const echo = sameFrom(raw, at, typed, heard);
      const end = raw.indexOf("\n", at) + 1;
      if (echo === 0) output += raw.slice(at, end > 0 ? end : raw.length);
      at = echo > 0 ? at + echo : end > 0 ? end : raw.length;
      heard += echo;
    }
    answers.push({ line: lines[index] ?? "", output, raw: output });
  }
  if (heard < typed.length) return undefined;
  const transcript = answers.map(({ line, output }) => `${line}\n${output}${prompt}`).join(gap) + gap;
  return { answers, counted, whole: true, transcript };
}

/** How many characters from two places on are the same. */
function sameFrom(text: string, at: number, other: string, from: number): number {
  let length = 0;
  while (
    at + length < text.length &&
    from + length < other.length &&
    text[at + length] === other[from + length]
  )
    length++;
  return length;
}

/** The prompts alone tell which answer is whose. */
function unclear(text: string, { parts, counted }: Segments, lines: readonly string[]): Matched {
  const answers = parts
    .slice(0, lines.length)
    .map((raw, at) => ({ line: lines[at] ?? "", output: raw, raw }));
  return { answers, counted, whole: false, transcript: text };
}

/**
 * An answer without what the terminal echoed into it of lines that were not read yet: one run of what was typed, from
 * `from` on, that begins where a line of the answer begins, and takes up all of it, ends at the prompt or goes over a
 * line end. A shorter one may be the device's own words: it stays, and the answer is not sure.
 */
function withoutEchoes(raw: string, typed: string, from: number): Cleaned {
  if (raw === "") return { output: "", end: from, sure: true };
  const all = typed.indexOf(raw, from);
  if (all >= 0) return { output: "", end: all + raw.length, sure: true };
  let output = raw;
  let end = from;
  let sure = true;
  for (let at = 0; at >= 0 && at < output.length; at = lineAfter(output, at)) {
    const echo = longestRun(output, at, typed, end, end > from);
    if (echo.length === 0) continue;
    const piece = output.slice(at, at + echo.length);
    const ends = piece.includes("\n") || at + echo.length === output.length;
    if (!ends || piece.trim() === "") {
      sure = false;
      continue;
    }
    output = output.slice(0, at) + output.slice(at + echo.length);
    end = echo.start + echo.length;
    if (output === "" || at >= output.length) break;
  }
  return { output, end, sure };
}

function lineAfter(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? -1 : end + 1;
}

/** The longest run of `typed` that stands in the text at a place; one that goes on where the one before ended. */
function longestRun(text: string, at: number, typed: string, from: number, goesOn: boolean) {
  let best = { start: from, length: 0 };
  if (at >= text.length) return best;
  const first = text.charAt(at);
  for (let start = typed.indexOf(first, from); start >= 0; start = typed.indexOf(first, start + 1)) {
    if (goesOn && start !== from) break;
    const length = sameFrom(text, at, typed, start);
    if (length > best.length) best = { start, length };
  }
  return best;
}

/** What an answer may have been: an echo that was left in it hides where its lines begin. */
export function readings({ output, raw }: LineAnswer, lines: readonly string[]): readonly string[] {
  const typed = `${lines.join("\n")}\n`;
  const apart = raw
    .split("\n")
    .map((line) => {
      const { length } = longestRun(line, 0, typed, 0, false);
      return length === 0 ? line : `${line.slice(0, length)}\n${line.slice(length)}`;
    })
    .join("\n");
  return output === raw && apart === raw ? [output] : [output, raw, apart];
}
