/** Checkpoints on the switch, in files with unique names. */
import { randomBytes } from "node:crypto";
import type { Context } from "patchbay/plugin";
import { PluginError } from "patchbay/plugin";
import { refused, type SwitchCommands, textOf } from "../commands.ts";
import { patchOf } from "./diff.ts";

/** For a checkpoint or rollback of a large switch. */
const slow = { atLeastMs: 600_000 };

export interface SwitchFiles {
  /** A file name on the file system of the switch. */
  name(kind: "before" | "candidate"): string;
  /** The running configuration before the service's last commit. */
  readonly backup: string;
  /** Saves the running configuration as a checkpoint. */
  checkpoint(file: string, ctx: Context): Promise<void>;
  /**
   * Rolls back to a checkpoint, atomically.
   * @throws PluginError CommandError
   */
  runFrom(file: string, ctx: Context): Promise<string>;
  /** The diff from a checkpoint to another one, or to the running configuration. */
  compare(from: string, to: string | "running-config", ctx: Context): Promise<string>;
  move(from: string, to: string, ctx: Context): Promise<void>;
  exists(file: string, ctx: Context): Promise<boolean>;
  delete(file: string, ctx: Context): Promise<void>;
  md5(file: string, ctx: Context): Promise<string>;
}

export function switchFiles(transport: SwitchCommands, fileSystem: string): SwitchFiles {
  /** Suppresses confirmation questions. */
  async function quietly(command: string, ctx: Context): Promise<string> {
    const commands = ["terminal dont-ask", command, "no terminal dont-ask"];
    // NX-API accepts only show commands in text format.
    const { results, refusal } = await transport.run(commands, "json", ctx, slow);
    if (refusal !== undefined) throw refused(commands[refusal.at] ?? command, refusal.text);
    return requireDone(command, textOf(results[1]));
  }
  const named = (name: string) => `${fileSystem}${name}`;
  return {
    name: (kind) => named(`patchbay-${kind}-${randomBytes(6).toString("hex")}`),
    backup: named("patchbay-rollback"),
    checkpoint: async (file, ctx) => void (await quietly(`checkpoint file ${file}`, ctx)),
    runFrom: (file, ctx) => quietly(`rollback running-config file ${file} atomic`, ctx),
    async compare(from, to, ctx) {
      const other = to === "running-config" ? to : `file ${to}`;
      const command = `show diff rollback-patch file ${from} ${other}`;
      return patchOf(requireDone(command, textOf(await transport.runOne(command, "text", ctx, slow))));
    },
    async move(from, to, ctx) {
      if (await this.exists(to, ctx)) await this.delete(to, ctx);
      await quietly(`move ${from} ${to}`, ctx);
    },
    async exists(file, ctx) {
      const { results, refusal } = await transport.run([`dir ${file}`], "text", ctx);
      return refusal === undefined && !/No such file/i.test(textOf(results[0]));
    },
    delete: async (file, ctx) => void (await quietly(`delete ${file}`, ctx)),
    md5: async (file, ctx) => {
      const output = textOf(await transport.runOne(`show file ${file} md5sum`, "text", ctx));
      return /\b[0-9a-f]{32}\b/i.exec(output)?.[0]?.toLowerCase() ?? "";
    },
  };
}

/** Some refusals are reported in the output of a command that was accepted. */
const failed =
  /^\s*(?:ERROR\b|Error:|%\s?(?:Invalid|Incomplete|Ambiguous|Permission)|Syntax error|Invalid command)|Rollback failed|Failed to |No such file/im;

export function requireDone(command: string, output: string): string {
  const [fault] = failed.exec(output) ?? [];
  if (fault === undefined) return output;
  throw new PluginError("CommandError", `The switch failed at "${command}": ${output.trim().slice(-2000)}`, {
    command,
    output: output.trim(),
  });
}
