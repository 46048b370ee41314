/** The device's own diff between its running configuration and a file. */
import type { CliSession, Context } from "patchbay/plugin";
import { PluginError } from "patchbay/plugin";
import { boundedText } from "../../../common/bounded.ts";
import { linesOf } from "../../../common/text.ts";

/** Comparing two large configurations takes minutes. */
const slow = { readTimeoutMs: 300_000 };

/** The changes needed to reach the configuration in the file. */
export async function replaceDiff(cli: CliSession, file: string, ctx: Context): Promise<string> {
  const command = `show archive config differences system:/running-config ${file}`;
  const output = boundedText(await cli.send(command, slow, ctx));
  requireDifference(command, output);
  return linesOf(output)
    .filter((line) => !/Contextual Config Diffs|No changes were found|ntp clock-period/.test(line))
    .join("\n")
    .trim();
}

/**
 * The lines that the file would add, with `+`; `no` lines with `-`.
 * @param text shown line by line in NAPALM's format if the device cannot compare
 */
export async function mergeDiff(cli: CliSession, file: string, text: string, ctx: Context): Promise<string> {
  const command = `show archive config incremental-diffs ${file} ignorecase`;
  const output = boundedText(await cli.send(command, slow, ctx));
  if (/^\s*% ?(?:Invalid|Incomplete|Ambiguous)/m.test(output)) {
    ctx.warn("the device cannot compare a merge: the diff shows all its lines");
    const lines = linesOf(text).filter((line) => line.trim() !== "");
    return [
      "! incremental-diff failed; falling back to echo of merge file",
      ...lines.map((line) => `+${line}`),
    ].join("\n");
  }
  requireDifference(command, output);
  const ordered = /order-dependent line.*re-ordered/.test(output);
  if (/No changes were found/.test(output) && !ordered) return "";
  return marked(linesOf(output).filter((line) => !/No changes were found|List of Commands/.test(line)));
}

function marked(lines: readonly string[]): string {
  return lines
    .filter((line) => line.trim() !== "" && line.trim() !== "end")
    .map((line) => (/^\s*no\s/.test(line) ? `-${line}` : `+${line}`))
    .join("\n");
}

function requireDifference(command: string, output: string): void {
  if (!/^\s*%|error code \d|returned error \d/im.test(output)) return;
  throw new PluginError(
    "CommandError",
    `The device could not compute the diff: ${output.trim().slice(-500)}`,
    {
      command,
      output,
      outcome: "none",
    },
  );
}
