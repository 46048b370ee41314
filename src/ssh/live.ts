/** Streams a command's output as it arrives, without the initial dialogue between command and caller. */
import { StringDecoder } from "node:string_decoder";
import type { ExecOptions } from "../plugin/ssh.ts";
import type { PreparedCommand } from "./environment.ts";

/** How much is kept of the text before the mark, since the mark may be split between chunks. */
const maxMarkLength = 256;

/** @returns a factory of listeners, one per stream; the mark in one stream opens both */
export function createLive(
  onOutput: (text: string) => void,
  { answer }: Pick<ExecOptions, "answer">,
  { steps, ready }: Pick<PreparedCommand, "steps" | "ready">,
): () => (chunk: Buffer) => void {
  const mark = ready ?? steps.findLast((step) => step.mark !== undefined)?.mark;
  let isOpen = mark === undefined;
  let before = "";
  return () => {
    const decoder = new StringDecoder("utf8");
    return (chunk) => {
      const text = decoder.write(chunk);
      if (isOpen) return onOutput(answer === undefined ? text : text.replace(answer.prompt, ""));
      const unread = before + text;
      const match = mark?.exec(unread);
      before = unread.slice(-maxMarkLength);
      if (!match) return;
      isOpen = true;
      onOutput(unread.slice(match.index + match[0].length));
    };
  };
}
