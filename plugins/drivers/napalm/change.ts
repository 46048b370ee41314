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
import { onAnySession, refusedWarns } from "../shared/push/another-session.ts";
import { leftOpen, openChange } from "../shared/push/open-change.ts";
import { requireAsBefore, secondsToHold } from "../shared/push/rollback.ts";
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
  // A Junos that does not tell its pending commits confirms none by name.
  const isNamed = system !== "junos" || handle !== undefined;
  const open =
    hold && revertIn !== undefined && committed.committed && isNamed
      ? await leftOpen(hold, { before, handle, ignore, running: () => runningOf(session, ctx) }, ctx)
      : {};

  async function takeBack(session: SystemSession, ctx: Context): Promise<void> {
    const now = await runningOf(session, ctx);
    // An expired timer has already reverted the commit, and a rollback would revert the previous one.
    if (comparableConfiguration(now, ignore) === comparableConfiguration(before, ignore)) return;
    await refusedWarns(async () => session.configuration.rollback?.(handle, ctx), ctx);
    requireAsBefore(await runningOf(session, ctx), { configuration: before, ignore, revertsAt });
  }

  return {
    output: output(committed),
    how: revertIn === undefined ? commitWays[system] : "confirmed_commit",
    ...(revertsAt === undefined || !committed.committed ? {} : { revertsAt }),
    ...open,
    async confirm(ctx) {
      if (committed.committed && revertIn !== undefined) await configuration.confirm?.(handle, ctx);
    },
    async undo(ctx) {
      if (!committed.committed) return;
      await onAnySession({ session, another }, ctx, (by) => takeBack(by, ctx));
    },
  };
}

/** A push that another session left open. Systems end a confirmed commit by its handle, or the only one there is. */
export function reopen(
  open: string,
  { session, ignore, hold }: ReopenTools,
  ctx: Context,
): Promise<OpenChange> {
  const { configuration } = session;
  return openChange(
    open,
    hold,
    {
      ignore,
      running: (ctx) => runningOf(session, ctx),
      confirm: async (handle, ctx) => configuration.confirm?.(handle, ctx),
      cancel: async (handle, ctx) => configuration.rollback?.(handle, ctx),
      extend: configuration.extend?.bind(configuration),
    },
    ctx,
  );
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
