/** Configuration of Junos: loads into the locked candidate, compares, commits or discards. */
import {
  type Context,
  type NetconfReply,
  type NetconfSession,
  PluginError,
  type XmlFragment,
  xml,
} from "patchbay/plugin";
import { atLine, lockDenied, lockedBy } from "../../../shared/push/candidate-errors.ts";
import {
  beforeCommit,
  commitFault,
  commitMs,
  giveBack,
  warnOf,
} from "../../../shared/push/candidate-session.ts";
import { integer } from "../../common/numbers.ts";
import type { OptionalArgs } from "../../optional-args.ts";
import type { Change, ChangeOptions, ConfigurationControl } from "../../system.ts";
import { loadOperation } from "./load.ts";

const minute = 60;
const mostMinutes = 65_535;

const discardOperation = xml("load-configuration", { compare: "rollback", rollback: 0 });
const compareOperation = xml("get-configuration", { compare: "rollback", rollback: 0, format: "text" });

/** @param username our own: ending another user's pending commit requires that user's name */
export function createConfiguration(
  session: NetconfSession,
  optional: OptionalArgs,
  username: string,
): ConfigurationControl {
  const isPrivate = optional.config_private === true;
  /** Otherwise the lock is taken when the session opens, or the caller disabled it. */
  const locksHere = !isPrivate && optional.lock_disable !== true && optional.config_lock !== true;

  const call = (operation: XmlFragment, ctx: Context, timeoutMs?: number): Promise<NetconfReply> =>
    session.rpc(operation, timeoutMs === undefined ? {} : { timeoutMs }, ctx);

  async function compare(ctx: Context): Promise<string> {
    const { root } = await call(compareOperation, ctx);
    return (root.descendants("configuration-output")[0]?.text ?? "").trim();
  }

  async function begin(ctx: Context): Promise<void> {
    if (isPrivate) await call(xml("open-configuration", {}, xml("private")), ctx);
    else if (locksHere) await lock(session, ctx);
    if (locksHere || isPrivate) return;
    const uncommittedDiff = await compare(ctx);
    if (uncommittedDiff !== "") throw uncommitted(uncommittedDiff);
  }

  /** The candidate must be clean when unlocked: the next user's commit would include leftover changes. */
  async function settle(isClean: boolean, ctx: Context): Promise<void> {
    const steps = [
      ...(isClean ? [] : [discardOperation]),
      ...(isPrivate ? [xml("close-configuration")] : []),
      ...(locksHere ? [xml("unlock-configuration")] : []),
    ];
    const isDone = await giveBack(session, steps, ctx);
    // When a session ends, a device discards a locked candidate; an unlocked one stays.
    if (!isDone && optional.lock_disable === true && !isPrivate)
      ctx.warn("The candidate may still contain the change: the session ended before it was discarded.");
  }

  /** Works on the candidate, and leaves it clean and unlocked in any case. */
  async function withCandidate<T>(ctx: Context, work: (settled: () => void) => Promise<T>): Promise<T> {
    await beforeCommit(begin(ctx));
    let isClean = false;
    try {
      return await work(() => {
        isClean = true;
      });
    } finally {
      await settle(isClean, ctx);
    }
  }

  /** @throws PluginError with `outcome: "unknown"` if the reply to the commit was not received */
  async function commit(content: readonly XmlFragment[], ctx: Context): Promise<NetconfReply> {
    try {
      const reply = await call(xml("commit-configuration", {}, ...content), ctx, commitMs);
      tellWarnings(reply, ctx);
      return reply;
    } catch (error) {
      throw commitFault(error);
    }
  }

  function tellWarnings(reply: NetconfReply, ctx: Context): void {
    if (optional.ignore_warning !== true) warnOf(reply, ctx);
  }

  async function change(text: string, options: ChangeOptions, ctx: Context): Promise<Change> {
    const load = loadOperation(text, options.replace);
    const content = commitContent(options);
    return withCandidate(ctx, async (settled) => {
      const { diff } = await loaded(load, text, ctx);
      if (options.dryRun) return { diff, committed: false };
      if (diff === "") return { diff, committed: false };
      await commit(content, ctx);
      settled();
      if (options.revertIn === undefined) return { diff, committed: true };
      const pending = await pendingCommit(session, ctx).catch(() => undefined);
      return { diff, committed: true, ...(pending === undefined ? {} : { handle: pending.revision }) };
    });
  }

  async function loaded(load: XmlFragment, text: string, ctx: Context): Promise<{ diff: string }> {
    try {
      tellWarnings(await call(load, ctx), ctx);
    } catch (error) {
      throw atLine(error, text);
    }
    return { diff: await beforeCommit(compare(ctx)) };
  }

  async function mustPend(handle: string | undefined, ctx: Context): Promise<PendingCommit> {
    const pending = await pendingCommit(session, ctx);
    if (pending === undefined) throw nothingPends(handle);
    const isMeant =
      handle === undefined
        ? pending.user === "" || pending.user === username
        : handle === pending.revision || pending.comment.includes(extensionOf(handle));
    if (!isMeant) throw otherPends(handle, pending);
    return pending;
  }

  /** Each extension is a commit of its own, which changes nothing: as many are before the one to go back to. */
  async function extensionsOf(pending: PendingCommit | undefined, ctx: Context): Promise<number> {
    const mark = extensionMark.exec(pending?.comment ?? "")?.[0];
    if (mark === undefined) return 0;
    const { root } = await beforeCommit(call(xml("get-commit-information"), ctx));
    const comments = root
      .descendants("commit-history")
      .map((entry) => entry.textOf("log") || entry.textOf("comment"));
    const others = comments.findIndex((comment) => !comment.includes(mark));
    return others === -1 ? comments.length : others;
  }

  /** A device that cannot report a pending commit is assumed to have none. */
  async function isPending(ctx: Context): Promise<boolean> {
    const pending = await pendingCommit(session, ctx).catch((error) => {
      if (error instanceof PluginError && error.kind === "CommandError") return undefined;
      throw error;
    });
    return pending !== undefined;
  }

  return {
    change,
    compare,
    async holdsFor(seconds) {
      const minutes = Math.ceil(seconds / minute);
      return isPrivate || minutes > mostMinutes ? undefined : minutes * minute;
    },
    async pending(ctx) {
      const pending = await pendingCommit(session, ctx);
      if (pending === undefined) return undefined;
      const { revision, revertsIn, user } = pending;
      return { handle: revision, revertsIn, ...(user === "" ? {} : { user }) };
    },
    confirm: (handle, ctx) =>
      withCandidate(ctx, async (settled) => {
        await mustPend(handle, ctx);
        const uncommittedDiff = await compare(ctx);
        // A commit would include these changes.
        if (uncommittedDiff !== "") throw uncommitted(uncommittedDiff);
        await commit([], ctx);
        settled();
        return "The commit is confirmed.";
      }),
    extend: (handle, seconds, ctx) =>
      withCandidate(ctx, async (settled) => {
        const { revision, comment } = await mustPend(handle, ctx);
        const uncommittedDiff = await compare(ctx);
        if (uncommittedDiff !== "") throw uncommitted(uncommittedDiff);
        // Another revision: by its comment it is known to be of the same commit.
        const message = extensionMark.exec(comment)?.[0] ?? extensionOf(revision);
        const revertIn = Math.min(mostMinutes, Math.ceil(seconds / minute)) * minute;
        await commit(commitContent({ message, revertIn }), ctx);
        settled();
      }),
    rollback: (handle, ctx) =>
      withCandidate(ctx, async (settled) => {
        const pending =
          handle !== undefined || (await isPending(ctx)) ? await mustPend(handle, ctx) : undefined;
        const rollback = 1 + (await extensionsOf(pending, ctx));
        await beforeCommit(call(xml("load-configuration", { compare: "rollback", rollback }), ctx));
        const diff = await compare(ctx);
        await commit([], ctx);
        settled();
        return diff;
      }),
  };
}

