/** Recognizes prompts in output, and the privilege level of each. */
import type { PlatformPlugin } from "../../../plugin/platform.ts";

export interface Prompt {
  readonly level: string;
  /** As shown, without trailing blanks; several lines if the platform's prompt has several. */
  readonly text: string;
  /** Number of lines at the end of the output, including those above the prompt line. */
  readonly lines: number;
  /** Text of the lines above the prompt line, usually the path in the configuration. */
  readonly above?: string;
  /** The part that changes with the host name but not with the mode: distinguishes a new mode from another device. */
  readonly stem: string;
  /** Its numbers change by themselves, as a counter or a clock does; see `endsAs`. */
  readonly varies?: true;
}

export interface Found {
  readonly prompt: Prompt;
  /** Output without a line end precedes it on the same line. */
  readonly glued: boolean;
  /** The device kept a refused line in its editor, behind the prompt. */
  readonly keepsLine?: boolean;
  /** No level of the platform matches it. */
  readonly learned?: boolean;
}

export interface Prompts {
  /**
   * Finds the prompt at the end of a text.
   * @param end the last lines, including the unfinished one
   */
  find(end: string | TextEnd, currentPrompt?: Prompt): Found | undefined;
}

/** The end of a text, joined only if the last line alone does not suffice. */
export interface TextEnd {
  readonly line: string;
  /** The last lines, including the unfinished one. */
  tail(): string;
}

/** A longer line is output, or output with the known prompt behind it. */
const maxLineLength = 512;
const maxTailLength = 2048;

interface LevelPattern {
  readonly level: string;
  readonly prompt: RegExp;
  readonly not: RegExp | undefined;
  readonly multiline: boolean;
}

export function compilePrompts(
  platform: Pick<PlatformPlugin, "levels" | "above" | "endsWithLine"> &
    Partial<Pick<PlatformPlugin, "errors">>,
): Prompts {
  const patterns: LevelPattern[] = Object.entries(platform.levels)
    .map(([level, { prompt, not }]) => ({
      level,
      prompt: atEnd(prompt),
      not,
      multiline: spansLines(prompt),
    }))
    // The sort is stable: among equals the first one declared wins.
    .sort((a, b) => depth(platform, b.level) - depth(platform, a.level));
  const above = platform.above && new RegExp(`^(?:${platform.above.source})[ \\t]*$`, flags(platform.above));

  function find(end: string | TextEnd, currentPrompt?: Prompt): Found | undefined {
    const lastLine = lastLineOf(end);
    if (lastLine.length > maxLineLength) return currentPrompt && gluedTo(lastLine, currentPrompt);
    const line = lastLine.trimEnd();
    if (line === "") return undefined;
    // Usually the prompt is unchanged, and no pattern has to run.
    const isSame = currentPrompt?.lines === 1 && line === currentPrompt.text;
    if (isSame && !standsBelow(end)) return { prompt: currentPrompt, glued: false };
    if (currentPrompt?.varies && currentPrompt.lines === 1 && endsAs(line, currentPrompt) === line.length)
      return { prompt: { ...currentPrompt, text: line }, glued: false };
    const lines = () => textOf(end).slice(-maxTailLength);
    for (const { level, prompt, not, multiline } of patterns) {
      const match = prompt.exec(multiline ? lines() : lastLine);
      if (match === null) continue;
      const text = match[0].replace(/^\n/, "").trimEnd();
      if (text === "" || not?.test(text)) continue;
      const bare =
        currentPrompt === undefined ||
        line === currentPrompt.text ||
        !endsWithKnown(lastLine, currentPrompt) ||
        // A bare `>` also ends the prompts of nested command lines.
        (currentPrompt.stem === "" && level !== currentPrompt.level);
      if (!bare) break;
      return { prompt: complete(level, text, lines()), glued: false };
    }
    return currentPrompt && gluedTo(lastLine, currentPrompt);
  }

  /** Whether the line above belongs to the prompt; some systems show it after some answers only. */
  function standsBelow(end: string | TextEnd): boolean {
    return above?.test(textOf(end).split("\n").at(-2) ?? "") === true;
  }

  function complete(level: string, text: string, lines: string): Prompt {
    const promptLines = text.split("\n").length;
    const allLines = above === undefined ? [] : lines.split("\n");
    let count = promptLines;
    while (count < allLines.length && above?.test(allLines[allLines.length - 1 - count] ?? "")) count++;
    // The line above usually shows the position in a tree.
    const stem = stemOf(uncounted(text.slice(text.lastIndexOf("\n") + 1))) || stemOf(uncounted(text));
    const place = allLines.slice(-count, -promptLines).join("\n").trim();
    return { level, text, lines: count, stem, ...(place === "" ? {} : { above: place }) };
  }

  return platform.endsWithLine === true ? { find: findLine } : { find };

  /** The last non-empty line, once it has ended. */
  function findLine(end: string | TextEnd, currentPrompt?: Prompt): Found | undefined {
    const tail = textOf(end);
    const text = tail.trimEnd();
    const ends = tail.slice(text.length).split("\n").length - 1;
    const found = ends === 0 ? undefined : find(text, currentPrompt);
    if (found === undefined || found.glued) return undefined;
    const isRefusal = platform.errors?.some((pattern) => pattern.test(found.prompt.text)) === true;
    return { glued: false, prompt: { ...found.prompt, lines: ends + (isRefusal ? 0 : 1) } };
  }
}

