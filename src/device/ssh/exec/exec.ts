/** Runs one command: reads both streams concurrently, within a size and time limit, and reports how it ended. */

import { StringDecoder } from "node:string_decoder";
import { ServiceError } from "../../../base/errors.ts";
import { maskSecrets } from "../../../base/secrets/secret.ts";
import { abortReason, createDeadline, onAbort, type TimeLimit } from "../../../base/time/deadline.ts";
import type { ExecOptions, ExecResult } from "../../../plugin/kit/ssh.ts";
import { connectionLost } from "../login/target.ts";
import { askSession } from "../sessions.ts";
import type { ClientChannel } from "../ssh2.ts";
import type { Transport } from "../transport.ts";
import { createCollector } from "./collect.ts";
import { createExecInput } from "./exec-input.ts";
import { createPromptTail, type PromptTail } from "./prompt-tail.ts";
import { askedOf, type PreparedCommand, prepareCommand } from "./shell-text.ts";

const defaultMaxBytes = 8 * 1024 * 1024;

/** Exit status that a shell reports for a command killed by a signal. */
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
  limit: TimeLimit,
  onOutput?: (text: string) => void,
): Promise<ExecResult> {
  const { timeoutMs, maxBytes = defaultMaxBytes, answer, truncate = false } = options;
  const stdout = createCollector(maxBytes, truncate);
  const stderr = createCollector(maxBytes, truncate);
  const partial = () => ({
    command,
    outcome: "unknown" as const,
    sent: [command],
    partial: { stdout: stdout.text(), stderr: stderr.text() },
  });
  const prepared = prepareCommand(command, options);
  const mayBeSent = !limit.signal.aborted && !transport.ended.aborted;
  const channel = await openCommand(transport, prepared.line, options, limit).catch((error: unknown) => {
    // The connection was lost during the request: the server may have started the command.
    const isRefused = !(error instanceof ServiceError) || error.kind === "DriverError";
    throw isRefused || !mayBeSent ? error : withDetail(error, partial());
  });
  const clock =
    timeoutMs === undefined
      ? undefined
      : createDeadline(
          timeoutMs,
          () => {
            const message = `The command did not end within ${timeoutMs / 1000} seconds`;
            return new ServiceError("ReadTimeout", message, partial());
          },
          transport.heldMs,
        );
  const stops: (() => void)[] = [];
  try {
    return await new Promise<ExecResult>((resolve, reject) => {
      const fail = (error: ServiceError) => {
        reject(withDetail(error, partial()));
        abandon(channel, options);
      };
      for (const signal of [limit.signal, clock?.signal]) if (signal) stops.push(onAbort(signal, fail));
      const input = createExecInput(channel, { ...options, ...prepared });
      const live = onOutput && createLive(onOutput, options, prepared);
      const listen = (source: NodeJS.ReadableStream, collector: typeof stdout, name: "stdout" | "stderr") => {
        const tell = live?.();
        source.on("end", () => tell?.end());
        source.on("data", (chunk: Buffer) => {
          tell?.came(chunk);
          if (collector.add(chunk)) input.came(collector, name);
          else fail(new ServiceError("OutputTooLarge", `The output is larger than ${maxBytes} bytes`));
        });
      };
      listen(channel, stdout, "stdout");
      listen(channel.stderr, stderr, "stderr");
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
          stdout: clean(stdout.text(options.encoding)),
          stderr: clean(stderr.text()),
          exitStatus: status ?? statusOf(signal),
          ...(status === null ? { signal: signal ?? "unknown" } : {}),
          ...(stdout.truncated() || stderr.truncated() ? { truncated: true } : {}),
          ...(answer ? { answers: input.answers() } : {}),
        });
      });
      input.begin();
    });
  } finally {
    clock?.dispose();
    for (const stop of stops) stop();
  }
}

/** A channel with the running command; the caller reads, writes and closes it. */
export function openCommand(
  transport: Transport,
  command: string,
  options: Pick<ExecOptions, "pty" | "environment">,
  limit: TimeLimit,
): Promise<ClientChannel> {
  const pty = options.pty ? { cols: 511, rows: 1000, term: "dumb", width: 0, height: 0 } : undefined;
  const sshOptions = { ...(pty ? { pty } : {}), env: askedOf(options) };
  return askSession<ClientChannel>(
    transport,
    limit,
    "run the command",
    (done) => transport.client.exec(command, sshOptions, done),
    (late) => late.close(),
  );
}

