/**
 * Splits the output of several pipelined lines into one answer per line. The device shows a prompt after each line, so
 * the prompts are counted; the echoes confirm the count. If the device has a line editor, it echoes each line behind
 * the prompt at which it reads the line. Input that arrives while a command runs is also echoed earlier by the terminal
 * itself, whole or in pieces. Without a line editor, that early echo is the only one.
 */
import { findEcho } from "../text/echo.ts";
import { withoutAll, withoutSome } from "./interleaved.ts";

export interface LineAnswer {
  readonly line: string;
  /** Output without echoes and the prompt. */
  readonly output: string;
  /** The same output before stray echoes were removed. */
  readonly raw: string;
  /** Offset in the typed lines: what was echoed at its prompt is not echoed in it once more. */
  readonly from?: number;
  /** What the output is if the echoes fell into it at other places. */
  readonly others?: readonly string[];
  /** Output and echoes cannot be told apart for certain: a refusal might not be read. */
  readonly mixed?: true;
}

export interface Matched {
  /** One entry, in order, per line whose prompt has arrived. */
  readonly answers: readonly LineAnswer[];
  /** There are as many prompts as lines, so each answer belongs to its line. */
  readonly counted: boolean;
  /** Transcript and outputs equal those of a line-by-line push. */
  readonly whole: boolean;
  readonly transcript: string;
}

interface Segments {
  readonly parts: readonly string[];
  /** The whitespace between a prompt and the typed text. */
  readonly gap: string;
  readonly counted: boolean;
}

interface Cleaned {
  readonly output: string;
  /**
   * Offset in the typed lines at which the removed echo ended; the offset at which the search began if none was found.
   */
  readonly end: number;
  readonly sure: boolean;
}

/**
 * @param text received since the lines were typed
 * @param prompt last line of the prompt at which they were typed; the device repeats it after each line
 */
export function matchAnswers(text: string, lines: readonly string[], prompt: string): Matched {
  const segments = split(text, lines, prompt);
  return (
    inPlace(segments, lines, prompt) ?? asItCame(segments, lines, prompt) ?? unclear(text, segments, lines)
  );
}

/** Counts the occurrences of a prompt in a text. */
export function promptCount(text: string, prompt: string): number {
  let count = 0;
  for (let at = text.indexOf(prompt); at >= 0; at = text.indexOf(prompt, at + prompt.length)) count++;
  return count;
}

/** Counts the prompts that answer a line. */
export function answerCount(text: string, prompt: string, lines: readonly string[]): number {
  return withoutRepeats(text.split(prompt).slice(0, -1), lines).length;
}

/**
 * Leaves out the prompts that the device repeated late: nothing stands between them and the one before. Where the
 * terminal itself echoes lines ahead of time, that is an answer without output.
 */
function withoutRepeats(parts: readonly string[], lines: readonly string[]): readonly string[] {
  const said = parts.filter((part) => part.trim() !== "");
  if (said.length === parts.length) return parts;
  return said.some((part) => echoesAhead(part, lines)) ? parts : said;
}

/** Whether an answer holds another typed line, or ends with the beginning of one: the echo of what was not read yet. */
function echoesAhead(part: string, lines: readonly string[]): boolean {
  const rest = part.slice(part.indexOf("\n") + 1).trim();
  if (rest === "") return false;
  const last = rest.slice(rest.lastIndexOf("\n") + 1).trim();
  return lines.some((line) => rest.includes(line.trim()) || line.trim().startsWith(last));
}

function split(text: string, lines: readonly string[], prompt: string): Segments {
  const pieces = text.split(prompt);
  const gap = pieces.at(-1) ?? "";
  const ended = /^[ \t]*$/.test(gap);
  const parts = withoutRepeats(pieces.slice(0, -1), lines);
  return { parts, gap: ended ? gap : "", counted: ended && parts.length === lines.length };
}

/** Matches devices that echo each line behind the prompt at which they read it. */
function inPlace(
  { parts, gap, counted }: Segments,
  lines: readonly string[],
  prompt: string,
): Matched | undefined {
  const typed = `${lines.join("\n")}\n`;
  const answers: LineAnswer[] = [];
  let transcript = "";
  let isComplete = true;
  let length = 0;
  let unread = 0;
  for (const [at, part] of parts.entries()) {
    const line = lines[at];
    if (line === undefined) return undefined;
    const echo = findEcho(part, "", line, undefined);
    if (echo === undefined || part[echo - 1] !== "\n") return undefined;
    // The echo must be alone on its line; otherwise it may be output that starts with the same text.
    if (!part.slice(0, echo).trimEnd().endsWith(line.trim())) return undefined;
    unread += line.length + 1;
    const raw = part.slice(echo);
    const { output, end, sure } = withoutEchoes(raw, typed, Math.max(length, unread));
    length = end;
    isComplete &&= sure;
    const mixed = output !== "" && isCut(raw, typed.slice(0, unread), typed.slice(unread));
    isComplete &&= !mixed;
    answers.push({ line, output, raw, from: unread, ...(mixed && { mixed }) });
    transcript += part.slice(0, echo) + output + prompt;
  }
  return { answers, counted, whole: counted && isComplete, transcript: transcript + gap };
}