export const lastLineOf = (end: string | TextEnd) =>
  typeof end === "string" ? end.slice(end.lastIndexOf("\n") + 1) : end.line;

const textOf = (end: string | TextEnd) => (typeof end === "string" ? end : end.tail());

/** `abcR1#`: the prompt follows output without a line end, however long. */
function gluedTo(text: string, currentPrompt: Prompt): Found | undefined {
  if (!endsWithKnown(text, currentPrompt)) return undefined;
  const line = text.trimEnd();
  const shown = currentPrompt.varies ? line.slice(line.length - endsAs(line, currentPrompt)) : undefined;
  return { prompt: { ...currentPrompt, lines: 1, ...(shown && { text: shown }) }, glued: true };
}

/** For a bare `>`, the blank behind it must match too. */
function endsWithKnown(text: string, currentPrompt: Prompt): boolean {
  const line = text.trimEnd();
  if (currentPrompt.stem === "" && text === line) return false;
  const length = endsAs(line, currentPrompt);
  return length > 0 && line.length > length;
}

/** The pattern of a prompt whose numbers vary, at the end of a text. */
const varying = new WeakMap<Prompt, RegExp>();

/** Length of the last line of this prompt at the end of a text; 0 if the text ends otherwise. */
export function endsAs(text: string, prompt: Prompt): number {
  const last = prompt.text.slice(prompt.text.lastIndexOf("\n") + 1);
  if (text.endsWith(last)) return last.length;
  if (prompt.varies !== true) return 0;
  const pattern = varying.get(prompt) ?? new RegExp(`${countless(last, prompt.stem)}$`);
  varying.set(prompt, pattern);
  return pattern.exec(text.slice(-2 * last.length - 16))?.[0].length ?? 0;
}

/** Whether two prompts differ at most in numbers outside the host name. */
export function sameButNumbers(a: Prompt, b: Prompt): boolean {
  return a.stem === b.stem && countless(a.text, a.stem) === countless(b.text, b.stem);
}

/** The text without times and dates. */
export function clockless(text: string): string {
  return text
    .replace(/\d{4}-\d\d-\d\d|\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?: ?[AP]M\b)?/gi, "")
    .replace(
      /\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b,?|\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +\d{1,2}\b/g,
      "",
    );
}

/** A pattern of the text with any numbers in place of its own, but for those of the host name. */
function countless(text: string, stem: string): string {
  const at = stem === "" ? -1 : text.indexOf(stem);
  if (at < 0) return anyNumbers(text);
  return anyNumbers(text.slice(0, at)) + literal(stem) + anyNumbers(text.slice(at + stem.length));
}

