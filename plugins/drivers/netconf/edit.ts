/** Pushes: edits a datastore under its lock, and leaves the candidate clean and unlocked in any case. */
import { randomBytes } from "node:crypto";
import {
  type Context,
  cleanupContext,
  type NetconfSession,
  PluginError,
  withDetail,
  type XmlFragment,
  xml,
} from "patchbay/plugin";
import { atLine } from "../shared/push/candidate-errors.ts";
import { beforeCommit, commitFault, commitMs, giveBack, warnOf } from "../shared/push/candidate-session.ts";
import { unifiedDifference } from "../shared/push/unified-diff.ts";
import type { ConfigureArgs } from "./args.ts";
import { configOf } from "./documents.ts";
import type { Models } from "./models.ts";
import { capability, createLocks, datastore, readConfig } from "./operations.ts";

/** How a commit can wait for its confirmation. */
type Timer = "persistent" | "session" | "none";

export function timerOf(session: NetconfSession): Timer {
  if (!session.supports(capability("candidate:1.0"))) return "none";
  if (session.supports(capability("confirmed-commit:1.1"))) return "persistent";
  return session.supports(capability("confirmed-commit:1.0")) ? "session" : "none";
}

interface Edited {
  /** The difference between the datastore before and after, as a unified diff of its XML. */
  readonly diff: string;
  readonly committed: boolean;
  readonly saved: boolean;
  /** Of a confirmed commit that waits. */
  readonly handle?: string;
}

type Edit = Pick<
  ConfigureArgs,
  | "target"
  | "default_operation"
  | "replace"
  | "error_option"
  | "dry_run"
  | "validate"
  | "lock"
  | "save"
  | "timeout"
> & { readonly revertIn?: number | undefined };

export async function edit(
  text: string,
  args: Edit,
  { session, models }: { readonly session: NetconfSession; readonly models: Models },
  ctx: Context,
): Promise<Edited> {
  const target = targetOf(session, args);
  const operation = editOperation(session, target, configOf(text, models), args);
  const locks = createLocks();
  const call = (operation: XmlFragment, timeoutMs?: number) =>
    session.rpc(
      operation,
      {
        ...(args.timeout === undefined ? {} : { timeoutMs: args.timeout * 1000 }),
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      },
      ctx,
    );
  const locksHere = args.lock !== false;
  if (locksHere) await locks.lock(session, target, ctx);
  /** Whether the candidate has nothing of this push that a later commit of another would include. */
  let isClean = true;
  try {
    const before = await beforeCommit(readConfig(session, "running", ctx));
    if (target === "candidate") await beforeCommit(requireClean(session, before, ctx));
    isClean = target !== "candidate";
    await load();
    const diff = unifiedDifference(before, await beforeCommit(readConfig(session, target, ctx)));
    if (diff !== "") ctx.difference?.(diff);
    if (target === "candidate") {
      if (diff !== "" && args.validate === true && validates(session))
        await beforeCommit(call(xml("validate", {}, datastore("source", "candidate")), commitMs));
      if (args.dry_run === true || diff === "") return { diff, committed: false, saved: false };
      const handle = await commit();
      if ((await readConfig(session, "running", ctx)) === before) throw notCommitted();
      isClean = true;
      return { diff, committed: true, saved: await save(), ...(handle === undefined ? {} : { handle }) };
    }
    return { diff, committed: diff !== "", saved: await save() };
  } finally {
    if (locksHere) await locks.unlock(session, target, ctx, isClean);
    else if (!isClean && !(await giveBack(session, [xml("discard-changes")], ctx)))
      ctx.warn("The candidate may still contain the push: the session ended before it was discarded.");
  }

  async function load(): Promise<void> {
    try {
      warnOf(await call(operation), ctx);
    } catch (error) {
      // Running may have changed before the element that was refused, unless the server rolls back.
      const isWhole = target === "candidate" || errorOption(session, args) === "rollback-on-error";
      throw isWhole ? atLine(error, text) : withDetail(error, { outcome: "unknown" });
    }
  }

  /** @returns the name of a confirmed commit that another session may end */
  async function commit(): Promise<string | undefined> {
    const { revertIn } = args;
    const handle =
      revertIn !== undefined && timerOf(session) === "persistent"
        ? `patchbay-${randomBytes(4).toString("hex")}`
        : undefined;
    try {
      warnOf(await call(commitOperation(revertIn, handle), commitMs), ctx);
      return handle;
    } catch (error) {
      const fault = commitFault(error);
      // A commit that failed, or whose reply is late, may have left its timer: what it did comes back at once.
      if (revertIn !== undefined && (await cancelled(session, handle, ctx)))
        throw withDetail(fault, { outcome: "none" });
      throw fault;
    }
  }

  async function save(): Promise<boolean> {
    if (args.save !== true) return false;
    return saveRunning(session, ctx);
  }
}

