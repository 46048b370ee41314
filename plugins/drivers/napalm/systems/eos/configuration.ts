/** Configuration of eos: a configuration session that is filled, compared, and committed as a whole or aborted. */

import { type Context, cleanupContext, PluginError, withDetail } from "patchbay/plugin";
import * as v from "valibot";
import { type EapiCommand, meaningOf, textOf } from "../../../shared/eos/eapi.ts";
import { type Entry, entriesOf } from "../../../shared/eos/lines.ts";
import { abandonedOf, isOurs, newSessionName } from "../../../shared/eos/sessions.ts";
import { messageOf } from "../../../shared/message.ts";
import { shaped } from "../../common/shape.ts";
import type { OptionalArgs } from "../../optional-args.ts";
import type { Change, ChangeOptions, ConfigurationControl, Pending } from "../../system.ts";
import { refused } from "./answer.ts";
import type { Transport } from "./transport.ts";

/** The running configuration before the service's last commit. */
const backup = "flash:patchbay-rollback";
/** The commit timer is entered in the format of a time of day. */
const maxRevertS = 86_399;

export function createConfiguration(transport: Transport, optional: OptionalArgs): ConfigurationControl {
  async function runAll(commands: readonly EapiCommand[], ctx: Context): Promise<readonly string[]> {
    const { results, refusal } = await transport.run(commands, "text", ctx);
    if (refusal === undefined) return results.map(textOf);
    const command = commands[refusal.at] ?? "";
    throw refused(typeof command === "string" ? command : command.cmd, refusal);
  }

  async function free(options: ChangeOptions, ctx: Context): Promise<void> {
    const { open, pending } = await readSessions(transport, ctx);
    const left = await abandonedOf(open, ctx);
    for (const name of left) await runAll([`configure session ${name} abort`], ctx);
    const foreignSessions = open.filter((name) => !left.includes(name));
    if (pending !== undefined && (options.revertIn !== undefined || optional.lock_disable !== true))
      throw waits(pending.handle);
    if (foreignSessions.length > 0 && optional.lock_disable !== true) throw locked(foreignSessions);
  }

  async function fill(
    session: string,
    entries: readonly Entry[],
    replace: boolean,
    ctx: Context,
  ): Promise<string> {
    const head = [`configure session ${session}`, ...(replace ? ["rollback clean-config"] : [])];
    const commands = [
      ...head,
      ...entries.map(({ command }) => command),
      "end",
      `show session-config named ${session} diffs`,
    ];
    const { results, refusal } = await transport.run(commands, "text", ctx);
    if (refusal === undefined) return diffOf(textOf(results.at(-1)));
    const entry = entries[refusal.at - head.length];
    if (entry === undefined) throw refused(String(commands[refusal.at] ?? ""), refusal);
    throw new PluginError(
      "CommandError",
      `The switch refused line ${entry.number}, "${entry.line.trim()}": ${refusal.text} (${meaningOf(refusal.code)}).`,
      { command: entry.line.trim(), line: entry.number, output: refusal.text, outcome: "none" },
    );
  }

  /** @throws PluginError with `outcome: "none"` if nothing is in force, "unknown" if that cannot be determined */
  async function commit(session: string, { revertIn }: ChangeOptions, ctx: Context): Promise<void> {
    const before = `${backup}-${session}`;
    const timer = revertIn === undefined ? "" : ` timer ${timeOf(revertIn)}`;
    const withoutCopy = () =>
      runAll([`delete ${before}`], cleanupContext(ctx)).catch((failure) => {
        if (!isRefusal(failure)) leftBehind(before, failure, ctx);
      });
    await runAll([`copy running-config ${before}`], ctx).catch(async (error) => {
      await withoutCopy();
      return rejectUnchanged(error);
    });
    try {
      await runAll([`configure session ${session} commit${timer}`], ctx);
    } catch (error) {
      const isUnchanged = isRefusal(error) || (await isOpen(session, ctx));
      await withoutCopy();
      throw withDetail(error, { outcome: isUnchanged ? "none" : "unknown" });
    }
    const rest = [`copy ${before} ${backup}`, `delete ${before}`];
    await runAll(revertIn === undefined ? [...rest, "write memory"] : rest, ctx).catch((error) => {
      throw isRefusal(error) ? notSaved(error) : error;
    });
  }

  /** Whether the session is still open although the answer to its commit was lost. */
  async function isOpen(session: string, ctx: Context): Promise<boolean> {
    try {
      return (await readSessions(transport, cleanupContext(ctx))).open.includes(session);
    } catch {
      return false;
    }
  }

  async function change(text: string, options: ChangeOptions, ctx: Context): Promise<Change> {
    if (options.revertIn !== undefined && options.revertIn > maxRevertS) throw tooLong(options.revertIn);
    const entries = entriesOf(text);
    await free(options, ctx).catch(rejectUnchanged);
    if (options.message !== undefined) ctx.warn("message: eos does not store commit comments");
    const session = newSessionName(ctx);
    let isDone = false;
    try {
      const diff = await fill(session, entries, options.replace, ctx).catch(rejectUnchanged);
      if (options.dryRun || diff === "") return { diff, committed: false };
      await commit(session, options, ctx).catch((error) => {
        isDone = outcomeOf(error) !== "none";
        throw error;
      });
      isDone = true;
      return { diff, committed: true, ...(options.revertIn === undefined ? {} : { handle: session }) };
    } finally {
      if (!isDone) await abort(session, ctx);
    }
  }

  async function abort(session: string, ctx: Context): Promise<void> {
    await runAll([`configure session ${session} abort`], cleanupContext(ctx)).catch((error) => {
      // A session that was never created, or is already gone, is not left behind.
      if (!isRefusal(error)) leftBehind(`the session ${session}`, error, ctx);
    });
  }

  return {
    change,
    holdsFor: async (seconds) => (seconds > maxRevertS ? undefined : seconds),
    pending: async (ctx) => (await readSessions(transport, ctx)).pending,
    async confirm(handle, ctx) {
      const { pending } = await readSessions(transport, ctx);
      if (pending === undefined) throw nothingWaits(handle);
      mustBeOurs(pending.handle, handle);
      const outputs = await runAll([`configure session ${pending.handle} commit`, "write memory"], ctx);
      return outputs.join("\n").trim();
    },
    async extend(handle, seconds, ctx) {
      const { pending } = await readSessions(transport, ctx);
      if (pending === undefined) throw nothingWaits(handle);
      mustBeOurs(pending.handle, handle);
      const timer = timeOf(Math.min(maxRevertS, Math.ceil(seconds)));
      await runAll([`configure session ${pending.handle} commit timer ${timer}`], ctx);
    },
    async rollback(handle, ctx) {
      const { pending } = await readSessions(transport, ctx);
      if (pending !== undefined) {
        mustBeOurs(pending.handle, handle);
        return (await runAll([`configure session ${pending.handle} abort`], ctx)).join("\n").trim();
      }
      if (handle !== undefined) throw nothingWaits(handle);
      const outputs = await runAll([`configure replace ${backup}`, "write memory", `delete ${backup}`], ctx);
      return outputs.join("\n").trim();
    },
  };
}

