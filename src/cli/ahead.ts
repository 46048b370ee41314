/**
 * Which configuration lines may be typed before those in front of them were answered. What is sent ahead is run even if
 * a line in front of it is refused: so it must neither change where the following lines land, nor ask. Nobody has a list
 * of such lines for each system: a line goes ahead only where one of the same kind has been seen in this push, at this
 * prompt, to be answered with nothing but the prompt.
 */
import type { Context } from "../plugin/kit.ts";
import type { PlatformPlugin } from "../plugin/platform.ts";
import { type Answer, answerBody } from "./answer.ts";
import { blockLength } from "./blocks.ts";
import type { Prompt } from "./prompt.ts";

/** Few enough that a refused one stops most of the rest. */
const mostLines = 32;
/** The input queue of a terminal takes 4,096 bytes; behind that it drops, and the line editor echoes late. */
const mostBytes = 2048;
/** A line editor scrolls what is longer than the screen, and paints over it: such an echo is told from nothing else. */
const longestLine = 250;

/** Words by which some system leaves its configuration, or puts it in force. */
const leaveWords =
  /^(?:exit|end|quit|return|abort|top|up|back|logout|commit|root|main|do|run|edit|rollback|configure|enable|disable)\b/i;
/** What a line editor takes as a key of its own: `?` asks for help, a tab completes. */
const editorKeys = /[\x00-\x1f\x7f?]/;

/** Only where it is known to work, and lines are lines of a configuration; else the record says why not. */
export function mayGoAhead(
  plugin: PlatformPlugin,
  transport: "ssh" | "telnet",
  inConfig: boolean,
  ctx: Context,
): boolean {
  const why =
    plugin.pipelines !== true
      ? `${plugin.name} is not known to take lines ahead of its answers`
      : transport !== "ssh"
        ? "Telnet may lead to a console, which loses what it does not read at once"
        : inConfig
          ? undefined
          : "the session stands outside the configuration";
  if (why !== undefined) ctx.warn(`pipeline: the lines were sent one by one: ${why}`);
  return why === undefined;
}

export interface Ahead {
  /** The lines from `at` on that may be typed in one write, and where those behind them begin: empty ones mean nothing. */
  window(lines: readonly string[], at: number, prompt: Prompt | undefined): Window;
  /** A line that was typed alone was answered. */
  answered(line: string, before: Prompt | undefined, answer: Answer): void;
  /** Line by line from now on. */
  stop(): void;
}

export interface Window {
  readonly lines: readonly string[];
  readonly next: number;
}

export function createAhead(plugin: PlatformPlugin): Ahead {
  const steps = new Set(Object.values(plugin.levels).flatMap(({ enter, leave }) => [enter, leave]));
  /** By prompt and kind; at most one for each line of the push. */
  const harmless = new Set<string>();
  let stopped = false;

  function mayPrecede(lines: readonly string[], at: number, prompt: Prompt): boolean {
    const line = lines[at] ?? "";
    const text = line.trim();
    return (
      line.length <= longestLine &&
      harmless.has(keyOf(prompt, text)) &&
      !editorKeys.test(line) &&
      !leaveWords.test(text) &&
      !steps.has(text) &&
      !line.includes(lastLine(prompt)) &&
      blockLength(lines, at, plugin.blocks) === 0
    );
  }

  return {
    window(lines, at, prompt) {
      const taken: string[] = [];
      let bytes = 0;
      let next = at + 1;
      for (let index = at; index < lines.length && taken.length < mostLines; index++) {
        const line = lines[index] ?? "";
        if (line === "") continue;
        bytes += Buffer.byteLength(line) + 1;
        if (stopped || prompt === undefined || bytes > mostBytes || !mayPrecede(lines, index, prompt)) break;
        taken.push(line);
        next = index + 1;
      }
      // One that must wait is typed when all before it were answered.
      return { lines: taken, next };
    },
    answered(line, before, answer) {
      if (stopped || before === undefined || answer.ended !== "prompt") return;
      const { found, replies, early } = answer;
      const same = !found.glued && found.keepsLine !== true && found.prompt.text === before.text;
      if (same && replies === 0 && early === "" && answerBody(answer) === "")
        harmless.add(keyOf(before, line.trim()));
    },
    stop() {
      stopped = true;
    },
  };
}

/** The words of a line, with those that hold a figure left open: `ip route 10.0.0.0 255.0.0.0 Null0` is `ip route # # #`. */
function keyOf(prompt: Prompt, line: string): string {
  const kind = line
    .split(/\s+/)
    .map((word) => (/\d/.test(word) ? "#" : word))
    .join(" ");
  return `${prompt.text}\n${kind}`;
}

export function lastLine({ text }: Prompt): string {
  return text.slice(text.lastIndexOf("\n") + 1);
}
