/** Turns off what no key of a line editor can quote, such as the history of a shell, before a line that needs it. */
import type { Context } from "../../../plugin/kit/kit.ts";
import type { Conversation } from "../exchange/conversation.ts";

/** What was sent, by job and level: a later job may find another shell at the same level. */
const sentIn = new WeakMap<Context, Set<string>>();

export async function makeLiteral(talk: Conversation, lines: readonly string[], ctx: Context): Promise<void> {
  const { literally } = talk.platform.plugin;
  if (literally === undefined || !talk.atPrompt()) return;
  const level = talk.prompt()?.level ?? "";
  for (const { when, send: text } of literally) {
    if (!lines.some((line) => when.test(line))) continue;
    const sent = sentIn.get(ctx) ?? new Set();
    sentIn.set(ctx, sent);
    if (sent.has(`${level} ${text}`)) continue;
    sent.add(`${level} ${text}`);
    await talk.say({ input: { kind: "line", text }, verifyEcho: false, prepares: true }, ctx);
  }
}