/** @throws PluginError CommandError if others hold the lock or have uncommitted changes */
export async function lock(session: NetconfSession, ctx: Context): Promise<void> {
  await session.rpc(xml("lock-configuration"), {}, ctx).catch((error) => {
    const by = lockedBy(error);
    throw by === undefined ? error : lockDenied(by);
  });
}

/** @throws PluginError DriverError, before anything is sent */
function commitContent({
  message,
  revertIn,
}: Pick<ChangeOptions, "message" | "revertIn">): readonly XmlFragment[] {
  const minutes = revertIn === undefined ? undefined : revertIn / minute;
  if (minutes !== undefined && !(Number.isInteger(minutes) && minutes >= 1 && minutes <= mostMinutes))
    throw new PluginError(
      "DriverError",
      `revert_in: must be whole minutes from 60 s to ${mostMinutes * minute} s for junos, not ${revertIn} s.`,
      { outcome: "none" },
    );
  // Our comment replaces the device's own, which identifies a pending confirmed commit.
  const mark = minutes === undefined ? "" : ` (commit confirmed, rollback in ${minutes}mins)`;
  return [
    ...(message === undefined ? [] : [xml("log", {}, `${message}${mark}`)]),
    ...(minutes === undefined ? [] : [xml("confirmed"), xml("confirm-timeout", {}, minutes)]),
  ];
}