/** Adds this command's details to errors of the task (its deadline, a cancel). */
function withDetail(error: ServiceError, detail: object): ServiceError {
  return new ServiceError(error.kind, error.message, { ...detail, ...error.detail }, { cause: error });
}

/** Signals the server before closing the channel: closing alone leaves a command without a terminal running. */
function abandon(channel: ClientChannel, { unsignalled }: ExecOptions): void {
  if (unsignalled !== true) sendSignal(channel, "KILL");
  channel.close();
}

const statusOf = (signal: string | undefined) => killedStatus + (signalNumbers[signal ?? ""] ?? 0);

type Ended = (status: number | null | undefined, signal: string | undefined) => void;

/**
 * The channel may close before the last of stderr was read. `close` repeats the arguments of `exit`, which may arrive
 * in one packet with the channel itself, before anyone listens.
 */
function whenBothEnded(channel: ClientChannel, listener: Ended): void {
  let open = 2;
  let exit: Parameters<Ended> = [undefined, undefined];
  const streamEnded = () => {
    if (--open === 0) listener(...exit);
  };
  channel.once("close", (status?: number | null, signal?: string) => {
    exit = [status, signal];
    streamEnded();
  });
  channel.stderr.once("close", streamEnded);
}

/** Sends signals to a command even after its input has ended. ssh2 refuses that; SSH allows it until the channel closes. */
function sendSignal(channel: ClientChannel, name: "KILL"): void {
  const outgoing = member(channel, "outgoing");
  const state = member(outgoing, "state");
  // A server that no longer knows a closed channel ends the whole connection at a message for it.
  if (state !== "open" && state !== "eof") return;
  if (channel.writable) {
    channel.signal(name);
    return;
  }
  // Does what ssh2's own method does, without its check of the input.
  const protocol = member(member(channel, "_client"), "_protocol");
  const id = member(outgoing, "id");
  const signal = member(protocol, "signal");
  if (typeof id !== "number" || typeof signal !== "function") return;
  Reflect.apply(signal, protocol, [id, name]);
}

const asObject = (value: unknown): object => (typeof value === "object" && value !== null ? value : {});
const member = (value: unknown, name: string): unknown => Reflect.get(asObject(value), name);

// Streams a command's output as it arrives, without the initial dialogue between command and caller.

/** How much is kept of the text before the mark, since the mark may be split between chunks. */
const maxMarkLength = 256;

interface LiveStream {
  came(chunk: Buffer): void;
  /** Shows what was held back. */
  end(): void;
}

/** @returns a factory of listeners, one per stream; the mark in one stream opens both */
function createLive(
  onOutput: (text: string) => void,
  { answer }: Pick<ExecOptions, "answer">,
  { steps, ready }: Pick<PreparedCommand, "steps" | "ready">,
): () => LiveStream {
  const mark = ready ?? steps.findLast((step) => step.mark !== undefined)?.mark;
  let isOpen = mark === undefined;
  const show = (text: string) => {
    if (text !== "") onOutput(text);
  };
  return () => {
    const decoder = new StringDecoder("utf8");
    const outside = mark === undefined && answer !== undefined ? withoutDialogue(answer) : undefined;
    let before = "";
    return {
      came(chunk) {
        const text = decoder.write(chunk);
        if (isOpen) return show(outside === undefined ? text : outside.push(text));
        const unread = before + text;
        const match = mark?.exec(unread);
        before = unread.slice(-maxMarkLength);
        if (!match) return;
        isOpen = true;
        show(unread.slice(match.index + match[0].length));
      },
      end: () => show(outside?.end() ?? ""),
    };
  };
}

/** A line without an end may be the beginning of the prompt. */
function withoutDialogue({ prompt, tail: pattern }: NonNullable<ExecOptions["answer"]>) {
  let held = "";
  let asked = false;
  let tail: PromptTail | undefined;
  const behind = (text: string): string => {
    const rest = tail === undefined ? text : tail.push(text);
    if (rest !== undefined) tail = undefined;
    return rest ?? "";
  };
  return {
    push(text: string): string {
      if (asked) return behind(text);
      held += text;
      const match = prompt.exec(held);
      if (match) {
        asked = true;
        if (pattern !== undefined) tail = createPromptTail(pattern);
        return held.slice(0, match.index) + behind(held.slice(match.index + match[0].length));
      }
      const line = held.lastIndexOf("\n") + 1;
      const keep = held.length - line > maxMarkLength ? held.length - maxMarkLength : line;
      const shown = held.slice(0, keep);
      held = held.slice(keep);
      return shown;
    },
    end: () => (asked ? (tail?.end() ?? "") : held),
  };
}
