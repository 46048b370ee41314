/**
 * A command with a question: waits for the question, types the reply (never shown if hidden), reads on to the prompt.
 */

import { userPattern } from "../../base/regex/pattern.ts";
import type { Dialogue } from "../../plugin/command.ts";
import type { Context } from "../../plugin/kit.ts";
import { type Answer, answerBody, hiddenName } from "./answer.ts";
import type { Conversation } from "./conversation.ts";
import { refused } from "./errors.ts";
import type { Exchange, Input } from "./exchange.ts";

/**
 * Without `reply` it ends at the question, and the next step answers it.
 * @throws ServiceError CommandError if the prompt comes instead of the question: the device would run a reply as a
 * command
 */
export async function converse(
  talk: Conversation,
  { send, expect, reply, hidden }: Dialogue,
  limits: Pick<Exchange, "totalMs" | "delayFactor" | "verifyEcho" | "rules" | "levels" | "opens">,
  ctx: Context,
): Promise<readonly Answer[]> {
  const atQuestion = !talk.atPrompt();
  // Without a reply, the line itself is the secret: it answers the question of the previous step.
  const input = typed(send, hidden === true && reply === undefined);
  const exchange: Exchange = { input, ...limits, ...(atQuestion ? { verifyEcho: false } : {}) };
  if (expect === undefined) return [await talk.say(exchange, ctx)];

  const pattern = userPattern(expect, "expect");
  const { rules: _none, opens: _noBlock, ...asking } = exchange;
  const answer = await talk.say({ ...asking, until: { kind: "pattern", pattern, orPrompt: true } }, ctx);
  if (answer.ended !== "expected") {
    const command = input.kind === "secret" ? hiddenName : send;
    throw refused(`The device did not ask for /${expect}/.`, command, answerBody(answer));
  }
  if (reply === undefined) return [answer];
  const answered = await talk.say(
    { ...limits, input: typed(reply, hidden === true), verifyEcho: false },
    ctx,
  );
  return [answer, answered];
}

function typed(text: string, secret: boolean): Input {
  return secret ? { kind: "secret", text } : { kind: "line", text, asksHelp: true };
}
