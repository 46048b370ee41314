/** Saves the running configuration as the startup configuration, with the platform's own steps. */
import type { ConfigureOptions } from "../../../plugin/kit/cli.ts";
import type { Context } from "../../../plugin/kit/kit.ts";
import type { Conversation } from "../exchange/conversation.ts";
import { refused } from "../exchange/errors.ts";
import { type Privilege, privilegedLevel } from "../prompt/privilege.ts";
import { stepLimits } from "./commit.ts";
import { runSteps } from "./steps.ts";

const saveMs = 100_000;

/**
 * @param commits the platform has a candidate: without a save command, a commit saves
 * @param transcript receives the device's output
 * @returns false if the platform has no save
 * @throws ServiceError CommandError in the device's words
 */
export type Save = (
  options: ConfigureOptions,
  commits: boolean,
  transcript: string[],
  ctx: Context,
) => Promise<boolean>;

export function createSave(talk: Conversation, privilege: Privilege, home: string): Save {
  const { platform } = talk;
  const { plugin } = platform;
  const level = plugin.saveLevel ?? privilegedLevel(plugin, home);

  return async (options, commits, transcript, ctx) => {
    if (plugin.save === undefined) {
      if (commits) return options.commit !== false;
      ctx.log.warn("save.unknown", { platform: plugin.name });
      return false;
    }
    if (plugin.save.length === 0) return true;
    await privilege.to(level, ctx);
    const { answers, failure } = await runSteps(
      talk,
      plugin.save,
      { failed: plugin.errors, limits: stepLimits(options, saveMs) },
      ctx,
    );
    transcript.push(...answers.map((answer) => answer.text));
    if (failure === undefined) return true;
    throw refused(
      `Save failed with the following errors:\n\n${failure.output.trim()}`,
      failure.command,
      failure.output,
      { partial: transcript.join("") },
    );
  };
}