/** Drops the two header lines of the diff. */
function diffOf(text: string): string {
  return text.replace(/^--- .*\n\+\+\+ .*(?:\n|$)/, "").trim();
}

function timeOf(seconds: number): string {
  const two = (count: number) => String(count).padStart(2, "0");
  return [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map(two).join(":");
}

/** Nothing in a session takes effect before its commit. */
const rejectUnchanged = (error: unknown): never => {
  throw withDetail(error, { outcome: "none" });
};

const outcomeOf = (error: unknown) => (error instanceof PluginError ? error.detail?.outcome : undefined);

function notSaved(error: unknown): PluginError {
  const reason = messageOf(error);
  return new PluginError("CommandError", `The configuration is active but was not saved: ${reason}`, {
    command: "write memory",
  });
}

const isRefusal = (error: unknown) => error instanceof PluginError && error.kind === "CommandError";

function leftBehind(item: string, error: unknown, ctx: Context): void {
  ctx.warn(`${item} was left on the switch: ${messageOf(error)}`);
}

function mustBeOurs(pending: string, handle: string | undefined): void {
  if (handle === undefined ? isOurs(pending) : handle === pending) return;
  throw new PluginError(
    "CommandError",
    `The pending commit is that of the session ${pending}: pass its name as \`handle\`.`,
    { outcome: "none" },
  );
}

function nothingWaits(handle: string | undefined): PluginError {
  const problem = handle === undefined ? "No commit is waiting" : `The commit ${handle} is not waiting`;
  return new PluginError(
    "CommandError",
    `${problem} for confirmation: it was confirmed, rolled back, or has timed out.`,
    {
      outcome: "none",
    },
  );
}

function waits(session: string): PluginError {
  return new PluginError(
    "CommandError",
    `A commit on the switch is waiting for confirmation (session ${session}): send confirm_commit or rollback first.`,
    { outcome: "none" },
  );
}

function locked(sessions: readonly string[]): PluginError {
  return new PluginError(
    "CommandError",
    `Other sessions are changing the configuration of the switch (${sessions.slice(0, 5).join(", ")}); optional_args.lock_disable ignores them.`,
    { outcome: "none" },
  );
}

function tooLong(seconds: number): PluginError {
  return new PluginError(
    "DriverError",
    `revert_in: the timer of eos must be shorter than a day, not ${seconds} s.`,
    {
      outcome: "none",
    },
  );
}

const sessionState = v.object({
  state: v.string(),
  commitUser: v.optional(v.string(), ""),
  commitBy: v.optional(v.number()),
});
const sessionList = v.object({
  sessions: v.optional(v.record(v.string(), sessionState), {}),
  /** Since 4.32. */
  commitTimerSessionName: v.optional(v.string(), ""),
  commitTimerExpireTime: v.optional(v.number()),
});

interface SwitchSessions {
  /** Sessions that are still being edited. */
  readonly open: readonly string[];
  readonly pending: (Pending & { readonly handle: string }) | undefined;
}

async function readSessions(transport: Transport, ctx: Context): Promise<SwitchSessions> {
  const commands = ["show configuration sessions detail", "show version"];
  const { results, refusal } = await transport.run(commands, "json", ctx);
  if (refusal !== undefined) throw refused(commands[refusal.at] ?? "", refusal);
  const { sessions, commitTimerSessionName, commitTimerExpireTime } = shaped(sessionList, results[0]);
  const { bootupTimestamp } = shaped(v.object({ bootupTimestamp: v.optional(v.number(), 0) }), results[1]);
  const entries = Object.entries(sessions);
  const waiting = entries.find(
    ([name, { state }]) => state === "pendingCommitTimer" || name === commitTimerSessionName,
  );
  const name = waiting?.[0] ?? (commitTimerSessionName || undefined);
  // Older releases count from the boot of the switch, newer ones from 1970.
  const since1970 =
    commitTimerExpireTime ??
    (waiting?.[1].commitBy === undefined ? undefined : bootupTimestamp + waiting[1].commitBy);
  const revertsIn =
    since1970 === undefined ? undefined : Math.max(0, Math.round(since1970 - Date.now() / 1000));
  const user = waiting?.[1].commitUser ?? "";
  return {
    open: entries.filter(([, { state }]) => state === "pending").map(([name]) => name),
    pending:
      name === undefined
        ? undefined
        : {
            handle: name,
            ...(revertsIn === undefined ? {} : { revertsIn }),
            ...(user === "" ? {} : { user }),
          },
  };
}
