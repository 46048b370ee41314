/**
 * Configuration of IOS: merges or replaces the running configuration from a temporary file; a second file allows a
 * rollback.
 */
import type { CliSession, Context } from "patchbay/plugin";
import { cleanupContext, PluginError, withDetail } from "patchbay/plugin";
import { messageOf } from "../../../../shared/message.ts";
import { answered } from "../../../common/cli-dialogue.ts";
import { linesOf } from "../../../common/text.ts";
import type { Change, ChangeOptions, ConfigurationControl } from "../../../system.ts";
import { merge, replace } from "./apply.ts";
import { hasArchive, maxRevertS, minutesOf, pendingCommit, waits } from "./archive.ts";
import { mergeDiff, replaceDiff } from "./diff.ts";
import { type DeviceFiles, deviceFiles, type FileOptions } from "./files.ts";

const saveTime = { readTimeoutMs: 180_000 };

export interface Terminal {
  readonly cli: CliSession;
  /** Owner of our commits. */
  readonly username: string;
  /** A second session, if the first was lost in the middle of a change. */
  another(ctx: Context): Promise<CliSession>;
}

export interface IosOptions extends FileOptions {
  /** The device rolls back a failed replace by itself. */
  readonly revertOnError: boolean;
}

interface Plan {
  readonly text: string;
  readonly replace: boolean;
  readonly minutes: number | undefined;
}

export function createConfiguration(terminal: Terminal, options: IosOptions): ConfigurationControl {
  const { cli, username } = terminal;
  let cachedFiles: DeviceFiles | undefined;
  const filesOf = async (ctx: Context) => {
    cachedFiles ??= await deviceFiles(cli, options, ctx);
    return cachedFiles;
  };

  async function apply(files: DeviceFiles, candidate: string, plan: Plan, ctx: Context): Promise<void> {
    const before = files.named("before");
    let applied = false;
    try {
      await files.copyRunning(cli, before, ctx);
      applied = true;
      if (plan.replace) {
        const trigger = options.revertOnError && (await hasArchive(cli, ctx)) ? " revert trigger error" : "";
        const timer = plan.minutes === undefined ? "" : ` timer ${plan.minutes}`;
        await replace(cli, { file: candidate, text: plan.text, suffix: `${trigger}${timer}` }, ctx);
      } else await merge(cli, { file: candidate, text: plan.text, minutes: plan.minutes }, ctx);
    } catch (error) {
      throw await undone(files, { before, applied, error }, ctx);
    }
    await keep(files, before, ctx);
    if (plan.minutes === undefined) await save(cli, ctx);
  }

  /** After a failure, restores the previous configuration, or throws an error that says it may not be restored. */
  async function undone(
    files: DeviceFiles,
    {
      before,
      applied,
      error,
    }: { readonly before: string; readonly applied: boolean; readonly error: unknown },
    ctx: Context,
  ): Promise<unknown> {
    const restored = error instanceof PluginError && error.detail?.restored === true;
    try {
      await onAnySession(error, ctx, async (session, ctx) => {
        if (applied && !restored) {
          // A running timer would revert the restored configuration.
          if ((await pendingCommit(session, ctx))?.user === username) {
            await answered(session, "configure revert now", saveTime, ctx);
          }
          await replace(session, { file: before, text: "", suffix: "" }, ctx);
        }
        await files.delete(session, before, ctx);
      });
      return withDetail(error, { outcome: "none" });
    } catch (failure) {
      if (!applied) return error;
      return notBack(error, failure, before);
    }
  }

  /** Uses the session while it answers, or a new one if its state is unknown. */
  async function onAnySession<T>(
    error: unknown,
    ctx: Context,
    work: (session: CliSession, ctx: Context) => Promise<T>,
  ): Promise<T> {
    const time = cleanupContext(ctx);
    try {
      if (isAnswer(error)) return await work(cli, time);
    } catch (failure) {
      if (isAnswer(failure)) throw failure;
    }
    const session = await terminal.another(time);
    try {
      return await work(session, time);
    } finally {
      await session.close();
    }
  }

  /** The commit stands even if a rollback is impossible. */
  async function keep(files: DeviceFiles, before: string, ctx: Context): Promise<void> {
    try {
      await files.rename(cli, before, files.backup, cleanupContext(ctx));
    } catch (error) {
      ctx.warn(`rollback will not be possible: ${messageOf(error)}`);
    }
  }

  async function withCandidate(
    plan: Plan,
    ctx: Context,
    use: (files: DeviceFiles, candidate: string) => Promise<Change>,
  ): Promise<Change> {
    const files = await filesOf(ctx).catch(unchanged);
    const candidate = files.named("candidate");
    let fault: unknown;
    try {
      await files.write(cli, candidate, contentOf(plan.text), ctx).catch(unchanged);
      return await use(files, candidate);
    } catch (error) {
      fault = error;
      throw error;
    } finally {
      await onAnySession(fault, ctx, (session, ctx) => files.delete(session, candidate, ctx)).catch((error) =>
        ctx.warn(`${candidate} was left on the device: ${messageOf(error)}`),
      );
    }
  }

  async function change(text: string, changeOptions: ChangeOptions, ctx: Context): Promise<Change> {
    const minutes =
      changeOptions.revertIn === undefined ? undefined : minutesOf(changeOptions.revertIn, ctx.warn);
    const plan = { text, replace: changeOptions.replace, minutes };
    if (isNothing(text)) {
      if (changeOptions.replace)
        throw refusal(
          "config: must not be empty: replacing the whole configuration with it would erase everything.",
        );
      return { diff: "", committed: false };
    }
    if (changeOptions.message !== undefined) ctx.warn("message: ios does not store commit comments");
    if (!changeOptions.dryRun) await requireFree(minutes, ctx).catch(unchanged);
    return withCandidate(plan, ctx, async (files, candidate) => {
      const compare = changeOptions.replace
        ? replaceDiff(cli, candidate, ctx)
        : mergeDiff(cli, candidate, text, ctx);
      const diff = await compare.catch(unchanged);
      if (changeOptions.dryRun || diff === "") return { diff, committed: false };
      await apply(files, candidate, plan, ctx);
      return { diff, committed: true, ...(minutes === undefined ? {} : { handle: username }) };
    });
  }

  async function requireFree(minutes: number | undefined, ctx: Context): Promise<void> {
    if (minutes !== undefined && !(await hasArchive(cli, ctx))) {
      throw refusal(
        "revert_in: the device cannot roll back automatically unless `archive` is configured on it.",
      );
    }
    const pending = await pendingCommit(cli, ctx);
    if (pending !== undefined) throw waits(pending);
  }

  return {
    change,
    async holdsFor(seconds, ctx) {
      const roundedS = Math.ceil(seconds / 60) * 60;
      return roundedS <= maxRevertS && (await hasArchive(cli, ctx)) ? roundedS : undefined;
    },
    pending: (ctx) => pendingCommit(cli, ctx),
    async confirm(handle, ctx) {
      await requireOurs(handle, ctx);
      const output = await answered(cli, "configure confirm", saveTime, ctx);
      if (/^\s*%/m.test(output)) throw refusal(`configure confirm: ${output}`);
      return [output, await save(cli, ctx)].join("\n").trim();
    },
    async extend(handle, seconds, ctx) {
      await requireOurs(handle, ctx);
      const command = `configure revert timer ${Math.ceil(Math.min(seconds, maxRevertS) / 60)}`;
      const output = await answered(cli, command, saveTime, ctx);
      if (/^\s*%/m.test(output)) throw refusal(`${command}: ${output}`);
    },
    async rollback(handle, ctx) {
      if (handle !== undefined || (await pendingCommit(cli, ctx)) !== undefined) {
        await requireOurs(handle, ctx);
        const output = await answered(cli, "configure revert now", saveTime, ctx);
        if (/^\s*%/m.test(output)) throw refusal(`configure revert now: ${output}`);
        return [output, await save(cli, ctx)].join("\n").trim();
      }
      const files = await filesOf(ctx);
      if (!(await files.exists(cli, files.backup, ctx))) {
        throw refusal("There is no commit of this service to roll back on the device.");
      }
      const output = await replace(cli, { file: files.backup, text: "", suffix: "" }, ctx);
      const saved = await save(cli, ctx);
      await files.delete(cli, files.backup, ctx);
      return [output, saved].join("\n").trim();
    },
  };

  async function requireOurs(handle: string | undefined, ctx: Context): Promise<void> {
    const pending = await pendingCommit(cli, ctx);
    if (pending === undefined) {
      throw refusal(
        "No commit is waiting for confirmation: it was confirmed, rolled back, or has timed out.",
      );
    }
    if (pending.user !== (handle ?? username)) throw waits(pending);
  }
}

