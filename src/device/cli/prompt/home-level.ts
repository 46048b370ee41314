/** The level to which the jobs of a session return: the platform's home, or the level at which the login landed. */
import { ServiceError } from "../../../base/errors.ts";
import type { Context } from "../../../plugin/kit/kit.ts";
import type { PlatformPlugin } from "../../../plugin/platform.ts";
import type { Conversation } from "../exchange/conversation.ts";
import type { Rule } from "../exchange/exchange.ts";
import { anyQuestions } from "../exchange/questions.ts";
import { asksSecret, needsSecret, type Privilege, pathBetween } from "./privilege.ts";

/** Username and password, three times. */
const maxEmptyLines = 6;

export interface Login {
  /** False on a console, which may be where somebody else left it. */
  readonly fresh: boolean;
  readonly hasSecret: boolean;
}

/** The platform's home, unless that requires a password that was not given. A login that lands above it stays there. */
export function homeLevelOf(platform: PlatformPlugin, landed: string, { fresh, hasSecret }: Login): string {
  const steps = pathBetween(platform, landed, platform.home);
  if (steps === undefined) return landed;
  const leaves = steps.some((step) => step.kind === "leave");
  // Leaving the level of a fresh login would end the session; on a console somebody else entered that level.
  if (leaves) return fresh ? landed : platform.home;
  return needsSecret(platform, steps) && !hasSecret ? landed : platform.home;
}

/**
 * Goes to the home level. Without a secret this is only an attempt, if the platform defines one: a refusal is not an error,
 * since many commands work in the lower level.
 * @returns the level reached
 */
export async function reachHomeLevel(
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

/**
 * Devices repeat a refused password question, usually three times. Ctrl-C leaves it; otherwise one empty line per
 * repetition does.
 */
async function leaveQuestion(talk: Conversation, ctx: Context): Promise<boolean> {
  if (talk.atPrompt()) return true;
  const interrupted = await talk.interrupt(ctx).then(
    () => true,
    () => false,
  );
  if (interrupted) return true;
  const { levels } = talk.platform.plugin;
  const questions = Object.values(levels).flatMap(({ withoutSecret }) => withoutSecret?.questions ?? []);
  const rules = [...questions.map(({ ask }): Rule => ({ ask })), ...anyQuestions];
  for (let lines = 0; lines < maxEmptyLines && !talk.atPrompt(); lines++) {
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
