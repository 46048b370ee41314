/** Command lists for an NX-OS switch, independent of the transport. */
import type { Context } from "patchbay/plugin";
import { PluginError } from "patchbay/plugin";

export type Format = "json" | "text";

/** The switch's error for a refused command. */
export interface Refusal {
  /** Index of the command, from 0. */
  readonly at: number;
  /** The switch's message. */
  readonly text: string;
}

export interface CommandAnswers {
  /** Results of the commands before the refused one: a structure or text each, null if there is no output. */
  readonly results: readonly unknown[];
  readonly refusal?: Refusal;
}

/** Raises a shorter `connection_args.timeout`: checkpoints and rollbacks take minutes. */
export interface Limit {
  readonly atLeastMs: number;
}

export interface SwitchCommands {
  /** Runs commands in one session of the switch, up to the first refusal. */
  run(commands: readonly string[], format: Format, ctx: Context, limit?: Limit): Promise<CommandAnswers>;
  /** @throws PluginError CommandError if the switch refused it */
  runOne(command: string, format: Format, ctx: Context, limit?: Limit): Promise<unknown>;
}

/** Implements `runOne` with `run`. */
export function runOneBy(run: SwitchCommands["run"]): SwitchCommands["runOne"] {
  return async (command, format, ctx, limit) => {
    const { results, refusal } = await run([command], format, ctx, limit);
    if (refusal !== undefined) throw refused(command, refusal.text);
    return results[0];
  };
}

export function refused(command: string, text: string): PluginError {
  return new PluginError("CommandError", `The switch refused "${command}": ${text}`, {
    command,
    output: text,
  });
}

/** Plain text of a result: a text itself, or the strings of a structure, one per line. */
export function textOf(result: unknown): string {
  if (typeof result === "string") return result;
  if (typeof result !== "object" || result === null) return "";
  return Object.values(result).map(textOf).join("\n");
}
