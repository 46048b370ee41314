/**
 * Questions that any device may ask and the caller did not answer in advance: reported early instead of by a timeout.
 */
import type { ServiceError } from "../../../base/errors.ts";
import type { Answer } from "./answer.ts";
import { refused } from "./errors.ts";
import type { Rule } from "./exchange.ts";

/** Reading ends at a question for a yes, a confirmation, a name or a password. */
export const anyQuestions: readonly Rule[] = [
  { ask: /\[confirm\]\s*[:?]?\s*$/i },
  // [y/n]:  (yes/no)? [no]:  [Y(yes)/N(no)/C(cancel)]:  (yes/no/cancel)? [cancel]:
  {
    ask: /[[(]\s*y(?:es|\(yes\))?\s*[/|,]\s*n(?:o|\(no\))?(?:\s*[/|,][\w() ]{1,16}){0,3}\s*[\])]\s*\??\s*(?:\[\w*\]|\(\w*\))?\s*[:?]?\s*$/i,
  },
  // Do you wish to proceed? [no]:
  { ask: /\? ?\[(?:yes|no|y|n)\]\s*:?\s*$/i },
  // Destination filename [startup-config]?  Address or name of remote host []?
  { ask: /\[[^[\]\n]{0,80}\] ?\?\s*$/ },
  { ask: /pass(?:word|phrase)(?: for \S{1,64})?\s*:\s*$/i },
];

/** A login that must first change its password; no reply can be guessed. */
export const newPassword: Rule = {
  ask: /\b(?:new|old|current|retype|re-?enter|confirm)\b[\w ]{0,24}password[^\n:]{0,40}:\s*$/i,
};

export function unanswered(answer: Answer, command: string): ServiceError {
  const question = answer.ended === "question" ? answer.question.line.trim() : "";
  const output = answer.text.slice(answer.echoEnd);
  return refused(
    `The device asks ${JSON.stringify(question)}: give the command as {"send", "expect", "reply"} to answer it.`,
    command,
    output,
  );
}