function uncommitted(diff: string): PluginError {
  return new PluginError(
    "CommandError",
    "The candidate on the device contains uncommitted changes of others: they must be committed or discarded first.",
    { output: diff.slice(0, 2_000), outcome: "none" },
  );
}

function nothingPends(handle: string | undefined): PluginError {
  const problem = handle === undefined ? "No commit is waiting" : `The commit ${handle} is not waiting`;
  return new PluginError(
    "CommandError",
    `${problem} for confirmation: it was confirmed, rolled back, or has timed out.`,
    { outcome: "none" },
  );
}

function otherPends(handle: string | undefined, { revision, user }: PendingCommit): PluginError {
  const reason = handle === undefined ? "another user's" : `not ${handle}`;
  return new PluginError(
    "CommandError",
    `The pending commit is ${reason}: it is ${revision}${user === "" ? "" : ` of ${user}`}; pass it as \`handle\`.`,
    { outcome: "none" },
  );
}

/** In the comment of a commit that starts the timer of another one anew. */
const extensionOf = (revision: string) => `patchbay extends ${revision}.`;
const extensionMark = /patchbay extends \S+\./;

interface PendingCommit {
  readonly comment: string;
  /** Such as `re0-1616554286-559`. */
  readonly revision: string;
  /** Seconds. */
  readonly revertsIn: number;
  /** Empty if the device does not report it. */
  readonly user: string;
}

/** @throws PluginError CommandError if the device does not report revisions (before Junos 14.1) */
async function pendingCommit(session: NetconfSession, ctx: Context): Promise<PendingCommit | undefined> {
  const operation = xml("get-commit-revision-information", {}, xml("detail"));
  const { root } = await session.rpc(operation, {}, ctx).catch((error) => {
    throw error instanceof PluginError && error.kind === "CommandError" ? tooOld(error) : error;
  });
  const [newest] = root.descendants("commit-revision-information");
  const comment = newest?.textOf("comment") ?? "";
  const minutes = /commit confirmed, rollback in (\d{1,6})mins/.exec(comment)?.[1];
  if (newest === undefined || minutes === undefined) return undefined;
  const { root: uptime } = await session.rpc(xml("get-system-uptime-information"), {}, ctx);
  const now = uptime.descendants("current-time")[0]?.find("date-time")?.attribute("seconds");
  const committed = newest.find("date-time")?.attribute("seconds");
  const revertsIn = Number(minutes) * 60 - (integer(now, 0) - integer(committed, 0));
  if (revertsIn <= 0) return undefined;
  return { comment, revision: newest.textOf("revision"), revertsIn, user: newest.textOf("user") };
}

function tooOld(cause: PluginError): PluginError {
  return new PluginError(
    "CommandError",
    `The device does not report pending commits (Junos does since 14.1): ${cause.message}`,
    { outcome: "none" },
    { cause },
  );
}
