/** Runs one command or script on the server and gives its result. */
import type { Context, ExecResult, SshConnection } from "patchbay/plugin";
import { PluginError, withDetail } from "patchbay/plugin";
import type { Prepared } from "./sudo.ts";

/** The value of a command in `retval`. */
export interface CommandResult {
  readonly output: string;
  readonly error: string;
  /** Null where the command did not end. */
  readonly exit_status: number | null;
  /** Of the signal that ended it, such as `KILL`. */
  readonly signal?: string;
  /** Seconds. */
  readonly duration: number;
  /** More came than is kept: what stands here is its beginning. */
  readonly truncated?: true;
}

/** Of each stream of a command. */
const mostBytes = 8 * 1024 * 1024;

/** What sudo may take to end what is behind it. */
const endMs = 10_000;

export interface RunLimits {
  /** Seconds for the command. */
  readonly timeout: number | undefined;
}

/** @throws PluginError with the result so far in `detail.partial`, as an output of `name` */
export async function run(
  server: SshConnection,
  name: string,
  { line, options, stop }: Prepared,
  { timeout }: RunLimits,
  ctx: Context,
): Promise<CommandResult> {
  const startedAt = performance.now();
  const seconds = () => Math.round(performance.now() - startedAt) / 1000;
  try {
    const limit = timeout === undefined ? {} : { timeoutMs: timeout * 1000 };
    const ended = await server.exec(line, { ...options, ...limit, maxBytes: mostBytes, truncate: true }, ctx);
    if ((ended.answers ?? 0) > 1) throw wrongPassword(name);
    return resultOf(ended, seconds());
  } catch (error) {
    if (!(error instanceof PluginError)) throw error;
    const runs = error.detail?.sent !== undefined && server.alive();
    if (runs && stop !== undefined) await endAll(server, stop(), ctx);
    const { stdout = "", stderr = "" } = streamsOf(error.detail?.partial);
    const partial: CommandResult = { output: stdout, error: stderr, exit_status: null, duration: seconds() };
    const obtained = stdout !== "" || stderr !== "";
    throw withDetail(error, {
      command: name,
      ...(error.detail?.sent === undefined ? {} : { sent: [name] }),
      partial: obtained ? [{ command: name, output: partial }] : [],
    });
  }
}

/** The task may be over by now: this has a time of its own. */
async function endAll(server: SshConnection, { line, options }: Prepared, ctx: Context): Promise<void> {
  const own: Context = {
    ...ctx,
    signal: new AbortController().signal,
    remaining: () => endMs,
    output: () => {},
  };
  await server.exec(line, { ...options, timeoutMs: endMs }, own).catch((error: unknown) => {
    ctx.log.warn("paramiko.not_ended", { reason: String(error) });
  });
}

function resultOf(
  { stdout, stderr, exitStatus, signal, truncated }: ExecResult,
  duration: number,
): CommandResult {
  return {
    output: stdout,
    error: stderr,
    exit_status: exitStatus,
    ...(signal === undefined ? {} : { signal }),
    duration,
    ...(truncated === true ? { truncated } : {}),
  };
}

/** The account may be locked by more tries: nothing that follows is tried. */
export function wrongPassword(command: string): PluginError {
  return new PluginError(
    "AuthenticationFailed",
    "sudo did not take the password (driver_args.sudo_password)",
    {
      command,
      outcome: "none",
    },
  );
}

function streamsOf(partial: unknown): { stdout?: string; stderr?: string } {
  return typeof partial === "object" && partial !== null && !Array.isArray(partial) ? { ...partial } : {};
}
