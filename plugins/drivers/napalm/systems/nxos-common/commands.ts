/** Lists of commands to a switch of NX-OS, whatever the transport. */
import type { Context } from "patchbay/plugin";
import { PluginError } from "patchbay/plugin";

export type Format = "json" | "text";

/** What the switch said to a command that it did not take. */
export interface Refusal {
  /** Of the command, from 0. */
  readonly at: number;
  /** In the words of the switch. */
  readonly text: string;
}

export interface CommandAnswers {
  /** Of the commands before the refused one: a structure or a text for each, null where it has nothing to say. */
  readonly results: readonly unknown[];
  readonly refusal?: Refusal;
}

/** In place of `connection_args.timeout`, where that is shorter: checkpoints and rollbacks take minutes. */
export interface Limit {
  readonly atLeastMs: number;
}

export interface SwitchCommands {
  /** Commands in one session of the switch, up to the first that it refuses. */
  run(commands: readonly string[], format: Format, ctx: Context, limit?: Limit): Promise<CommandAnswers>;
  /** @throws PluginError CommandError: the switch refused it */
  one(command: string, format: Format, ctx: Context, limit?: Limit): Promise<unknown>;
}

/** One command by what runs lists of them. */
export function oneBy(run: SwitchCommands["run"]): SwitchCommands["one"] {
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

/** What was said, whatever it came in: a text, or the texts of a structure, a line each. */
export function textOf(result: unknown): string {
  if (typeof result === "string") return result;
  if (typeof result !== "object" || result === null) return "";
  return Object.values(result).map(textOf).join("\n");
}
