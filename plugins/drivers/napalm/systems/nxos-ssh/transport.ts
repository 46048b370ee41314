/** Runs command lists in a terminal of the switch; opens another session if the first one is lost. */
import type { CliSession, Context } from "patchbay/plugin";
import { PluginError } from "patchbay/plugin";
import { answered } from "../../common/cli-dialogue.ts";
import { linesOf } from "../../common/text.ts";
import { type CommandAnswers, runOneBy, type SwitchCommands } from "../nxos-common/commands.ts";

export interface Terminal extends SwitchCommands {
  close(): Promise<void>;
}

const usualMs = 60_000;
const configure = "configure terminal";
const quiet = "terminal dont-ask";
/** Output that is a refusal. */
const refusal =
  /^\s*(?:% ?(?:Invalid|Incomplete|Ambiguous|Permission|Unknown|String|Cannot|Not )|Syntax error|ERROR:|Error:)/m;

/** @param another opens a session for cleanup */
export function createTerminal(first: CliSession, another: (ctx: Context) => Promise<CliSession>): Terminal {
  let cli = first;
  let lost = false;

  async function session(ctx: Context): Promise<CliSession> {
    if (!lost) return cli;
    const next = await another(ctx);
    if (cli !== first) await cli.close();
    cli = next;
    lost = false;
    return cli;
  }

  /** After a refusal the session is usable; after any other error its state is unknown. */
  async function typed<T>(ctx: Context, work: (cli: CliSession) => Promise<T>): Promise<T> {
    try {
      return await work(await session(ctx));
    } catch (error) {
      if (!(error instanceof PluginError) || error.kind !== "CommandError") lost = true;
      throw error;
    }
  }

  async function say(command: string, ms: number, ctx: Context): Promise<string> {
    return typed(ctx, (cli) => answered(cli, command, { readTimeoutMs: ms }, ctx));
  }

  async function push(lines: readonly string[], ms: number, ctx: Context): Promise<CommandAnswers> {
    try {
      await typed(ctx, (cli) =>
        cli.configure(
          lines,
          {
            enterConfig: true,
            exitConfig: true,
            verifyEcho: true,
            save: false,
            dryRun: false,
            enable: true,
            readTimeoutMs: ms,
          },
          ctx,
        ),
      );
      return { results: [configure, ...lines].map(() => null) };
    } catch (error) {
      if (!(error instanceof PluginError) || error.kind !== "CommandError") throw error;
      const { matched, output, command, sent = [] } = error.detail ?? {};
      // `sent` may include the refused line.
      const acceptedLines = sent.at(-1) === command ? sent.length - 1 : sent.length;
      const text =
        typeof matched === "string" ? matched : typeof output === "string" ? output : error.message;
      return { results: [], refusal: { at: entryAt(lines, acceptedLines), text: text.trim() } };
    }
  }

  const run: SwitchCommands["run"] = async (commands, _format, ctx, limit) => {
    const ms = Math.max(usualMs, limit?.atLeastMs ?? 0);
    if (commands[0] === configure) return push(commands.slice(1), ms, ctx);
    const results: string[] = [];
    for (const [at, command] of commands.entries()) {
      const output = await say(command, ms, ctx);
      if (refusal.test(output)) {
        if (commands[0] === quiet && at > 0) await say(`no ${quiet}`, ms, ctx);
        return { results, refusal: { at, text: output.trim() } };
      }
      results.push(output);
    }
    return { results };
  };

  return {
    run,
    runOne: runOneBy(run),
    async close() {
      if (cli !== first) await cli.close();
      await first.close();
    },
  };
}

/** Index of the entry (including the command before them) that contains the line after this many accepted ones. */
function entryAt(entries: readonly string[], acceptedLines: number): number {
  let lines = 0;
  for (const [at, entry] of entries.entries()) {
    lines += linesOf(entry).length;
    if (lines > acceptedLines) return at + 1;
  }
  return entries.length;
}
