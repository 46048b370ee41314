/** Runs the program once per job that names a reference; its stdout is a JSON object of strings. */
import { spawn } from "node:child_process";
import process from "node:process";
import type { Context, CredentialTools } from "patchbay/plugin";
import { PluginError } from "patchbay/plugin";
import * as v from "valibot";
import type { Settings } from "./schemas.ts";

type Tools = CredentialTools<{ ref: string }, Settings>;

const maxBytes = 64 * 1024;
/** The program has ended, and what it printed is read by then. */
const leftOpenMs = 1_000;
const answer = v.record(v.string(), v.string());

export default async function resolve(
  { reference: { ref }, settings: { program, args, timeout } }: Tools,
  ctx: Context,
): Promise<Record<string, string>> {
  if (program === undefined) throw failed("no program is configured: set PATCHBAY_PLUGIN_COMMAND_PROGRAM");
  const { code, text } = await run(program, [...args, ref], timeout * 1000, ctx);
  if (code !== 0) throw failed(`${program} exited with status ${code} for "${ref}"`);
  const parsed = v.safeParse(answer, jsonOf(text));
  // Its output contains secrets and is never shown.
  if (!parsed.success) throw failed(`${program} did not print a JSON object of strings for "${ref}"`);
  return parsed.output;
}

async function run(
  program: string,
  args: readonly string[],
  timeoutMs: number,
  ctx: Context,
): Promise<{ code: number | null; text: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ code: number | null; text: string }>();
  if (ctx.signal.aborted) throw ctx.signal.reason;
  const child = spawn(program, args, {
    stdio: ["ignore", "pipe", "ignore"],
    // Its own process group, so that its children are killed with it.
    detached: true,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C" },
    timeout: Math.ceil(timeoutMs),
    killSignal: "SIGKILL",
  });
  const pieces: Buffer[] = [];
  let bytes = 0;
  const stop = (why: unknown) => {
    kill(child.pid);
    reject(why);
  };
  const onAbort = () => stop(ctx.signal.reason);
  ctx.signal.addEventListener("abort", onAbort, { once: true });
  child.stdout.on("data", (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > maxBytes) stop(failed(`${program} printed more than ${maxBytes / 1024} KiB`));
    else pieces.push(piece);
  });
  child.on("error", (error) => reject(failed(`${program} cannot be run: ${error.message}`)));
  // A child of the program may keep its stdout open; a daemon that it started is in no group of ours.
  child.on("exit", (code, signal) => {
    kill(child.pid);
    closing = setTimeout(() => ended(code, signal), leftOpenMs);
  });
  child.on("close", (code, signal) => ended(code, signal));
  let closing: ReturnType<typeof setTimeout> | undefined;
  const ended = (code: number | null, signal: NodeJS.Signals | null) => {
    clearTimeout(closing);
    child.stdout.destroy();
    if (signal !== null)
      reject(failed(`${program} was killed by ${signal}; its timeout is ${timeoutMs / 1000} seconds`));
    else resolve({ code, text: Buffer.concat(pieces).toString("utf8") });
  };
  return promise.finally(() => ctx.signal.removeEventListener("abort", onAbort));
}

/** Kills the whole process group. */
function kill(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The group has already ended.
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function failed(why: string): PluginError {
  return new PluginError("DriverError", `connection_args.credential: ${why}.`, { outcome: "none" });
}
