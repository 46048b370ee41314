/** Tells a prompt from output, and which privilege level it means. */
import type { PlatformPlugin } from "../plugin/platform.ts";

export interface Prompt {
  readonly level: string;
  /** As it stands, without trailing blanks; of several lines where the platform's prompt is. */
  readonly text: string;
  /** Lines it takes at the end of an output, those above it included. */
  readonly lines: number;
  /** What stands in those above it: a place in the configuration, mostly. */
  readonly above?: string;
  /** What a hostname change, but no mode change, would alter: to tell a new mode from a stranger's prompt. */
  readonly stem: string;
}

export interface Found {
  readonly prompt: Prompt;
  /** Output without a line end stands before it on the same line. */
  readonly glued: boolean;
  /** Behind it stands a line that the device refused and kept in its editor. */
  readonly keepsLine?: boolean;
  /** No level of the platform knows it. */
  readonly learned?: boolean;
}

export interface Prompts {
  /**
   * The prompt at the end of a text, if one stands there.
   * @param end the last lines, the unfinished one included
   */
  find(end: string | TextEnd, currentPrompt?: Prompt): Found | undefined;
}

/** The end of a text that is only put together where its last line does not tell enough. */
export interface TextEnd {
  readonly line: string;
  /** The last lines, that one included. */
  tail(): string;
}

/** A prompt longer than this is output. */
const longestLine = 512;
const longestTail = 2048;

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
    // A stable sort: of equals the first one written wins.
    .sort((a, b) => depth(platform, b.level) - depth(platform, a.level));
  const above = platform.above && new RegExp(`^(?:${platform.above.source})[ \\t]*$`, flags(platform.above));

  function find(end: string | TextEnd, currentPrompt?: Prompt): Found | undefined {
    const whole = lastLineOf(end);
    if (whole.length > longestLine) return undefined;
    const line = whole.trimEnd();
    if (line === "") return undefined;
    // Most often the prompt is the one that was there before: no pattern needs to run.
    const isSame = currentPrompt?.lines === 1 && line === currentPrompt.text;
    if (isSame && !standsBelow(end)) return { prompt: currentPrompt, glued: false };
    const lines = () => textOf(end).slice(-longestTail);
    for (const { level, prompt, not, multiline } of patterns) {
      const match = prompt.exec(multiline ? lines() : whole);
      if (match === null) continue;
      const text = match[0].replace(/^\n/, "").trimEnd();
      if (text === "" || not?.test(text)) continue;
      const bare =
        currentPrompt === undefined ||
        line === currentPrompt.text ||
        !endsWithKnown(whole, currentPrompt) ||
        // A mere `>` ends the prompt of any command line within.
        (currentPrompt.stem === "" && level !== currentPrompt.level);
      if (!bare) break;
      return { prompt: complete(level, text, lines()), glued: false };
    }
    if (currentPrompt !== undefined && endsWithKnown(whole, currentPrompt)) {
      return { prompt: { ...currentPrompt, lines: 1 }, glued: true };
    }
    return undefined;
  }

  /** Whether a line stands above that belongs to the prompt: some systems show it behind some of their answers only. */
  function standsBelow(end: string | TextEnd): boolean {
    return above?.test(textOf(end).split("\n").at(-2) ?? "") === true;
  }

  function complete(level: string, text: string, lines: string): Prompt {
    const own = text.split("\n").length;
    const all = above === undefined ? [] : lines.split("\n");
    let count = own;
    while (count < all.length && above?.test(all[all.length - 1 - count] ?? "")) count++;
    // Above the last line stands the place in a tree, mostly.
    const stem = stemOf(text.slice(text.lastIndexOf("\n") + 1)) || stemOf(text);
    const place = all.slice(-count, -own).join("\n").trim();
    return { level, text, lines: count, stem, ...(place === "" ? {} : { above: place }) };
  }

  return platform.endsWithLine === true ? { find: findLine } : { find };

  /** The last line that is not empty, once it has ended. */
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

/** `abcR1#`: the last line of an output that ended without a line end. Of a mere `>`, the blank must be there, too. */
function endsWithKnown(whole: string, currentPrompt: Prompt): boolean {
  const last = currentPrompt.text.slice(currentPrompt.text.lastIndexOf("\n") + 1);
  const line = whole.trimEnd();
  if (currentPrompt.stem === "" && whole === line) return false;
  return line.length > last.length && line.endsWith(last);
}

function atEnd(pattern: RegExp): RegExp {
  return new RegExp(`(?:^|\\n)(?:${pattern.source})[ \\t]*$`, flags(pattern));
}

/** Anchors are ours: `m`, `g` and `y` would move them. */
function flags(pattern: RegExp): string {
  return pattern.flags.replace(/[gmy]/g, "");
}

/** Only a pattern that writes a line end is shown more than one line: `[^>]+>` must not swallow the output above. */
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

/** The longest word of the prompt: its host name, mostly. Between parentheses stands a mode, at the front a name. */
function stemOf(text: string): string {
  const words = text.replace(/(?<!^)\([^)]*\)/g, " ").match(/[\p{L}\p{N}_.@-]+/gu) ?? [];
  return words.reduce((longest, word) => (word.length > longest.length ? word : longest), "");
}

/** Whether two prompts are of one device: its name stands in both. */
export function sameDevice(a: Prompt, b: Prompt): boolean {
  if (uncounted(a.text) === uncounted(b.text)) return true;
  // A name can be cut in modes (IOS shows 20 characters of it) and stands inside a longer word in others (`[R1-vlan1]`).
  const short = a.stem.length <= b.stem.length ? a.stem : b.stem;
  const long = short === a.stem ? b.stem : a.stem;
  return (
    short !== "" && (long.includes(short) || (a.stem.length >= 16 && long.startsWith(short.slice(0, 16))))
  );
}

/** `X460.12 #` is followed by `X460.13 #`: some prompts count the commands. */
function uncounted(text: string): string {
  return text.replace(/([.:!])\d+(?=[\])]?\s*[#>%$]$)/, "$1");
}

/** How many lines begin with this prompt, whatever its mode. */
export function promptLines(output: string, { text, stem }: Prompt): number {
  const last = text.slice(text.lastIndexOf("\n") + 1);
  const beginning = last.slice(0, last.indexOf(stem) + stem.length);
  return output.split("\n").filter((line) => line.startsWith(beginning)).length;
}

/** Whether a line of the text begins with these words. */
export function beginsLine(text: string, words: string): boolean {
  return text.startsWith(words) || text.includes(`\n${words}`);
}
