/** Validates commands before they are typed: one line each; the platform says which control characters it reads. */

import type { Command, Dialogue } from "patchbay/plugin";
import { PluginError } from "patchbay/plugin";

const maxBytes = 65_536;

/** @throws PluginError DriverError that names the entry, before anything is sent */
export function checkCommands(commands: readonly Command[]): Dialogue[] {
  return commands.map((command, at) => {
    const dialogue: Dialogue = typeof command === "string" ? { send: command } : command;
    // Files and heredocs leave a trailing line end.
    const send = dialogue.send.replace(/[\r\n]+$/, "");
    const fault = textFault(send) ?? (dialogue.reply === undefined ? undefined : textFault(dialogue.reply));
    if (fault !== undefined)
      throw new PluginError("DriverError", `command[${at}]: ${fault}`, { outcome: "none" });
    return { ...dialogue, send };
  });
}

/** What makes a text unsuitable for typing; undefined if it is valid. */
export function textFault(text: string): string | undefined {
  if (/[\r\n]/.test(text)) return "contains a line end: send each command as a separate entry";
  if (/[\ud800-\udfff]/u.test(text)) return "is not valid Unicode";
  if (Buffer.byteLength(text) > maxBytes) return `is longer than ${maxBytes} bytes`;
  return undefined;
}

/** Configuration may contain line ends, which split it. */
export function checkLines(lines: readonly string[]): void {
  lines.forEach((text, at) => {
    if (!/[\ud800-\udfff]/u.test(text)) return;
    throw new PluginError("DriverError", `config[${at}]: is not valid Unicode`, { outcome: "none" });
  });
}
