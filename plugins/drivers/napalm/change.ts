/** A push that can be undone: a confirmed commit if the device supports it, else a rollback of its last commit. */
import { type Change, type Context, comparableConfiguration, PluginError, withDetail } from "patchbay/plugin";
import { requireAsBefore, secondsToHold } from "../shared/rollback.ts";
import { createAnswers } from "./answers.ts";
import type { ChangeOptions, Change as Committed, SystemSession } from "./system.ts";
import type { SystemName } from "./system-names.ts";
import { commitWays } from "./undo-way.ts";

export interface ChangeTools {
  readonly session: SystemSession;
  readonly system: SystemName;
  /** Configuration lines that change on their own. */
  readonly ignore: readonly RegExp[] | undefined;
  /** A second session, if the push has cut the first one. */
  another(ctx: Context): Promise<SystemSession>;
  output(committed: Committed): unknown;
}

export async function change(
  text: string,
  changeOptions: Omit<ChangeOptions, "dryRun">,
  { session, system, ignore, another, output }: ChangeTools,
  ctx: Context,
): Promise<Change> {
  const { configuration } = session;
  const before = await runningOf(session, ctx).catch((error) =>
    Promise.reject(withDetail(error, { outcome: "none" })),
  );
  const { revertIn: requestedS, ...options } = changeOptions;
  const revertIn = await configuration.holdsFor?.(secondsToHold(ctx, requestedS), ctx);
  const timed = revertIn === undefined ? {} : { revertIn };
  const committed = await configuration.change(text, { ...options, dryRun: false, ...timed }, ctx);
  const revertsAt = revertIn === undefined ? undefined : Date.now() + revertIn * 1000;
  const { handle } = committed;

  async function takeBack(session: SystemSession, ctx: Context): Promise<void> {
    const now = await runningOf(session, ctx);
    // An expired timer has already reverted the commit, and a rollback would revert the previous one.
    if (comparableConfiguration(now, ignore) === comparableConfiguration(before, ignore)) return;
    await session.configuration.rollback?.(handle, ctx).catch((error: unknown) => {
      // The comparison of the running configuration decides, not the device's message.
      if (!(error instanceof PluginError) || error.kind !== "CommandError") throw error;
      ctx.warn(error.message);
    });
    requireAsBefore(await runningOf(session, ctx), { configuration: before, ignore, revertsAt });
  }

  return {
    output: output(committed),
    how: revertIn === undefined ? commitWays[system] : "confirmed_commit",
    ...(revertsAt === undefined || !committed.committed ? {} : { revertsAt }),
    async confirm(ctx) {
      if (committed.committed && revertIn !== undefined) await configuration.confirm?.(handle, ctx);
    },
    async undo(ctx) {
      if (!committed.committed) return;
      try {
        return await takeBack(session, ctx);
      } catch (error) {
        const isAnswer = error instanceof PluginError && error.kind === "CommandError";
        if (ctx.signal.aborted || isAnswer) throw error;
        ctx.log.warn("undo.session_lost", { reason: String(error) });
      }
      const other = await another(ctx);
      try {
        await takeBack(other, ctx);
      } finally {
        await other.close();
      }
    },
  };
}

async function runningOf(session: SystemSession, ctx: Context): Promise<string> {
  const args = { retrieve: "running", full: false, sanitized: false, format: "text" } as const;
  const { running } = await session.get("get_config", args, createAnswers().of("get_config"), ctx);
  if (running.trim() !== "") return running;
  // An empty configuration would make every comparison succeed.
  throw new PluginError("CommandError", "The device did not return its configuration.", {
    command: "get_config",
  });
}
