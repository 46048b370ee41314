/** What a command says while it says it, without what it and its caller say to each other first. */
import { StringDecoder } from "node:string_decoder";
import type { ExecOptions } from "../plugin/ssh.ts";
import type { PreparedCommand } from "./environment.ts";

/** Of what came before the mark: it may be cut between two pieces. */
const longestMark = 256;

/** @returns makes the listener of one stream; the mark of one opens both. */
export function createLive(
  heard: (text: string) => void,
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
      if (isOpen) return heard(answer === undefined ? text : text.replace(answer.prompt, ""));
      const all = before + text;
      const found = mark?.exec(all);
      before = all.slice(-longestMark);
      if (!found) return;
      isOpen = true;
      heard(all.slice(found.index + found[0].length));
    };
  };
}