/**
 * Matches devices that echo each line on arrival and not behind its prompt. Everything typed must be found again in
 * order, at the start of a line or behind a prompt; the rest is output.
 */
function asItCame(
  { parts, gap, counted }: Segments,
  lines: readonly string[],
  prompt: string,
): Matched | undefined {
  if (!counted) return undefined;
  const typed = `${lines.join("\n")}\n`;
  const answers: LineAnswer[] = [];
  let length = 0;
  for (const [index, part] of parts.entries()) {
    const raw = withoutGap(part, index, gap);
    let output = "";
    for (let at = 0; at < raw.length; ) {
      const echo = sameFrom(raw, at, typed, length);
      const end = raw.indexOf("\n", at) + 1;
      if (echo === 0) output += raw.slice(at, end > 0 ? end : raw.length);
      at = echo > 0 ? at + echo : end > 0 ? end : raw.length;
      length += echo;
    }
    answers.push({ line: lines[index] ?? "", output, raw: output });
  }
  if (length < typed.length) return undefined;
  const transcript = answers.map(({ line, output }) => `${line}\n${output}${prompt}`).join(gap) + gap;
  return { answers, counted, whole: true, transcript };
}

/** The part without what stands between the prompt before it and the typed text. */
function withoutGap(part: string, index: number, gap: string): string {
  return index > 0 && part.startsWith(gap) ? part.slice(gap.length) : part;
}

/** Length of the common run of characters from two offsets. */
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

/** Stands for a prompt: no typed line holds one. */
const mark = "\0";

/** Fallback: assigns answers to lines by the prompts alone. */
function unclear(text: string, { parts, gap, counted }: Segments, lines: readonly string[]): Matched {
  const typed = `${lines.join("\n")}\n`;
  const raws = parts.map((part, index) => withoutGap(part, index, gap));
  const apart = withoutAll(raws.join(mark), typed, mark);
  const [outputs = raws, ...others] = (apart?.rests ?? []).map((rest) => rest.split(mark));
  const answers = raws.slice(0, lines.length).map((raw, at) => ({
    ...{ line: lines[at] ?? "", output: outputs[at] ?? raw, raw },
    others: others.map((outputs) => outputs[at] ?? raw),
    ...(apart?.sure !== true && !typed.includes(raw) && { mixed: true as const }),
  }));
  return { answers, counted, whole: false, transcript: text };
}

/**
 * Removes the terminal's early echoes of lines that were not read yet. An echo is one run of the typed text, from
 * `from` on, that starts at the start of a line and either is the whole answer, ends at the prompt or crosses a line
 * end. A shorter run may be output: it stays, and the result is not `sure`.
 */
function withoutEchoes(raw: string, typed: string, from: number): Cleaned {
  if (raw === "") return { output: "", end: from, sure: true };
  const echoAt = typed.indexOf(raw, from);
  if (echoAt >= 0) return { output: "", end: echoAt + raw.length, sure: true };
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

/** The longest run of `typed` at `at` in the text; with `goesOn`, only one that continues the previous run. */
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

/** Whether an echo of lines that are not answered yet cuts the output; words of those that are may be quoted in it. */
function isCut(raw: string, answered: string, later: string): boolean {
  const echo = withoutSome(raw, later, middlePrice);
  return echo?.cutting.some((run) => !answered.includes(run)) ?? false;
}

/** What a run of an echo amid output costs, in characters: of short runs either the one or the other reading is right. */
const middlePrice = 3;
const prices = [1, middlePrice, 8];

/** All texts the answer may consist of: an echo left in it hides where its lines begin and end. */
export function readings(
  { output, raw, from = 0, others = [] }: LineAnswer,
  lines: readonly string[],
): readonly string[] {
  const typed = `${lines.join("\n")}\n`;
  const apart = raw
    .split("\n")
    .map((line) => {
      const { length } = longestRun(line, 0, typed, 0, false);
      return length === 0 ? line : `${line.slice(0, length)}\n${line.slice(length)}`;
    })
    .join("\n");
  const without =
    output === "" ? [] : prices.flatMap((price) => withoutSome(raw, typed.slice(from), price)?.rests ?? []);
  return [...new Set([output, ...others, raw, apart, ...without])];
}