/** @returns false, with a warning, if the server keeps running by itself */
export async function saveRunning(session: NetconfSession, ctx: Context): Promise<boolean> {
  if (!session.supports(capability("startup:1.0"))) {
    ctx.warn("save: the server has no startup datastore: it keeps what is committed by itself");
    return false;
  }
  const operation = xml("copy-config", {}, datastore("target", "startup"), datastore("source", "running"));
  await session.rpc(operation, { timeoutMs: commitMs }, ctx).catch((error) => {
    if (!(error instanceof PluginError) || error.kind !== "CommandError") throw error;
    throw new PluginError("CommandError", `The configuration is active but was not saved: ${error.message}`, {
      ...error.detail,
      command: "copy-config",
    });
  });
  return true;
}

/** Whether the server accepted the cancel. */
async function cancelled(
  session: NetconfSession,
  handle: string | undefined,
  ctx: Context,
): Promise<boolean> {
  if (!session.alive()) return false;
  const last = cleanupContext(ctx);
  const timeoutMs = Math.max(1, Math.min(commitMs, last.remaining()));
  return session.rpc(cancelOperation(handle), { timeoutMs }, last).then(
    () => true,
    () => false,
  );
}

export const cancelOperation = (handle: string | undefined): XmlFragment =>
  xml("cancel-commit", {}, ...(handle === undefined ? [] : [xml("persist-id", {}, handle)]));

export const confirmOperation = (handle: string | undefined): XmlFragment =>
  xml("commit", {}, ...(handle === undefined ? [] : [xml("persist-id", {}, handle)]));

/** The timer anew. `persist` is given again: without it, the commit would end with this session. */
export const extendOperation = (handle: string | undefined, seconds: number): XmlFragment =>
  xml(
    "commit",
    {},
    xml("confirmed"),
    xml("confirm-timeout", {}, seconds),
    ...(handle === undefined ? [] : [xml("persist", {}, handle), xml("persist-id", {}, handle)]),
  );

function commitOperation(revertIn: number | undefined, handle: string | undefined): XmlFragment {
  if (revertIn === undefined) return xml("commit");
  return xml(
    "commit",
    {},
    xml("confirmed"),
    xml("confirm-timeout", {}, revertIn),
    // Without a persist ID the server rolls back when this session ends.
    ...(handle === undefined ? [] : [xml("persist", {}, handle)]),
  );
}

/**
 * A commit would include what others left in the candidate, and a discard would lose it. Servers should refuse the lock
 * then; not all do.
 */
export async function requireClean(session: NetconfSession, running: string, ctx: Context): Promise<void> {
  const left = unifiedDifference(running, await readConfig(session, "candidate", ctx));
  if (left === "") return;
  throw new PluginError(
    "CommandError",
    "The candidate on the device contains uncommitted changes of others: they must be committed or discarded first.",
    { output: left.slice(0, 2_000), outcome: "none" },
  );
}

function validates(session: NetconfSession): boolean {
  return session.supports(capability("validate:1.1")) || session.supports(capability("validate:1.0"));
}

/** Some servers commit nothing in certain states, such as after a `validate`, and say ok. */
function notCommitted(): PluginError {
  return new PluginError(
    "CommandError",
    "The server accepted the commit, but its running configuration is as before: the candidate was discarded. If validate was true, try without: a commit validates anyway.",
    { command: "commit", outcome: "none" },
  );
}

type Target = NonNullable<ConfigureArgs["target"]>;

/** @throws PluginError DriverError, before anything is sent */
function targetOf(session: NetconfSession, { target, dry_run, revertIn }: Edit): Target {
  const refuse = (why: string) => new PluginError("DriverError", why, { outcome: "none" });
  const hasCandidate = session.supports(capability("candidate:1.0"));
  const hasRunning = session.supports(capability("writable-running:1.0"));
  const chosen = target ?? (hasCandidate ? "candidate" : "running");
  if (chosen === "candidate" && !hasCandidate) throw refuse("target: the server has no candidate.");
  if (chosen === "running" && !hasRunning)
    throw refuse(
      target === undefined
        ? "The server announces neither a candidate nor a running datastore that can be changed."
        : "target: running cannot be changed directly on this server (its hello lacks :writable-running).",
    );
  if (chosen !== "candidate" && dry_run === true)
    throw refuse("dry_run: the server has no candidate, so nothing can be compared before it is active.");
  if (revertIn !== undefined && (chosen !== "candidate" || timerOf(session) === "none"))
    throw refuse("revert_in: the server does not support confirmed commits (:confirmed-commit).");
  return chosen;
}

function errorOption(session: NetconfSession, { error_option }: Edit): string | undefined {
  if (error_option !== undefined) return error_option;
  return session.supports(capability("rollback-on-error:1.0")) ? "rollback-on-error" : undefined;
}

function editOperation(
  session: NetconfSession,
  target: Target,
  config: XmlFragment,
  args: Edit,
): XmlFragment {
  const operation = args.replace === true ? "replace" : args.default_operation;
  const option = errorOption(session, args);
  return xml(
    "edit-config",
    {},
    datastore("target", target),
    ...(operation === undefined ? [] : [xml("default-operation", {}, operation)]),
    ...(option === undefined ? [] : [xml("error-option", {}, option)]),
    config,
  );
}
