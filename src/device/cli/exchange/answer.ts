/** The result of one exchange: the device's text, the positions of echo and prompt in it, and how it ended. */

import type { Found, Prompt } from "../prompt/prompt.ts";
import { systemMessage } from "../text/echo.ts";
import type { OpenBlock, Rule } from "./exchange.ts";

/** Placeholder for a typed secret wherever the command would be named. */
export const hiddenName = "[secret]";

export interface AnswerText {
  /** From the echo to the prompt, both included. */
  readonly text: string;
  /** Length of the echo, and offset of the prompt. */
  readonly echoEnd: number;
  readonly promptAt: number;
  /** Output received before the device read the command: the rest of the previous answer, which had seemed complete. */
  readonly early: string;
  /** What the device shows in place of the typed line; absent if it shows the line. */
  readonly altered?: string;
  /** Number of questions answered during the exchange. */
  readonly replies: number;
}

export type Answer =
  | (AnswerText & { readonly ended: "prompt"; readonly found: Found })
  | (AnswerText & { readonly ended: "expected" | "silence"; readonly found: Found | undefined })
  | (AnswerText & { readonly ended: "refused" })
  /** The device reads a text, or the rest of a line. */
  | (AnswerText & { readonly ended: "open"; readonly block: OpenBlock })
  /** A question without a reply, or one whose reply was not accepted. */
  | (AnswerText & { readonly ended: "question"; readonly question: AskedQuestion });

export interface AskedQuestion {
  readonly rule: Rule;
  readonly again: boolean;
  readonly line: string;
}

/** A secret typed at a question. Some devices echo it there. */
export interface TypedSecret {
  readonly line: string;
  readonly reply: string;
}

/** The output without echo and prompt. */
export function answerBody(answer: Answer): string {
  return answer.text.slice(answer.echoEnd, Math.max(answer.echoEnd, answer.promptAt));
}

export function withoutSecret(text: string, { line, reply }: TypedSecret): string {
  if (reply === "") return text;
  const withoutEcho = line === "" ? text : text.replaceAll(line + reply, line);
  // The device echoes the secret on a line of its own.
  return withoutEcho
    .split("\n")
    .map((line) => (line.trim() === reply ? "" : line))
    .join("\n");
}

/**
 * The rest of the previous answer, if that had seemed complete too early. It ends with another prompt and contains more
 * than syslog messages.
 * @param late text received before the command was typed
 * @param beforeOutput text received after that, up to the end of the echo
 */
export function earlyText(late: string, beforeOutput: string, currentPrompt: Prompt): string {
  const last = currentPrompt.text.slice(currentPrompt.text.lastIndexOf("\n") + 1);
  const at = beforeOutput.lastIndexOf(`\n${last}`);
  if (at < 0 && late === "") return "";
  const text = at >= 0 ? late + beforeOutput.slice(0, at) : withoutLast(late, last);
  const lines = (text ?? "").split("\n");
  return lines.some((line) => line.trim() !== "" && !systemMessage.test(line)) ? lines.join("\n") : "";
}

/** The text before a prompt at the very end; undefined if there is none. */
function withoutLast(late: string, prompt: string): string | undefined {
  const text = late.trimEnd();
  return text.endsWith(`\n${prompt}`) ? text.slice(0, -prompt.length - 1) : undefined;
}
