/**
 * Decides which configuration lines may be pipelined. The device runs a pipelined line even if it refused the previous
 * one, so such a line must neither change the context of the following lines nor ask a question. No complete list of
 * such lines exists for any system. A line is pipelined only if a line of the same kind was answered with nothing but
 * the prompt, at the same prompt, earlier in this push, and if none that begins with the same word has changed the prompt:
 * one interface after another shows the same prompt on many systems.
 */

import { endingOf } from "../../../base/text/text-blocks.ts";
import type { Context } from "../../../plugin/kit/kit.ts";
import type { PlatformPlugin } from "../../../plugin/platform.ts";
import type { Prompt } from "../prompt/prompt.ts";
import { type Answer, answerBody } from "./answer.ts";

/** Small enough that a refused line stops most of the rest. */
const maxLines = 32;
/** A terminal's input queue holds 4,096 bytes. Beyond that it drops input, and the line editor echoes late. */
const maxBytes = 2048;
/** A line editor scrolls and repaints a line longer than the screen; that echo cannot be recognized. */
const maxLineLength = 250;

/** Words that leave the configuration mode or commit it on some system. */
const leaveWords =
  /^(?:exit|end|quit|return|abort|top|up|back|logout|commit|root|main|do|run|edit|rollback|configure|enable|disable)\b/i;
/** Whether a line can lead out of the configuration, or to another level of it. */
export function mayLeave({ levels }: PlatformPlugin, line: string): boolean {
  const text = line.trim();
  return (
    leaveWords.test(text) ||
    Object.values(levels).some(({ enter, leave }) => text === enter || text === leave)
  );
}

/** Line editor keys: `?` shows help, a tab completes. */
const editorKeys = /[\x00-\x1f\x7f?]/;

/**
 * Allows pipelining only for platforms that support it and lines typed in configuration mode; otherwise warns with the
 * reason.
 */
export function canPipeline(
  plugin: PlatformPlugin,
  transport: "ssh" | "telnet",
  inConfig: boolean,
  ctx: Context,
): boolean {
  const why =
    plugin.pipelines !== true
      ? `${plugin.name} is not known to support pipelined lines`
      : transport !== "ssh"
        ? "Telnet may lead to a console, which loses input that it does not read immediately"
        : inConfig
          ? undefined
          : "the session is outside the configuration";
  if (why !== undefined) ctx.warn(`pipeline: the lines were sent one by one: ${why}`);
  return why === undefined;
}

export interface Pipeline {
  /** The lines from `at` on that may go in one write, and the index of the line after them. Skips empty lines. */
  window(lines: readonly string[], at: number, prompt: Prompt | undefined): Window;
  /** Reports the answer of a line that was typed alone. */
  answered(line: string, before: Prompt | undefined, answer: Answer): void;
  /** Disables pipelining for the rest of the push. */
  stop(): void;
}

export interface Window {
  readonly lines: readonly string[];
  readonly next: number;
}

export function createPipeline(plugin: PlatformPlugin): Pipeline {
  /** Keys of prompt and kind of line; at most one per line of the push. */
  const harmless = new Set<string>();
  /**
   * First words of lines that have changed the prompt: the next one of these may open a mode whose prompt is the same.
   * By the first word only, as a name may follow it (`interface Ethernet 1`).
   */
  const openers = new Set<string>();
  let stopped = false;

  /** Words may be abbreviated: `int` and `interface`. */
  function mayOpen(text: string): boolean {
    const word = firstWord(text);
    return [...openers].some((opener) => opener.startsWith(word) || word.startsWith(opener));
  }

  function mayPrecede(lines: readonly string[], at: number, prompt: Prompt): boolean {
    const line = lines[at] ?? "";
    const text = line.trim();
    return (
      line.length <= maxLineLength &&
      harmless.has(keyOf(prompt, text)) &&
      !mayOpen(text) &&
      !editorKeys.test(line) &&
      !mayLeave(plugin, text) &&
      !line.includes(lastLine(prompt)) &&
      !isUnfinished(text) &&
      endingOf(line, plugin.blocks) === undefined
    );
  }

  return {
    window(lines, at, prompt) {
      const window: string[] = [];
      let bytes = 0;
      let next = at + 1;
      for (let index = at; index < lines.length && window.length < maxLines; index++) {
        const line = lines[index] ?? "";
        if (line === "") continue;
        bytes += Buffer.byteLength(line) + 1;
        if (stopped || prompt === undefined || bytes > maxBytes || !mayPrecede(lines, index, prompt)) break;
        window.push(line);
        next = index + 1;
      }
      // A line that may not be pipelined waits for all earlier answers.
      return { lines: window, next };
    },
    answered(line, before, answer) {
      if (stopped || before === undefined || answer.ended !== "prompt") return;
      const { found, replies, early } = answer;
      const same = !found.glued && found.keepsLine !== true && found.prompt.text === before.text;
      if (!same) openers.add(firstWord(line.trim()));
      if (same && replies === 0 && early === "" && answerBody(answer) === "")
        harmless.add(keyOf(before, line.trim()));
    },
    stop() {
      stopped = true;
    },
  };
}

const firstWord = (line: string) => line.split(/\s/, 1)[0] ?? "";

/** The device may read the lines after it as the rest of this one. */
function isUnfinished(text: string): boolean {
  return /[\\{([]$/.test(text) || (text.match(/"/g)?.length ?? 0) % 2 === 1;
}

/**
 * The kind of a line: its words, with those that contain a digit replaced. `ip route 10.0.0.0 255.0.0.0 Null0` becomes
 * `ip route # # #`.
 */
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
