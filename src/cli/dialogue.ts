/** A command that asks back: waits for the question, types the reply (never shown when it is hidden), reads on to the prompt. */

import { userPattern } from "../base/pattern.ts";
import { Secret } from "../base/secret.ts";
import type { Dialogue } from "../plugin/driver.ts";
import type { Context } from "../plugin/kit.ts";
import { type Answer, body, type Conversation, hiddenName } from "./conversation.ts";
import { refused } from "./errors.ts";
import type { Saying } from "./judge.ts";

/**
 * Without `reply` it ends at the question, and the next step answers.
 * @throws ServiceError CommandError when the prompt came instead of the question: a reply would be run as a command
 */
export async function converse(
  talk: Conversation,
  { send, expect, reply, hidden }: Dialogue,
  limits: Pick<Saying, "totalMs" | "delayFactor" | "verifyEcho" | "rules">,
  ctx: Context,
): Promise<readonly Answer[]> {
  const atQuestion = !talk.atPrompt();
  const typed: Saying = {
    text: send,
    ...limits,
    ...(atQuestion ? { verifyEcho: false } : {}),
    // Without a reply it is the line itself that must not be shown: it answers the question of the step before.
    ...(hidden && reply === undefined ? { hidden } : {}),
  };
  if (expect === undefined) return [await talk.say(typed, ctx)];

  const ask = userPattern(expect, "expect");
  const { rules: _none, ...asking } = typed;
  const asked = await talk.say({ ...asking, expect: ask, orPrompt: true }, ctx);
  if (asked.ended !== "expected") {
    throw refused(`The device did not ask for /${expect}/.`, typed.hidden ? hiddenName : send, body(asked));
  }
  if (reply === undefined) return [asked];
  const text = hidden ? new Secret(reply) : reply;
  const answered = await talk.say(
    {
      text: text instanceof Secret ? text.reveal() : text,
      ...limits,
      verifyEcho: false,
      ...(hidden ? { hidden } : {}),
    },
    ctx,
  );
  return [asked, answered];
}
