/** A push that can be undone: a confirmed commit if the device supports it, else a rollback of its last commit. */
import {
  type Change,
  type Context,
  comparableConfiguration,
  type Hold,
  type OpenChange,
  PluginError,
  withDetail,
} from "patchbay/plugin";
import { messageOf } from "../shared/message.ts";
import { notBefore, openText, readOpen, whichOf } from "../shared/open-change.ts";
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
  /** The push is to be left open. */
  readonly hold?: Hold | undefined;
}

export interface ReopenTools extends Pick<ChangeTools, "session" | "ignore"> {
  readonly hold: Pick<Hold, "fingerprint">;
}

export async function change(
  text: string,
  changeOptions: Omit<ChangeOptions, "dryRun">,
  { session, system, ignore, another, output, hold }: ChangeTools,
  ctx: Context,
): Promise<Change> {
  const { configuration } = session;
  const before = await runningOf(session, ctx).catch((error) =>
    Promise.reject(withDetail(error, { outcome: "none" })),
  );
  const { revertIn: requestedS, ...options } = changeOptions;
  const revertIn = await configuration.holdsFor?.(secondsToHold(ctx, hold?.seconds ?? requestedS), ctx);
  if (hold !== undefined && revertIn !== undefined) await requireNonePends(session, ctx);
  const timed = revertIn === undefined ? {} : { revertIn };
  const committed = await configuration.change(text, { ...options, dryRun: false, ...timed }, ctx);
  const revertsAt = revertIn === undefined ? undefined : Date.now() + revertIn * 1000;
  const { handle } = committed;
  const open = hold && revertIn !== undefined && committed.committed ? await opened(hold) : undefined;

  /** A push whose text cannot be read is not left open: nobody could tell later what became of it. */
  async function opened({ fingerprint }: Hold): Promise<string | undefined> {
    // A Junos that does not tell its pending commits confirms none by name.
    if (system === "junos" && handle === undefined) return undefined;
    try {
      const marks = { before: marked(before), after: marked(await runningOf(session, ctx)) };
      return openText({ ...marks, ...(handle === undefined ? {} : { handle }) });
    } catch (error) {
      ctx.warn(`the push is not left open: ${messageOf(error)}`);
      return undefined;
    }
    function marked(text: string): string {
      return fingerprint(comparableConfiguration(text, ignore));
    }
  }

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
    ...(open === undefined ? {} : { open }),
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

/** A push that another session left open. Systems end a confirmed commit by its handle, or the only one there is. */
export async function reopen(
  open: string,
  { session, ignore, hold: { fingerprint } }: ReopenTools,
  ctx: Context,
): Promise<OpenChange> {
  const marks = readOpen(open);
  const { configuration } = session;
  const now = async (ctx: Context) =>
    whichOf(fingerprint(comparableConfiguration(await runningOf(session, ctx), ignore)), marks);
  return {
    running: await now(ctx),
    confirm: async (ctx) => configuration.confirm?.(marks.handle, ctx),
    async undo(ctx) {
      // The comparison of the running configuration decides, not the device's message.
      await configuration.rollback?.(marks.handle, ctx).catch((error: unknown) => {
        if (!(error instanceof PluginError) || error.kind !== "CommandError") throw error;
        ctx.warn(error.message);
      });
      const running = await now(ctx);
      if (running !== "before") throw notBefore(running);
    },
  };
}

/** A commit of ours would make that of others permanent. */
async function requireNonePends({ configuration }: SystemSession, ctx: Context): Promise<void> {
  const pending = await configuration.pending?.(ctx);
  if (pending === undefined) return;
  throw new PluginError(
    "CommandError",
    `A commit on the device already waits for its confirmation${pending.user ? ` (of ${pending.user})` : ""}: nothing was sent.`,
    { outcome: "none" },
  );
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