const numbers = /\d+(?:[.:]\d+)*/;

const anyNumbers = (text: string) => text.split(numbers).map(literal).join(numbers.source);

const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");

function atEnd(pattern: RegExp): RegExp {
  return new RegExp(`(?:^|\\n)(?:${pattern.source})[ \\t]*$`, flags(pattern));
}

/** The flags `m`, `g` and `y` would change the meaning of our anchors. */
function flags(pattern: RegExp): string {
  return pattern.flags.replace(/[gmy]/g, "");
}

/**
 * Only a pattern that contains a line end is matched against several lines: `[^>]+>` must not swallow the output above.
 */
function spansLines(pattern: RegExp): boolean {
  return /\\n|\n/.test(pattern.source.replace(/\[\^(?:\\.|[^\]\\])*\]/g, ""));
}

function depth(platform: Pick<PlatformPlugin, "levels">, level: string): number {
  let steps = 0;
  for (let at = platform.levels[level]?.from; at !== undefined && steps < 100; steps++) {
    at = platform.levels[at]?.from;
  }
  return steps;
}

/** The longest word of the prompt, usually the host name. Parentheses contain a mode, unless at the front. */
function stemOf(text: string): string {
  const words = text.replace(/(?<!^)\([^)]*\)/g, " ").match(/[\p{L}\p{N}_.@-]+/gu) ?? [];
  // A date is longer than many a name.
  const names = words.filter((word) => /\p{L}/u.test(word));
  return (names.length > 0 ? names : words).reduce(
    (longest, word) => (word.length > longest.length ? word : longest),
    "",
  );
}

/** Whether two prompts belong to the same device: both contain its name. */
export function sameDevice(a: Prompt, b: Prompt): boolean {
  if (uncounted(a.text) === uncounted(b.text)) return true;
  // Some modes cut the name (IOS shows 20 characters of it); in others it is part of a longer word (`[R1-vlan1]`).
  // Another user of the same device has another level: `ann@web01`, `root@web01`.
  const [one, other] = [hostOf(a.stem), hostOf(b.stem)];
  const short = one.length <= other.length ? one : other;
  const long = short === one ? other : one;
  if (short !== "" && (long.includes(short) || (one.length >= 16 && long.startsWith(short.slice(0, 16)))))
    return true;
  // A mode may have a name longer than that of the device: `(R1) [mynode] #`.
  return hasWord(b.text, one) || hasWord(a.text, other);
}

/** Whether the name in a prompt is another one, exactly; a clock or a counter in it is no name. */
export function isOtherName(a: Prompt, b: Prompt): boolean {
  return hostOf(a.stem) !== hostOf(b.stem) && clockless(uncounted(a.text)) !== clockless(uncounted(b.text));
}

function hasWord(text: string, name: string): boolean {
  if (name.length < 2) return false;
  const at = text.indexOf(name);
  return at >= 0 && !/\w/.test((text[at - 1] ?? "") + (text[at + name.length] ?? ""));
}

/** The name of the device in a prompt that may name its user, too. */
export const hostOf = (stem: string) => stem.slice(stem.lastIndexOf("@") + 1) || stem;

/** Some prompts count the commands: `X460.12 #` is followed by `X460.13 #`, `~ [6]$` by `~ [7]$`. */
function uncounted(text: string): string {
  return text.replace(/([.:![])\d+(?=[\])]?\s*[#>%$]$)/, "$1");
}

/** Counts the lines that begin with this prompt, in any mode. */
export function promptLines(output: string, { text, stem }: Prompt): number {
  const last = text.slice(text.lastIndexOf("\n") + 1);
  const beginning = last.slice(0, last.indexOf(stem) + stem.length);
  return output.split("\n").filter((line) => line.startsWith(beginning)).length;
}

/** Whether a line of the text begins with these words. */
export function beginsLine(text: string, words: string): boolean {
  return text.startsWith(words) || text.includes(`\n${words}`);
}
