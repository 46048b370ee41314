/** A push that can be undone: a confirmed commit if the server has it, else its configuration is put back. */
import {
  type Change,
  type Context,
  comparableConfiguration,
  type Hold,
  type NetconfSession,
  type OpenChange,
  PluginError,
  withDetail,
} from "patchbay/plugin";
import { commitFault, commitMs, warnOf } from "../shared/candidate-session.ts";
import { messageOf } from "../shared/message.ts";
import { notBefore, openText, readOpen, whichOf } from "../shared/open-change.ts";
import { requireAsBefore, secondsToHold } from "../shared/rollback.ts";
import type { ConfigureArgs } from "./args.ts";
import { cancelOperation, confirmOperation, edit, requireClean, saveRunning, timerOf } from "./edit.ts";
import { mostRevertSeconds } from "./limits.ts";
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
  const open = hold && handle !== undefined && committed ? await opened(hold, handle) : undefined;

  /** A push whose text cannot be read is not left open: nobody could tell later what became of it. */
  async function opened({ fingerprint }: Hold, handle: string): Promise<string | undefined> {
    const marked = (text: string) => fingerprint(comparableConfiguration(text));
    try {
      const after = await readConfig(session, "running", ctx);
      return openText({ before: marked(before), after: marked(after), handle });
    } catch (error) {
      ctx.warn(`the push is not left open: ${messageOf(error)}`);
      return undefined;
    }
  }

  /** A session of 1.0 ends its own timer; its end alone rolls the commit back. */
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
    ...(open === undefined ? {} : { open }),
    async confirm(ctx) {
      if (!committed) return;
      if (isTimed) await confirm(session, handle, ctx);
      if (args.save === true) await saveRunning(session, ctx);
    },
    async undo(ctx) {
      if (!committed) return;
      try {
        if (isTimed && handle === undefined) await session.close();
        else return await takeBack(session, ctx);
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

/** A push that another session left open. */
export async function reopen(
  open: string,
  { session, args, hold: { fingerprint } }: ReopenTools,
  ctx: Context,
): Promise<OpenChange> {
  const { handle, ...marks } = readOpen(open);
  const now = async (ctx: Context) =>
    whichOf(fingerprint(comparableConfiguration(await readConfig(session, "running", ctx))), marks);
  return {
    running: await now(ctx),
    async confirm(ctx) {
      await confirm(session, handle, ctx);
      if (args.save === true) await saveRunning(session, ctx);
    },
    async undo(ctx) {
      // What runs then decides, not the words of the server.
      await refusedWarns(() => call(session, cancelOperation(handle), ctx), ctx);
      const running = await now(ctx);
      if (running !== "before") throw notBefore(running);
    },
  };
}

interface ReopenTools {
  readonly session: NetconfSession;
  readonly args: ConfigureArgs;
  readonly hold: Pick<Hold, "fingerprint">;
}

/** A commit includes the candidate: it must be clean, and stay so. */
async function confirm(session: NetconfSession, handle: string | undefined, ctx: Context): Promise<void> {
  const locks = createLocks();
  await locks.lock(session, "candidate", ctx);
  try {
    await requireClean(session, await readConfig(session, "running", ctx), ctx);
    await call(session, confirmOperation(handle), ctx);
  } finally {
    await locks.unlock(session, "candidate", ctx, true);
  }
}

async function call(
  session: NetconfSession,
  operation: ReturnType<typeof confirmOperation>,
  ctx: Context,
): Promise<void> {
  try {
    warnOf(await session.rpc(operation, { timeoutMs: commitMs }, ctx), ctx);
  } catch (error) {
    throw commitFault(error);
  }
}

async function refusedWarns(work: () => Promise<void>, ctx: Context): Promise<void> {
  await work().catch((error: unknown) => {
    if (!(error instanceof PluginError) || error.kind !== "CommandError") throw error;
    ctx.warn(error.message);
  });
}
