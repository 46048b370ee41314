/**
 * Configuration of NX-OS: takes a checkpoint first, rolls back to it on any error, and removes its own files at the
 * end.
 */
import type { Context } from "patchbay/plugin";
import { cleanupContext, PluginError, withDetail } from "patchbay/plugin";
import { messageOf } from "../../../../shared/message.ts";
import type { Change, ChangeOptions, ConfigurationControl } from "../../../system.ts";
import { type SwitchCommands, textOf } from "../commands.ts";
import { missingLines } from "./diff.ts";
import { type Entry, entriesOf } from "./lines.ts";
import { md5Of, notTaken } from "./md5.ts";
import { requireDone, type SwitchFiles, switchFiles } from "./switch-files.ts";

/** For a long configuration sent line by line, and for a save. */
const slow = { atLeastMs: 600_000 };

export interface SwitchOptions {
  /** Name in messages. */
  readonly system: string;
  /** `dest_file_system` */
  readonly fileSystem: string | undefined;
  /**
   * Writes a file to the switch.
   * @throws PluginError CommandError if the switch did not accept it
   */
  put(file: string, content: string, ctx: Context): Promise<void>;
}

export function createConfiguration(
  transport: SwitchCommands,
  { system, fileSystem = "bootflash:", put }: SwitchOptions,
): ConfigurationControl {
  const files = switchFiles(transport, /[:/]$/.test(fileSystem) ? fileSystem : `${fileSystem}:`);

  /** @throws PluginError CommandError that names the line */
  async function apply(entries: readonly Entry[], ctx: Context): Promise<void> {
    const commands = ["configure terminal", ...entries.map(({ command }) => command)];
    const { results, refusal } = await transport.run(commands, "json", ctx, slow);
    if (refusal !== undefined) throw refusedLine(entries[refusal.at - 1], refusal.text);
    for (const [at, result] of results.entries()) {
      try {
        requireDone(commands[at] ?? "", textOf(result ?? null));
      } catch (error) {
        throw error instanceof PluginError
          ? refusedLine(entries[at - 1], String(error.detail?.output))
          : error;
      }
    }
  }

  async function save(ctx: Context): Promise<void> {
    const command = "copy running-config startup-config";
    const output = textOf(await transport.runOne(command, "text", ctx, slow));
    if (/copy complete|100%/i.test(output) && !/fail|abort/i.test(output)) return;
    throw new PluginError(
      "CommandError",
      `The switch did not save the configuration: ${output.trim().slice(-500)}`,
      {
        command,
        output,
      },
    );
  }

  /** After a failure, restores the previous configuration, or throws an error that says it may not be restored. */
  async function back(before: string, fault: unknown, ctx: Context): Promise<unknown> {
    try {
      const time = cleanupContext(ctx);
      await files.runFrom(before, time);
      const remainingDiff = await files.compare(before, "running-config", time);
      if (remainingDiff === "") return withDetail(fault, { outcome: "none" });
      return notBack(fault, `these lines still differ:\n${remainingDiff.slice(0, 2000)}`);
    } catch (error) {
      return notBack(fault, messageOf(error));
    }
  }

  /** Changes the running configuration between two checkpoints. */
  async function commit(
    change: (ctx: Context) => Promise<unknown>,
    before: string,
    ctx: Context,
  ): Promise<string> {
    try {
      await change(ctx);
      const diff = await files.compare(before, "running-config", ctx);
      if (diff !== "") await save(ctx);
      return diff;
    } catch (error) {
      throw await back(before, error, ctx);
    }
  }

  async function merge(entries: readonly Entry[], { dryRun }: ChangeOptions, ctx: Context): Promise<Change> {
    if (dryRun) {
      const running = textOf(await transport.runOne("show running-config all", "text", ctx));
      return { diff: missingLines(entries, running), committed: false };
    }
    return withCheckpoint(async (before) => commit((ctx) => apply(entries, ctx), before, ctx), ctx);
  }

  async function replace(text: string, { dryRun }: ChangeOptions, ctx: Context): Promise<Change> {
    const candidate = files.name("candidate");
    try {
      const content = text.endsWith("\n") ? text : `${text}\n`;
      await put(candidate, content, ctx);
      if ((await files.md5(candidate, ctx)) !== md5Of(content))
        throw notTaken("the file on the switch differs from the one sent");
      if (!dryRun)
        return await withCheckpoint(
          (before) => commit((ctx) => files.runFrom(candidate, ctx), before, ctx),
          ctx,
        );
      const before = files.name("before");
      try {
        await files.checkpoint(before, ctx);
        return { diff: await files.compare(before, candidate, ctx), committed: false };
      } finally {
        await remove(files, before, ctx);
      }
    } finally {
      await remove(files, candidate, ctx);
    }
  }

  /** The checkpoint is kept for the rollback of a commit, and removed if nothing was committed. */
  async function withCheckpoint(change: (before: string) => Promise<string>, ctx: Context): Promise<Change> {
    const before = files.name("before");
    try {
      await files.checkpoint(before, ctx);
      const diff = await change(before);
      if (diff !== "") await keep(before, ctx);
      return { diff, committed: diff !== "" };
    } finally {
      await remove(files, before, ctx);
    }
  }

  /** The commit stands even if a rollback is impossible. */
  async function keep(before: string, ctx: Context): Promise<void> {
    try {
      await files.move(before, files.backup, cleanupContext(ctx));
    } catch (error) {
      ctx.warn(`rollback will not be possible: ${messageOf(error)}`);
    }
  }

  return {
    async change(text, options, ctx) {
      if (options.revertIn !== undefined) throw noTimer(system);
      const entries = entriesOf(text);
      if (options.message !== undefined) ctx.warn(`message: ${system} does not store commit comments`);
      if (entries.length === 0 && !options.replace) return { diff: "", committed: false };
      return options.replace ? replace(text, options, ctx) : merge(entries, options, ctx);
    },
    async rollback(handle, ctx) {
      if (handle !== undefined) throw noHandle(system);
      if (!(await files.exists(files.backup, ctx))) throw nothingToRollBack();
      const output = await files.runFrom(files.backup, ctx);
      await save(ctx);
      await remove(files, files.backup, ctx);
      return output.trim();
    },
  };
}

