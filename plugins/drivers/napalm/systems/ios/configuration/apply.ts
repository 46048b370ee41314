/** Applies a file to the running configuration by merge or replace, and detects refusals in the output. */
import type { CliSession, Context } from "patchbay/plugin";
import { PluginError } from "patchbay/plugin";
import { answered } from "../../../common/cli-dialogue.ts";
import { linesOf } from "../../../common/text.ts";

const slow = { readTimeoutMs: 600_000 };
const rollbackDone = /Rollback Done|Total number of passes: \d/;
const notDone =
  /has been successfully restored|aborted|not a valid config|failed|Please turn config archive on|error opening|^\s*% ?(?:Invalid|Error)/im;
/** Refused lines of a merge; other lines starting with `%` are informational. */
const refusal =
  /^\s*% ?(?:Invalid|Incomplete|Ambiguous|Unknown|Unrecognized|Unavailable|Bad|Error|Not |Cannot|Permission|Authorization|Access denied|.*(?:overlaps with|is not allowed|not supported|is reserved|rejected|failed))|^Command rejected|^\s*%Error/im;

/** @param text content of the file, used to find a refused line */
export async function merge(
  cli: CliSession,
  {
    file,
    text,
    minutes,
  }: { readonly file: string; readonly text: string; readonly minutes: number | undefined },
  ctx: Context,
): Promise<void> {
  if (minutes !== undefined) {
    const command = `configure terminal revert timer ${minutes}`;
    const output = await answered(cli, command, slow, ctx);
    if (/^\s*%/m.test(output)) throw new PluginError("CommandError", output, { command, output });
    await answered(cli, "end", slow, ctx);
  }
  const command = `copy ${file} running-config`;
  const output = await answered(cli, command, slow, ctx);
  const lines = linesOf(output);
  const at = lines.findIndex((line) => refusal.test(line));
  if (at >= 0) throw refusedLine(lines, at, text, output);
  if (!/bytes copied|\[OK/.test(output)) {
    throw new PluginError("CommandError", `The device did not merge the lines: ${output.slice(-500)}`, {
      command,
      output,
    });
  }
}

/** @throws PluginError CommandError; `detail.restored`: the device rolled back automatically */
export async function replace(
  cli: CliSession,
  { file, text, suffix }: { readonly file: string; readonly text: string; readonly suffix: string },
  ctx: Context,
): Promise<string> {
  const command = `configure replace ${file} force${suffix}`;
  const output = await answered(cli, command, slow, ctx);
  if (rollbackDone.test(output) && !notDone.test(output)) return output;
  const rollbackCommands = linesOf(output.split(/List of Rollback Commands:/).at(-1) ?? "").map((line) =>
    line.trim(),
  );
  const line = output.includes("List of Rollback Commands:")
    ? rollbackCommands.find((entry) => entry !== "" && !entry.startsWith("!") && entry !== "end")
    : undefined;
  throw new PluginError("CommandError", `The device refused ${named(line, text)}: ${output.slice(-1000)}`, {
    command: line ?? command,
    output,
    restored: /has been successfully restored/.test(output),
    ...numberOf(line, text),
  });
}

/** The device shows a refused line with a caret below it; some releases show only the caret. */
function refusedLine(lines: readonly string[], at: number, text: string, output: string): PluginError {
  const before = lines.slice(0, at).map((line) => line.trim());
  while (before.at(-1) === "" || before.at(-1) === "^") before.pop();
  const echoed = before.at(-1);
  const line = echoed !== undefined && placeOf(echoed, text) > 0 ? echoed : undefined;
  const words = lines[at]?.trim() ?? "";
  return new PluginError("CommandError", `The device refused ${named(line, text)}: ${words}`, {
    command: line ?? "copy",
    output,
    ...numberOf(line, text),
  });
}

const placeOf = (line: string, text: string) =>
  linesOf(text).findIndex((candidate) => candidate.trim() === line.trim()) + 1;

function numberOf(line: string | undefined, text: string): { readonly line?: number } {
  const place = line === undefined ? 0 : placeOf(line, text);
  return place > 0 ? { line: place } : {};
}

function named(line: string | undefined, text: string): string {
  if (line === undefined) return "the configuration";
  const place = placeOf(line, text);
  return place > 0 ? `line ${place}, "${line}"` : `"${line}"`;
}
