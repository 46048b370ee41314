/** Reads the commands of a query as plain lines: a server has no dialogues. */
import type { Command } from "patchbay/plugin";
import { PluginError } from "patchbay/plugin";

export function lineOf(command: Command): string {
  if (typeof command === "string") return command;
  throw new PluginError(
    "DriverError",
    "command: the driver paramiko does not answer prompts: send each command as a string.",
    {
      outcome: "none",
    },
  );
}