async function remove(files: SwitchFiles, file: string, ctx: Context): Promise<void> {
  const time = cleanupContext(ctx);
  try {
    if (await files.exists(file, time)) await files.delete(file, time);
  } catch (error) {
    ctx.warn(`${file} was left on the switch: ${messageOf(error)}`);
  }
}

function refusedLine(entry: Entry | undefined, text: string): PluginError {
  const where = entry === undefined ? "configure terminal" : `line ${entry.number}, "${entry.line.trim()}"`;
  return new PluginError("CommandError", `The switch refused ${where}: ${text}`, {
    output: text,
    ...(entry === undefined ? {} : { command: entry.line.trim(), line: entry.number }),
  });
}

function notBack(fault: unknown, why: string): PluginError {
  const kind = fault instanceof PluginError ? fault : undefined;
  const message = messageOf(fault);
  return new PluginError(
    "CommandError",
    `${message} The previous configuration could not be restored: ${why}`,
    { ...kind?.detail, outcome: "unknown" },
    { cause: fault },
  );
}

function noTimer(system: string): PluginError {
  return new PluginError("DriverError", `revert_in: ${system} does not support confirmed commits.`, {
    outcome: "none",
  });
}

function noHandle(system: string): PluginError {
  return new PluginError("DriverError", `handle: ${system} can roll back only the last commit.`, {
    outcome: "none",
  });
}

function nothingToRollBack(): PluginError {
  return new PluginError("CommandError", "There is no commit of this service to roll back on the switch.", {
    outcome: "none",
  });
}
