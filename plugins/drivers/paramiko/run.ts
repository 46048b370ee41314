/** Runs one command or script on the server and returns its result. */
import type { Context, ExecResult, SshConnection } from "patchbay/plugin";
import { cleanupContext, cleanupMs, PluginError, withDetail } from "patchbay/plugin";
import type { Prepared } from "./sudo.ts";
import type { Unit } from "./units.ts";

/** The result of a command in `retval`. */
export interface CommandResult {
  readonly output: string;
  readonly error: string;
  /** Null if the command did not end. */
  readonly exit_status: number | null;
  /** Name of the signal that ended it, such as `KILL`. */
  readonly signal?: string;
  /** Seconds. */
  readonly duration: number;
  /** The output exceeded the limit; only its beginning is kept. */
  readonly truncated?: true;
}

/** Limit per stream of a command. */
const maxOutputBytes = 8 * 1024 * 1024;

export interface RunLimits {
  /** Timeout of the command in seconds. */
  readonly timeout: number | undefined;
}

/** @throws PluginError with the partial result in `detail.partial`, as an output of `name` */
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
    const ended = await server.exec(
      line,
      { ...options, ...limit, maxBytes: maxOutputBytes, truncate: true },
      ctx,
    );
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

/** Sudo has to end its child processes, also if the task is already over. */
async function endAll(server: SshConnection, { line, options }: Prepared, ctx: Context): Promise<void> {
  await server
    .exec(line, { ...options, timeoutMs: cleanupMs }, cleanupContext(ctx))
    .catch((error: unknown) => {
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

/** Of its standard error. */
const shownOfError = 200;

/** A command that has run, but not to a good end. */
export function notDone(
  { text, script }: Unit,
  { exit_status, signal, error, output }: CommandResult,
): PluginError {
  const what = script ? "The script" : "The command";
  const end =
    signal === undefined
      ? `ended with exit status ${exit_status ?? "unknown"}`
      : `was ended by the signal ${signal}`;
  // A terminal has both in one stream.
  const said = lastLine(error) || lastLine(output);
  return new PluginError("CommandError", `${what} ${end}${said === "" ? "" : `: ${said}`}`, {
    command: text,
  });
}

function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1)?.trim().slice(0, shownOfError) ?? "";
}

/** Further attempts could lock the account, so nothing else runs. */
export function wrongPassword(command: string): PluginError {
  return new PluginError("AuthenticationFailed", "sudo rejected the password (driver_args.sudo_password)", {
    command,
    outcome: "none",
  });
}

function streamsOf(partial: unknown): { stdout?: string; stderr?: string } {
  return typeof partial === "object" && partial !== null && !Array.isArray(partial) ? { ...partial } : {};
}