/** @throws PluginError CommandError; the commit stands but is not saved */
async function save(cli: CliSession, ctx: Context): Promise<string> {
  const command = "write memory";
  const output = await answered(cli, command, saveTime, ctx);
  if (/\[OK\]|copied/i.test(output) && !/^%(?! ?Warning)|open failed|not enough space/im.test(output))
    return output;
  throw new PluginError(
    "CommandError",
    `The configuration is active but was not saved: ${output.slice(-500)}`,
    { command, output },
  );
}

/** Without `end`, some releases neither compare nor replace. */
function contentOf(text: string): string {
  const lines = linesOf(text);
  const last = lines.findLast((line) => line.trim() !== "");
  return `${[...lines, ...(last?.trim() === "end" ? [] : ["end"])].join("\n")}\n`;
}

const isNothing = (text: string) => linesOf(text).every((line) => /^\s*(?:!|end\s*$|$)/.test(line));

/** A refusal or no error: the session is at its prompt. */
const isAnswer = (error: unknown) =>
  error === undefined ||
  (error instanceof PluginError && ["CommandError", "DriverError"].includes(error.kind));

/** The running configuration was not changed, whatever was lost. */
const unchanged = (error: unknown): never => {
  throw withDetail(error, { outcome: "none" });
};

const refusal = (message: string) => new PluginError("CommandError", message, { outcome: "none" });

function notBack(error: unknown, failure: unknown, before: string): unknown {
  const detail = error instanceof PluginError ? error.detail : undefined;
  const kind = error instanceof PluginError ? error.kind : "CommandError";
  return new PluginError(
    kind === "ConnectionLost" || kind === "ReadTimeout" ? kind : "CommandError",
    `${messageOf(error)} The previous configuration could not be restored and is on the device as ${before}: ${messageOf(failure)}`,
    { ...detail, outcome: "unknown" },
    { cause: error },
  );
}
