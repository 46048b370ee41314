/** Questions that any device may ask and nobody answered beforehand: seen at once instead of after the time-out. */
import type { ServiceError } from "../base/errors.ts";
import type { Answer } from "./conversation.ts";
import { refused } from "./errors.ts";
import type { Rule } from "./judge.ts";

/** Ends a reading where a yes, a confirmation or a password is asked for. */
export const anyQuestion: Rule = {
  ask: /(?:\[confirm\]|[[(]\s*(?:y(?:es)?\s*[/|,]\s*n(?:o)?)\s*[\])])(?:\s*\[\w*\])?\s*[:?]?\s*$|password(?: for \S+)?:\s*$/i,
};

export function unanswered(answer: Answer, command: string): ServiceError {
  const asked = answer.question?.line.trim() ?? "";
  const output = answer.text.slice(answer.echoEnd);
  return refused(
    `The device asks ${JSON.stringify(asked)}: give the command as {"send", "expect", "reply"} to answer it.`,
    command,
    output,
  );
}
