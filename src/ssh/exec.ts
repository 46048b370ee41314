/** Runs one command: reads both streams at once, within a size and a time, and tells how it ended. */
import { abortReason, createDeadline, onAbort, type TimeLimit } from "../base/deadline.ts";
import { ServiceError } from "../base/errors.ts";
import { maskSecrets } from "../base/secret.ts";
import type { ExecOptions, ExecResult } from "../plugin/ssh.ts";
import { createCollector } from "./collect.ts";
import { withEnvironment } from "./quote.ts";
import type { ClientChannel } from "./ssh2.ts";
import { connectionLost } from "./target.ts";
import { ask, type Transport } from "./transport.ts";

const defaultMaxBytes = 8 * 1024 * 1024;

/** A shell's own status for a command that a signal ended. */
const killedStatus = 128;
const signalNumbers: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGABRT: 6,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGPIPE: 13,
  SIGTERM: 15,
};

export async function exec(
  transport: Transport,
  command: string,
  options: ExecOptions,
  scope: TimeLimit,
): Promise<ExecResult> {
  const { timeoutMs, maxBytes = defaultMaxBytes, answer } = options;
  const stdout = createCollector(maxBytes);
  const stderr = createCollector(maxBytes);
  const partial = () => ({
    command,
    outcome: "unknown" as const,
    sent: [command],
    partial: { stdout: stdout.text(), stderr: stderr.text() },
  });
  const line = withEnvironment(command, options.environment);
  const mayBeSent = !scope.signal.aborted && !transport.ended.aborted;
  const channel = await openCommand(transport, line, options, scope).catch((error: unknown) => {
    // Lost while it was asked for: the far side may have begun it.
    const isRefused = !(error instanceof ServiceError) || error.kind === "DriverError";
    throw isRefused || !mayBeSent ? error : withDetail(error, partial());
  });
  const clock =
    timeoutMs === undefined
      ? undefined
      : createDeadline(timeoutMs, () => {
          const message = `The command did not end within ${timeoutMs / 1000} seconds`;
          return new ServiceError("ReadTimeout", message, partial());
        });
  const stops: (() => void)[] = [];
  try {
    return await new Promise<ExecResult>((resolve, reject) => {
      const fail = (error: ServiceError) => {
        reject(withDetail(error, partial()));
        abandon(channel);
      };
      for (const signal of [scope.signal, clock?.signal]) if (signal) stops.push(onAbort(signal, fail));
      const reader = answer && answerOnce(channel, answer, options.pty ?? false);
      const listen = (source: NodeJS.ReadableStream, collector: typeof stdout) =>
        source.on("data", (chunk: Buffer) => {
          if (collector.add(chunk)) reader?.(collector);
          else fail(new ServiceError("OutputTooLarge", `The output is larger than ${maxBytes} bytes`));
        });
      listen(channel, stdout);
      listen(channel.stderr, stderr);
      channel.on("error", (error: Error) => fail(connectionLost(transport.endpoint, error)));
      whenBothEnded(channel, (status, signal) => {
        if (status === undefined) {
          const lost = transport.ended.aborted
            ? abortReason(transport.ended)
            : connectionLost(transport.endpoint);
          return fail(lost);
        }
        const clean = (text: string) => (answer ? maskSecrets(text, [answer.reply]) : text);
        resolve({
          stdout: clean(stdout.text()),
          stderr: clean(stderr.text()),
          exitStatus: status ?? statusOf(signal),
          ...(status === null ? { signal: signal ?? "unknown" } : {}),
        });
      });
      if (answer === undefined && !options.pty) channel.end();
    });
  } finally {
    clock?.dispose();
    for (const stop of stops) stop();
  }
}

/** A channel with the command running on it; the caller reads, writes and closes it. */
export function openCommand(
  transport: Transport,
  command: string,
  options: { readonly pty?: boolean },
  scope: TimeLimit,
): Promise<ClientChannel> {
  const pty = options.pty ? { cols: 511, rows: 1000, term: "dumb", width: 0, height: 0 } : undefined;
  return ask<ClientChannel>(
    transport,
    scope,
    "run the command",
    (done) => transport.client.exec(command, pty ? { pty } : {}, done),
    (late) => late.close(),
  );
}

/** Errors of the task (its deadline, a cancel) get what this command adds to them. */
function withDetail(error: ServiceError, detail: object): ServiceError {
  return new ServiceError(error.kind, error.message, { ...detail, ...error.detail }, { cause: error });
}

/** The far side is told before the channel goes: closing alone leaves a command without a terminal running. */
function abandon(channel: ClientChannel): void {
  channel.signal("KILL");
  channel.close();
}

const statusOf = (signal: string | undefined) => killedStatus + (signalNumbers[signal ?? ""] ?? 0);

type Ended = (status: number | null | undefined, signal: string | undefined) => void;

/**
 * The channel's close may come before the last of its error stream was read. It repeats what the event `exit` has told:
 * that one may come in one packet with the channel itself, before anyone listens.
 */
function whenBothEnded(channel: ClientChannel, listener: Ended): void {
  let open = 2;
  let told: Parameters<Ended> = [undefined, undefined];
  const one = () => {
    if (--open === 0) listener(...told);
  };
  channel.once("close", (status?: number | null, signal?: string) => {
    told = [status, signal];
    one();
  });
  channel.stderr.once("close", one);
}

/** Replies when the prompt stands in one of the streams; a prompt that comes again gets the end of input instead. */
function answerOnce(
  channel: ClientChannel,
  { prompt, reply }: NonNullable<ExecOptions["answer"]>,
  isTerminal: boolean,
) {
  let answered = false;
  return (collector: ReturnType<typeof createCollector>) => {
    // With its echo off, a terminal shows the RETURN of the answer as an empty line.
    if (!collector.cut(prompt, isTerminal)) return;
    if (!answered) channel.write(`${reply.reveal()}\n`);
    // A wrong password asked for again would be counted against the account at each try.
    if (answered && isTerminal) channel.write("\x04");
    if (!isTerminal || answered) channel.end();
    answered = true;
  };
}
