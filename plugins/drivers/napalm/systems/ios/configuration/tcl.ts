/**
 * Writes a file over the terminal with the device's Tcl shell, so that no character triggers help or ends the input.
 */
import type { CliSession, Context } from "patchbay/plugin";
import { cleanupContext, PluginError } from "patchbay/plugin";
import { answered } from "../../../common/cli-dialogue.ts";

const step = { readTimeoutMs: 30_000 };
/** Length of a typed line; IOS truncates lines at 254. */
const maxTyped = 200;
/** More would take too long over a terminal. */
const maxBytes = 1024 * 1024;

export async function writeByTcl(
  cli: CliSession,
  file: string,
  content: string,
  ctx: Context,
): Promise<void> {
  const bytes = Buffer.from(content);
  if (bytes.length > maxBytes) {
    throw refused("tclsh", `the configuration has ${bytes.length} bytes, more than ${maxBytes}`);
  }
  const shell = await answered(cli, "tclsh", step, ctx);
  if (/^\s*%/m.test(shell))
    throw refused("tclsh", `the device supports neither SCP nor a Tcl shell: ${shell}`);
  try {
    const type = async (line: string) => {
      const output = await answered(cli, line, step, ctx);
      if (/^\s*%|couldn't|error|invalid command/im.test(output)) throw refused("tclsh", output);
    };
    await type(`set patchbay [open "${file}" w]`);
    await type("fconfigure $patchbay -translation binary");
    for (const chunk of chunksOf(bytes)) await type(`puts -nonewline $patchbay "${chunk}"`);
    await type("close $patchbay");
  } finally {
    await answered(cli, "tclquit", step, cleanupContext(ctx));
  }
}

/** Characters special to Tcl strings or the terminal are written as escape codes. */
function* chunksOf(bytes: Buffer): Generator<string> {
  let chunk = "";
  for (const byte of bytes) {
    const char = String.fromCharCode(byte);
    const plain = /[A-Za-z0-9 ,.:;/_=+*()@%^&<>~'|!-]/.test(char);
    chunk += plain ? char : `\\${byte.toString(8).padStart(3, "0")}`;
    if (chunk.length >= maxTyped - 4) {
      yield chunk;
      chunk = "";
    }
  }
  if (chunk !== "") yield chunk;
}

function refused(command: string, why: string): PluginError {
  return new PluginError("CommandError", `The configuration did not reach the device: ${why.trim()}.`, {
    command,
    output: why,
    outcome: "none",
  });
}
