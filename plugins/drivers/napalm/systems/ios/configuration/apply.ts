/** Applies a file to the running configuration by merge or replace, and detects refusals in the output. */
import type { CliSession, Context } from "patchbay/plugin";
import { PluginError } from "patchbay/plugin";
import { answered } from "../../../common/cli-dialogue.ts";
import { linesOf } from "../../../common/text.ts";

const slow = { readTimeoutMs: 600_000 };
const done = /Rollback Done|Total number of passes: \d/;
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
    const said = await answered(cli, command, slow, ctx);
    if (/^\s*%/m.test(said)) throw new PluginError("CommandError", said, { command, output: said });
    await answered(cli, "end", slow, ctx);
  }
  const command = `copy ${file} running-config`;
  const said = await answered(cli, command, slow, ctx);
  const lines = linesOf(said);
  const at = lines.findIndex((line) => refusal.test(line));
  if (at >= 0) throw refusedLine(lines, at, text, said);
  if (!/bytes copied|\[OK/.test(said)) {
    throw new PluginError("CommandError", `The device did not merge the lines: ${said.slice(-500)}`, {
      command,
      output: said,
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
  const said = await answered(cli, command, slow, ctx);
  if (done.test(said) && !notDone.test(said)) return said;
  const left = linesOf(said.split(/List of Rollback Commands:/).at(-1) ?? "").map((line) => line.trim());
  const line = said.includes("List of Rollback Commands:")
    ? left.find((one) => one !== "" && !one.startsWith("!") && one !== "end")
    : undefined;
  throw new PluginError("CommandError", `The device refused ${named(line, text)}: ${said.slice(-1000)}`, {
    command: line ?? command,
    output: said,
    restored: /has been successfully restored/.test(said),
    ...numberOf(line, text),
  });
}

/** The device shows a refused line with a caret below it; some releases show only the caret. */
function refusedLine(lines: readonly string[], at: number, text: string, said: string): PluginError {
  const before = lines.slice(0, at).map((line) => line.trim());
  while (before.at(-1) === "" || before.at(-1) === "^") before.pop();
  const shown = before.at(-1);
  const line = shown !== undefined && placeOf(shown, text) > 0 ? shown : undefined;
  const words = lines[at]?.trim() ?? "";
  return new PluginError("CommandError", `The device refused ${named(line, text)}: ${words}`, {
    command: line ?? "copy",
    output: said,
    ...numberOf(line, text),
  });
}

const placeOf = (line: string, text: string) =>
  linesOf(text).findIndex((one) => one.trim() === line.trim()) + 1;

function numberOf(line: string | undefined, text: string): { readonly line?: number } {
  const place = line === undefined ? 0 : placeOf(line, text);
  return place > 0 ? { line: place } : {};
}

function named(line: string | undefined, text: string): string {
  if (line === undefined) return "the configuration";
  const place = placeOf(line, text);
  return place > 0 ? `line ${place}, "${line}"` : `"${line}"`;
}
