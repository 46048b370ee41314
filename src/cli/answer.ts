/** What came of one exchange: the text of the device, where echo and prompt stand in it, and how it ended. */
import { systemMessage } from "./echo.ts";
import type { Rule } from "./exchange.ts";
import type { Found, Prompt } from "./prompt.ts";

/** How a secret that is typed is called wherever it would be named. */
export const hiddenName = "[secret]";

export interface AnswerText {
  /** From the echo to the prompt, both included. */
  readonly text: string;
  /** How much of it is the echo, and where the prompt begins. */
  readonly echoEnd: number;
  readonly promptAt: number;
  /** What the device said before it took the command: the rest of an answer that was thought to have ended. */
  readonly early: string;
  /** Questions that were answered on the way. */
  readonly replies: number;
}

export type Answer =
  | (AnswerText & { readonly ended: "prompt"; readonly found: Found })
  | (AnswerText & { readonly ended: "expected" | "silence"; readonly found: Found | undefined })
  | (AnswerText & { readonly ended: "refused" })
  /** At one without a reply, or one that was answered already. */
  | (AnswerText & { readonly ended: "question"; readonly question: AskedQuestion });

export interface AskedQuestion {
  readonly rule: Rule;
  readonly again: boolean;
  readonly line: string;
}

/** A secret typed behind a question: some devices show it there. */
export interface TypedSecret {
  readonly line: string;
  readonly reply: string;
}

/** What the device said, without the echo and the prompt. */
export function answerBody(answer: Answer): string {
  return answer.text.slice(answer.echoEnd, Math.max(answer.echoEnd, answer.promptAt));
}

export function withoutSecret(text: string, { line, reply }: TypedSecret): string {
  if (reply === "") return text;
  const shown = line === "" ? text : text.replaceAll(line + reply, line);
  // A device that echoes it on a line of its own.
  return shown
    .split("\n")
    .map((part) => (part.trim() === reply ? "" : part))
    .join("\n");
}

/**
 * The rest of an answer that was thought to have ended: it ends at the prompt once more, and is more than messages of
 * the system.
 * @param late what came before the command was typed
 * @param beforeOutput what came then, up to the end of its echo
 */
export function earlyText(late: string, beforeOutput: string, currentPrompt: Prompt): string {
  const last = currentPrompt.text.slice(currentPrompt.text.lastIndexOf("\n") + 1);
  const at = beforeOutput.lastIndexOf(`\n${last}`);
  if (at < 0 && late === "") return "";
  const text = at >= 0 ? late + beforeOutput.slice(0, at) : withoutLast(late, last);
  const lines = (text ?? "").split("\n");
  return lines.some((line) => line.trim() !== "" && !systemMessage.test(line)) ? lines.join("\n") : "";
}

/** What stands before the prompt at the very end; undefined where there is none. */
function withoutLast(late: string, prompt: string): string | undefined {
  const text = late.trimEnd();
  return text.endsWith(`\n${prompt}`) ? text.slice(0, -prompt.length - 1) : undefined;
}
