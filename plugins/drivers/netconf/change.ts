/** A push that can be undone: a confirmed commit if the server has it, else its configuration is put back. */
import {
  type Change,
  type Context,
  comparableConfiguration,
  type Hold,
  type NetconfSession,
  type OpenChange,
  withDetail,
  type XmlFragment,
} from "patchbay/plugin";
import { messageOf } from "../shared/message.ts";
import { onAnother, onAnySession, refusedWarns } from "../shared/push/another-session.ts";
import { refusalsOf } from "../shared/push/candidate-errors.ts";
import { commitFault, commitMs, warnOf } from "../shared/push/candidate-session.ts";
import { leftOpen, openChange } from "../shared/push/open-change.ts";
import { requireAsBefore, secondsToHold } from "../shared/push/rollback.ts";
import { type ConfigureArgs, mostRevertSeconds } from "./args.ts";
import {
  cancelOperation,
  confirmOperation,
  edit,
  extendOperation,
  requireClean,
  saveRunning,
  timerOf,
} from "./edit.ts";
import type { Models } from "./models.ts";
import { createLocks, readConfig } from "./operations.ts";

interface ChangeTools {
  readonly session: NetconfSession;
  readonly models: Models;
  /** A second session, if the push has cut the first one. */
  another(ctx: Context): Promise<NetconfSession>;
  readonly hold?: Hold | undefined;
}

export async function change(
  text: string,
  args: ConfigureArgs,
  { session, models, another, hold }: ChangeTools,
  ctx: Context,
): Promise<Change> {
  const before = await readConfig(session, "running", ctx).catch((error) =>
    Promise.reject(withDetail(error, { outcome: "none" })),
  );
  const timer = args.target === "running" ? "none" : timerOf(session);
  const seconds = Math.ceil(secondsToHold(ctx, hold?.seconds));
  const isTimed = timer !== "none" && seconds <= mostRevertSeconds;
  const edited = await edit(
    text,
    { ...args, save: false, ...(isTimed ? { revertIn: seconds } : {}) },
    { session, models },
    ctx,
  );
  const { handle, committed } = edited;
  const revertsAt = isTimed && committed ? Date.now() + seconds * 1000 : undefined;
  const open =
    hold && handle !== undefined && committed
      ? await leftOpen(hold, { before, handle, running: () => readConfig(session, "running", ctx) }, ctx)
      : {};

  async function takeBack(by: NetconfSession, ctx: Context): Promise<void> {
    const now = await readConfig(by, "running", ctx);
    // A timer that ran out has already brought it back.
    if (comparableConfiguration(now) === comparableConfiguration(before)) return;
    if (handle !== undefined) await refusedWarns(() => call(by, cancelOperation(handle), ctx), ctx);
    else if (!isTimed) await putBack(by, ctx);
    requireAsBefore(await readConfig(by, "running", ctx), { configuration: before, revertsAt });
  }

  async function putBack(by: NetconfSession, ctx: Context): Promise<void> {
    const { target, lock, timeout } = args;
    await edit(before, { target, lock, timeout, replace: true }, { session: by, models }, ctx);
  }

  return {
    output: { diff: edited.diff, committed, saved: args.save === true && committed },
    how: isTimed ? "confirmed_commit" : "replace",
    ...(revertsAt === undefined ? {} : { revertsAt }),
    ...open,
    async confirm(ctx) {
      if (!committed) return;
      if (isTimed) await commitClean(session, confirmOperation(handle), ctx);
      if (args.save === true) await saveRunning(session, ctx);
    },
    async undo(ctx) {
      if (!committed) return;
      const back = (by: NetconfSession) => takeBack(by, ctx);
      if (!isTimed || handle !== undefined) return onAnySession({ session, another }, ctx, back);
      // A session of 1.0 ends its own timer; its end alone rolls the commit back.
      await session.close().catch((error) => ctx.log.warn("undo.session_lost", { reason: messageOf(error) }));
      return onAnother(another, ctx, back);
    },
  };
}

/** A push that another session left open. */
export function reopen(
  open: string,
  { session, args, hold }: ReopenTools,
  ctx: Context,
): Promise<OpenChange> {
  return openChange(
    open,
    hold,
    {
      running: (ctx) => readConfig(session, "running", ctx),
      async confirm(handle, ctx) {
        await commitClean(session, confirmOperation(handle), ctx);
        if (args.save === true) await saveRunning(session, ctx);
      },
      cancel: (handle, ctx) => call(session, cancelOperation(handle), ctx),
      extend: (handle, seconds, ctx) =>
        commitClean(session, extendOperation(handle, Math.min(mostRevertSeconds, Math.ceil(seconds))), ctx),
    },
    ctx,
  );
}

interface ReopenTools {
  readonly session: NetconfSession;
  readonly args: ConfigureArgs;
  readonly hold: Pick<Hold, "fingerprint">;
}

/**
 * A commit includes the candidate: it must be clean, and stay so. Some servers give no lock to anybody while a commit
 * waits (RFC 6241 asks for that of running only).
 */
async function commitClean(session: NetconfSession, operation: XmlFragment, ctx: Context): Promise<void> {
  const locks = createLocks();
  const isLocked = await locks.lock(session, "candidate", ctx).then(
    () => true,
    (error) => (isPending(error) ? false : Promise.reject(error)),
  );
  try {
    await requireClean(session, await readConfig(session, "running", ctx), ctx);
    await call(session, operation, ctx);
  } finally {
    if (isLocked) await locks.unlock(session, "candidate", ctx, true);
  }
}

const isPending = (error: unknown) => refusalsOf(error).some(({ tag }) => tag === "in-use");

async function call(session: NetconfSession, operation: XmlFragment, ctx: Context): Promise<void> {
  try {
    warnOf(await session.rpc(operation, { timeoutMs: commitMs }, ctx), ctx);
  } catch (error) {
    throw commitFault(error);
  }
}
