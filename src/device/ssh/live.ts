/** Streams a command's output as it arrives, without the initial dialogue between command and caller. */
import { StringDecoder } from "node:string_decoder";
import type { ExecOptions } from "../../plugin/ssh.ts";
import { createPromptTail, type PromptTail } from "./prompt-tail.ts";
import type { PreparedCommand } from "./shell-text.ts";

/** How much is kept of the text before the mark, since the mark may be split between chunks. */
const maxMarkLength = 256;

export interface LiveStream {
  came(chunk: Buffer): void;
  /** Shows what was held back. */
  end(): void;
}

/** @returns a factory of listeners, one per stream; the mark in one stream opens both */
export function createLive(
  onOutput: (text: string) => void,
  { answer }: Pick<ExecOptions, "answer">,
  { steps, ready }: Pick<PreparedCommand, "steps" | "ready">,
): () => LiveStream {
  const mark = ready ?? steps.findLast((step) => step.mark !== undefined)?.mark;
  let isOpen = mark === undefined;
  const show = (text: string) => {
    if (text !== "") onOutput(text);
  };
  return () => {
    const decoder = new StringDecoder("utf8");
    const outside = mark === undefined && answer !== undefined ? withoutDialogue(answer) : undefined;
    let before = "";
    return {
      came(chunk) {
        const text = decoder.write(chunk);
        if (isOpen) return show(outside === undefined ? text : outside.push(text));
        const unread = before + text;
        const match = mark?.exec(unread);
        before = unread.slice(-maxMarkLength);
        if (!match) return;
        isOpen = true;
        show(unread.slice(match.index + match[0].length));
      },
      end: () => show(outside?.end() ?? ""),
    };
  };
}

/** A line without an end may be the beginning of the prompt. */
function withoutDialogue({ prompt, tail: pattern }: NonNullable<ExecOptions["answer"]>) {
  let held = "";
  let asked = false;
  let tail: PromptTail | undefined;
  const behind = (text: string): string => {
    const rest = tail === undefined ? text : tail.push(text);
    if (rest !== undefined) tail = undefined;
    return rest ?? "";
  };
  return {
    push(text: string): string {
      if (asked) return behind(text);
      held += text;
      const match = prompt.exec(held);
      if (match) {
        asked = true;
        if (pattern !== undefined) tail = createPromptTail(pattern);
        return held.slice(0, match.index) + behind(held.slice(match.index + match[0].length));
      }
      const line = held.lastIndexOf("\n") + 1;
      const keep = held.length - line > maxMarkLength ? held.length - maxMarkLength : line;
      const shown = held.slice(0, keep);
      held = held.slice(keep);
      return shown;
    },
    end: () => (asked ? (tail?.end() ?? "") : held),
  };
}
