/** The level of a session to which its jobs return: the platform's own, or where the login landed. */
import { ServiceError } from "../base/errors.ts";
import type { Context } from "../plugin/kit.ts";
import type { PlatformPlugin } from "../plugin/platform.ts";
import type { Conversation } from "./conversation.ts";
import type { Rule } from "./exchange.ts";
import { asksSecret, needsSecret, type Privilege, pathBetween } from "./privilege.ts";
import { anyQuestions } from "./questions.ts";

/** A name and a password, three times. */
const mostEmptyLines = 6;

export interface Login {
  /** A console may stand where somebody else left it. */
  readonly fresh: boolean;
  readonly hasSecret: boolean;
}

/** Up to the platform's home where no password stands in the way; a login that lands above it stays there. */
export function homeOf(platform: PlatformPlugin, landed: string, { fresh, hasSecret }: Login): string {
  const steps = pathBetween(platform, landed, platform.home);
  if (steps === undefined) return landed;
  const leaves = steps.some((step) => step.kind === "leave");
  // Leaving the level of a fresh login would end it; a console was left there by somebody else.
  if (leaves) return fresh ? landed : platform.home;
  return needsSecret(platform, steps) && !hasSecret ? landed : platform.home;
}

/**
 * Goes there. Without a secret it is an attempt, where the platform says how: what the device refuses is no reason to
 * fail, since much can be read below.
 * @returns the level that was reached
 */
export async function reachHome(
  talk: Conversation,
  privilege: Privilege,
  { wanted, hasSecret }: { readonly wanted: string; readonly hasSecret: boolean },
  ctx: Context,
): Promise<string> {
  const { plugin } = talk.platform;
  const steps = pathBetween(plugin, talk.prompt()?.level ?? wanted, wanted) ?? [];
  try {
    await privilege.to(wanted, ctx);
    return wanted;
  } catch (error) {
    const isRefusal =
      error instanceof ServiceError && ["AuthenticationFailed", "CommandError"].includes(error.kind);
    if (!isRefusal || hasSecret || !asksSecret(plugin, steps)) throw error;
    if (!(await leaveQuestion(talk, ctx))) throw error;
    return talk.prompt()?.level ?? wanted;
  }
}

/** A login that was refused is asked for again, thrice mostly: Ctrl-C leaves it, or an empty line does for each time. */
async function leaveQuestion(talk: Conversation, ctx: Context): Promise<boolean> {
  if (talk.atPrompt()) return true;
  const left = await talk.interrupt(ctx).then(
    () => true,
    () => false,
  );
  if (left) return true;
  const { levels } = talk.platform.plugin;
  const asked = Object.values(levels).flatMap(({ withoutSecret }) => withoutSecret?.questions ?? []);
  const rules = [...asked.map(({ ask }): Rule => ({ ask })), ...anyQuestions];
  for (let lines = 0; lines < mostEmptyLines && !talk.atPrompt(); lines++) {
    const input = { kind: "line", text: "" } as const;
    const answer = talk.say({ input, rules, verifyEcho: false, levels: Object.keys(levels) }, ctx);
    const answered = await answer.then(
      () => true,
      () => false,
    );
    if (!answered) return false;
  }
  return talk.atPrompt();
}
