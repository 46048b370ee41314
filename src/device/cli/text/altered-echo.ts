/** Compares the echo of a line with what was typed: a device that read something else must not go unnoticed. */

import type { Prompt } from "../prompt/prompt.ts";
import { afterEcho, commonStart, leastCommon, systemMessage } from "./echo.ts";

/** Devices hide what follows these words. */
const hides = /pass|secret|key|communit|auth|credential/i;

/**
 * What the device shows in place of the typed line; undefined if it shows the same, or nothing that can be compared:
 * no echo, one that was completed, hidden with asterisks or repainted, or a message of the system in between.
 * @param text the answer from the echo on
 * @param head the same as received, uncleaned
 */
export function alteredEcho(
  text: string,
  head: string,
  typed: string,
  currentPrompt: Prompt | undefined,
): string | undefined {
  const again = redrawn(text, typed, currentPrompt);
  if (again !== undefined || text.startsWith(typed) || typed.trim() === "") return again;
  // Late output of the previous line may come before the echo.
  if (afterEcho(text, typed) !== undefined || text.includes(typed.trim())) return undefined;
  const end = text.indexOf("\n");
  const shown = end < 0 ? text : text.slice(0, end);
  const [is, should] = [shown.replace(/\s+/g, ""), typed.replace(/\s+/g, "")];
  // Control characters have no echo of their own.
  if (
    is === "" ||
    is.includes("*") ||
    /[\x00-\x08\x0a-\x1f\x7f]/.test(typed) ||
    systemMessage.test(shown) ||
    isPainted(head)
  )
    return undefined;
  if (hides.test(typed) || isCompleted(shown, typed)) return undefined;
  const common = commonStart(is, should);
  if (common < Math.min(leastCommon, should.length)) return undefined;
  // The rest of the echo may follow a message that came in between.
  if (common === is.length && text.slice(end + 1).split("\n").length > 2) return undefined;
  return shown.trim();
}

/** After a key that the line editor took for itself, it shows the prompt again, and what it has of the line. */
function redrawn(text: string, typed: string, currentPrompt: Prompt | undefined): string | undefined {
  if (!/[?\t]/.test(typed) || currentPrompt === undefined) return undefined;
  const prompt = currentPrompt.text.slice(currentPrompt.text.lastIndexOf("\n") + 1);
  const start = typed.trimStart().slice(0, leastCommon);
  for (const line of text.split("\n").slice(1)) {
    const rest = line.startsWith(prompt) ? line.slice(prompt.length).trimStart() : "";
    if (rest !== "" && rest.startsWith(start)) return rest.trimEnd();
  }
  return undefined;
}

function isPainted(head: string): boolean {
  const end = head.indexOf("\n");
  return /[\b\x1b]|\r(?!\r*\n)/.test(end < 0 ? head : head.slice(0, end + 1));
}

/** `dis ver` is shown as `display version`. */
function isCompleted(shown: string, typed: string): boolean {
  const words = typed.trim().split(/\s+/);
  const shownWords = shown.trim().split(/\s+/);
  return words.length === shownWords.length && words.every((word, at) => shownWords[at]?.startsWith(word));
}
