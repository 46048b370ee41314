/**
 * Pushes configuration, either line by line into the running configuration, or through a session that is compared and
 * committed as a whole.
 */
import type { Context } from "patchbay/plugin";
import { PluginError, withDetail } from "patchbay/plugin";
import { type EapiRefusal, meaningOf, textOf } from "../shared/eos/eapi.ts";
import type { EapiClient } from "../shared/eos/eapi-client.ts";
import { type Entry, entriesOf } from "../shared/eos/lines.ts";
import type { ConfigureArgs } from "./args.ts";
import { type ConfigurationSession, sessionFor } from "./session.ts";

/** The result of a push in `retval`. */
export interface PushResult {
  /** The switch's diff, if a session was used. */
  readonly diff: string | null;
  readonly committed: boolean;
  readonly saved: boolean;
  /** Output of the lines, if any. */
  readonly output: string;
  /** For a commit with a timer: the command that confirms it, and the minutes left. */
  readonly confirm?: { readonly command: string; readonly minutes: number };
}

export const defaultMinutes = 10;

export async function push(
  client: EapiClient,
  lines: readonly string[],
  args: ConfigureArgs,
  ctx: Context,
): Promise<PushResult> {
  const entries = entriesOf(lines.join("\n"));
  const inSession =
    args.session === undefined ? Boolean(args.dry_run || args.diff || args.confirm) : args.session !== false;
  return inSession ? pushInSession(client, entries, args, ctx) : pushPlain(client, entries, args, ctx);
}

async function pushPlain(
  client: EapiClient,
  entries: readonly Entry[],
  args: ConfigureArgs,
  ctx: Context,
): Promise<PushResult> {
  const commands = ["configure", ...entries.map(({ command }) => command), "end"];
  const { results, refusal } = await client.run({ commands, format: "text" }, args, ctx);
  if (refusal !== undefined) {
    const acceptedLines = entries.slice(0, Math.max(0, refusal.at - 1)).map(({ line }) => line);
    throw refusedLine(entries, refusal, { sent: acceptedLines }, inForce(acceptedLines.length));
  }
  const saved = args.save === true && (await save(client, args, ctx));
  return { diff: null, committed: true, saved, output: wordsOf(results) };
}

async function pushInSession(
  client: EapiClient,
  entries: readonly Entry[],
  args: ConfigureArgs,
  ctx: Context,
): Promise<PushResult> {
  const session = await sessionFor(client, args, ctx);
  const filled = await fillOrAbort(session, entries, ctx);
  if (args.dry_run === true) {
    await session.abort();
    return { ...filled, committed: false, saved: false };
  }
  const minutes = args.confirm === true ? defaultMinutes : args.confirm || undefined;
  await commit(session, minutes, ctx);
  const saved = args.save === true && (await save(client, args, ctx));
  const enter = `configure session ${session.name}`;
  return {
    ...filled,
    committed: true,
    saved,
    ...(minutes === undefined ? {} : { confirm: { command: `${enter} commit`, minutes } }),
  };
}

export async function fillOrAbort(
  session: ConfigurationSession,
  entries: readonly Entry[],
  ctx: Context,
): Promise<Pick<PushResult, "diff" | "output">> {
  return fill(session, entries, ctx).catch(async (error) => {
    await session.abort();
    // Nothing in a session takes effect before its commit.
    throw withDetail(error, { outcome: "none" });
  });
}

/** @throws PluginError CommandError that names the refused line */
async function fill(
  session: ConfigurationSession,
  entries: readonly Entry[],
  ctx: Context,
): Promise<Pick<PushResult, "diff" | "output">> {
  const lines = entries.map(({ command }) => command);
  const { results, refusal } = await session.run([...lines, "show session-config diffs"], ctx);
  if (refusal !== undefined) throw refusedLine(entries, refusal, { outcome: "none" });
  return { diff: textOf(results.at(-1)), output: wordsOf(results.slice(1, -1)) };
}

/** @throws PluginError with `outcome: "none"` if the switch is known to be unchanged */
export async function commit(
  session: ConfigurationSession,
  minutes: number | undefined,
  ctx: Context,
): Promise<void> {
  const line = minutes === undefined ? "commit" : `commit timer ${timer(minutes)}`;
  try {
    const { refusal } = await session.run([line], ctx);
    if (refusal !== undefined) throw refusedLine([{ line }], { ...refusal, at: 1 }, { outcome: "none" });
  } catch (error) {
    const aborted = await session.abort();
    throw aborted ? withDetail(error, { outcome: "none" }) : error;
  }
}

export async function save(client: EapiClient, args: ConfigureArgs, ctx: Context): Promise<boolean> {
  const { refusal } = await client.run({ commands: ["write memory"], format: "text" }, args, ctx);
  if (refusal === undefined) return true;
  throw new PluginError(
    "CommandError",
    `The configuration is active but was not saved: ${refusal.text} (${meaningOf(refusal.code)})`,
    { command: "write memory", output: refusal.text },
  );
}

export function ended(command: string, { code, text }: EapiRefusal): PluginError {
  return new PluginError("CommandError", `The switch refused "${command}": ${text} (${meaningOf(code)})`, {
    command,
    output: text,
  });
}

function refusedLine(
  entries: readonly Pick<Entry, "line">[],
  { code, text, at }: EapiRefusal,
  detail: { sent?: string[]; outcome?: "none" },
  rest = "",
): PluginError {
  const line = entries[at - 1]?.line ?? "configure";
  return new PluginError(
    "CommandError",
    `The switch refused "${line}": ${text} (${meaningOf(code)})${rest}`,
    {
      command: line,
      output: text,
      ...detail,
    },
  );
}

/** Without a session each line takes effect at once. */
function inForce(lines: number): string {
  if (lines === 0) return "";
  return lines === 1 ? "; 1 line before it is active" : `; ${lines} lines before it are active`;
}

export function timer(minutes: number): string {
  const two = (count: number) => String(count).padStart(2, "0");
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}:00`;
}

function wordsOf(results: readonly unknown[]): string {
  return results
    .map(textOf)
    .filter((text) => text.trim() !== "")
    .join("\n");
}
