/** Pushes configuration: line by line into the running one, or through a session that is compared and committed whole. */
import { randomBytes } from "node:crypto";
import type { Context } from "patchbay/plugin";
import { PluginError, withDetail } from "patchbay/plugin";
import * as v from "valibot";
import type { ConfigureArgs } from "./args.ts";
import type { Client } from "./client.ts";
import { type EapiCommand, type EapiRefusal, meaningOf } from "./eapi.ts";

/** The value of a push in `retval`. */
export interface PushResult {
  /** The switch's own, where a session was used. */
  readonly diff: string | null;
  readonly committed: boolean;
  readonly saved: boolean;
  /** What the switch said to lines, where it said something. */
  readonly output: string;
  /** Of a commit that is undone unless it is confirmed: how that is done, and until when. */
  readonly confirm?: { readonly command: string; readonly minutes: number };
}

const defaultMinutes = 10;
const textual = v.object({ output: v.string() });

export async function push(
  client: Client,
  lines: readonly string[],
  args: ConfigureArgs,
  ctx: Context,
): Promise<PushResult> {
  const entries = entriesOf(lines);
  const inSession =
    args.session === undefined ? Boolean(args.dry_run || args.diff || args.confirm) : args.session !== false;
  return inSession ? pushInSession(client, entries, args, ctx) : pushPlain(client, entries, args, ctx);
}

interface Entry {
  /** As it was given: names the line in an error. */
  readonly line: string;
  readonly command: EapiCommand;
}

/** A banner, or a comment of several lines, reads to `EOF`: it is one command with an input. */
function entriesOf(lines: readonly string[]): Entry[] {
  const entries: Entry[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    if (line.trim() === "") continue;
    const end = readsOn.test(line) ? lines.indexOf("EOF", at + 1) : -1;
    if (end < 0) entries.push({ line, command: line });
    else {
      entries.push({ line, command: { cmd: line, input: lines.slice(at + 1, end).join("\n") } });
      at = end;
    }
  }
  return entries;
}

const readsOn = /^\s*(?:banner\s+\S+|comment)\s*$/;

async function pushPlain(
  client: Client,
  entries: readonly Entry[],
  args: ConfigureArgs,
  ctx: Context,
): Promise<PushResult> {
  const commands = ["configure", ...entries.map(({ command }) => command), "end"];
  const { results, refusal } = await client.run({ commands, format: "text" }, args, ctx);
  if (refusal !== undefined) {
    const taken = entries.slice(0, Math.max(0, refusal.at - 1)).map(({ line }) => line);
    throw refusedLine(entries, refusal, { sent: taken }, inForce(taken.length));
  }
  const saved = args.save === true && (await save(client, args, ctx));
  return { diff: null, committed: true, saved, output: wordsOf(results) };
}

async function pushInSession(
  client: Client,
  entries: readonly Entry[],
  args: ConfigureArgs,
  ctx: Context,
): Promise<PushResult> {
  const name = typeof args.session === "string" ? args.session : `patchbay-${randomBytes(4).toString("hex")}`;
  const enter = `configure session ${name}`;
  const run = (commands: readonly EapiCommand[]) => client.run({ commands, format: "text" }, args, ctx);
  const abort = async (error: unknown) => {
    await run([enter, "abort"]).catch((failure) =>
      ctx.warn(
        `the session ${name} was left on the switch: ${failure instanceof Error ? failure.message : failure}`,
      ),
    );
    // Nothing of a session is in force before its commit.
    return withDetail(error, { outcome: "none" });
  };
  const filled = await run([
    enter,
    ...entries.map(({ command }) => command),
    "show session-config diffs",
  ]).catch(async (error) => Promise.reject(await abort(error)));
  if (filled.refusal !== undefined)
    throw await abort(refusedLine(entries, filled.refusal, { outcome: "none" }));
  const diff = textOf(filled.results.at(-1));
  const output = wordsOf(filled.results.slice(1, -1));
  if (args.dry_run === true) {
    await run([enter, "abort"]);
    return { diff, committed: false, saved: false, output };
  }
  const minutes = args.confirm === true ? defaultMinutes : args.confirm || undefined;
  const commit = minutes === undefined ? "commit" : `commit timer ${timer(minutes)}`;
  const committed = await run([enter, commit]);
  if (committed.refusal !== undefined)
    throw await abort(
      refusedLine([{ line: commit, command: commit }], { ...committed.refusal, at: 1 }, { outcome: "none" }),
    );
  const saved = args.save === true && (await save(client, args, ctx));
  return {
    diff,
    committed: true,
    saved,
    output,
    ...(minutes === undefined ? {} : { confirm: { command: `${enter} commit`, minutes } }),
  };
}

async function save(client: Client, args: ConfigureArgs, ctx: Context): Promise<boolean> {
  const { refusal } = await client.run({ commands: ["write memory"], format: "text" }, args, ctx);
  if (refusal === undefined) return true;
  throw new PluginError(
    "CommandError",
    `The configuration is in force and was not saved: ${refusal.text} (${meaningOf(refusal.code)})`,
    { command: "write memory", output: refusal.text },
  );
}

function refusedLine(
  entries: readonly Entry[],
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

/** Without a session each line holds as soon as the switch has taken it. */
function inForce(lines: number): string {
  if (lines === 0) return "";
  return lines === 1 ? "; 1 line before it is in force" : `; ${lines} lines before it are in force`;
}

function timer(minutes: number): string {
  const two = (count: number) => String(count).padStart(2, "0");
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}:00`;
}

function textOf(result: unknown): string {
  const read = v.safeParse(textual, result);
  return read.success ? read.output.output : "";
}

function wordsOf(results: readonly unknown[]): string {
  return results
    .map(textOf)
    .filter((text) => text.trim() !== "")
    .join("\n");
}
