/** An authenticated connection and its operations. */
import type { Duplex } from "node:stream";
import { ServiceError } from "../../base/errors.ts";
import type { ByteStream } from "../../base/net/byte-stream.ts";
import type { Endpoint } from "../../base/net/dial.ts";
import { heldMs, holdReading } from "../../base/share/back-pressure.ts";
import { createDeadline, pause, type TimeLimit } from "../../base/time/deadline.ts";
import type {
  ExecOptions,
  ExecResult,
  SshConnection,
  SshTarget,
  SshTerminal,
  TransferResult,
} from "../../plugin/kit/ssh.ts";
import { openForward, openShell, openSubsystem } from "./channels.ts";
import { exec } from "./exec/exec.ts";
import type { LoggedIn } from "./login/login.ts";
import { connectionLost } from "./login/target.ts";
import { createSessionCount } from "./session-count.ts";
import type { Client, ClientChannel } from "./ssh2.ts";
import type { FileTransfer } from "./transfer/file-transfer.ts";
import { download, upload } from "./transfer/transfer.ts";
import { ask, type Transport } from "./transport.ts";

/** A connection as the host sees it: the drivers' interface plus the parts needed for terminals and jump hosts. */
export interface Connection extends SshConnection {
  readonly endpoint: Endpoint;
  /** The server's identification line, such as `SSH-2.0-Cisco-1.25`. */
  readonly software: string;
  readonly strictKex: boolean;
  shell(size: SshTerminal, limit: TimeLimit): Promise<ByteStream>;
  subsystem(name: string, limit: TimeLimit): Promise<ByteStream>;
  forward(to: Endpoint, limit: TimeLimit): Promise<ByteStream>;
  /** @param onOutput receives both streams as they arrive */
  exec(
    command: string,
    options: ExecOptions,
    limit: TimeLimit,
    onOutput?: (text: string) => void,
  ): Promise<ExecResult>;
  upload(transfer: FileTransfer, limit: TimeLimit): Promise<TransferResult>;
  download(transfer: FileTransfer, limit: TimeLimit): Promise<TransferResult>;
  answers(withinMs: number, limit: TimeLimit): Promise<boolean>;
  /** A stream to another host, for a connection through this one. */
  tunnel(to: Endpoint): Promise<Duplex>;
  /** Closes at once. */
  destroy(): void;
  /** Stops reading from the server until the returned function is called. */
  hold(): () => void;
}

/** How long a server may take to answer our close. */
const goodbyeMs = 500;

export function createConnection(
  session: LoggedIn,
  stream: Duplex,
  target: SshTarget,
  hop: Connection | undefined,
): Connection {
  const endpoint: Endpoint = { host: target.host, port: target.port };
  const { client, hostKey, software, strictKex } = session;
  const ended = new AbortController();
  const lostListeners: (() => void)[] = [];
  let isClosing = false;
  let cause: unknown;

  const finish = () => {
    if (ended.signal.aborted) return;
    ended.abort(connectionLost(endpoint, cause));
    if (isClosing) return;
    hop?.destroy();
    for (const listener of lostListeners) listener();
  };
  client.on("error", (error) => {
    cause = error;
  });
  client.once("close", finish);
  // The server may have closed between the login and this line.
  if (stream.destroyed) finish();

  if (target.keepaliveMs) {
    const onSilent = () => {
      cause = new Error("it did not respond to keepalives");
      client.destroy();
      stream.destroy();
    };
    void watchSilence({
      intervalMs: target.keepaliveMs,
      // It cannot be heard while it is held.
      heard: () => session.heard() + heldMs(stream),
      ended: ended.signal,
      onSilent,
    });
  }
  const transport: Transport = {
    client,
    endpoint,
    ended: ended.signal,
    sessions: createSessionCount(),
    heldMs: () => heldMs(stream),
  };
  const destroy = () => {
    isClosing = true;
    client.destroy();
    stream.destroy();
    finish();
    hop?.destroy();
  };
  return {
    endpoint,
    hostKey,
    algorithms: session.algorithms,
    software,
    strictKex,
    shell: (size, limit) => openShell(transport, size, limit),
    subsystem: (name, limit) => openSubsystem(transport, name, limit),
    forward: (to, limit) => openForward(transport, to, limit),
    exec: (command, options, limit, onOutput) => exec(transport, command, options, limit, onOutput),
    upload: (options, limit) => upload(transport, options, limit),
    download: (options, limit) => download(transport, options, limit),
    tunnel: (to) =>
      new Promise<ClientChannel>((resolve, reject) => {
        client.forwardOut("127.0.0.1", 0, to.host, to.port, (error, channel) =>
          error ? reject(error) : resolve(channel),
        );
      }),
    alive: () => !ended.signal.aborted,
    answers: (withinMs, limit) => answers(transport, withinMs, limit),
    onLost(listener) {
      if (!ended.signal.aborted) lostListeners.push(listener);
      else if (!isClosing) listener();
    },
    async close() {
      if (!ended.signal.aborted) {
        isClosing = true;
        client.end();
        if (!ended.signal.aborted) await pause(goodbyeMs, ended.signal);
      }
      await hop?.close();
      destroy();
    },
    destroy,
    hold: () => holdReading(stream),
  };
}

/** Detects a dead peer: one that sends nothing at all although keepalives are sent. */
interface Silence {
  /** Keepalive interval of ssh2. */
  readonly intervalMs: number;
  /** Grows with each byte received, and while the server is not read. */
  heard(): number;
  readonly ended: AbortSignal;
  onSilent(): void;
}

/** Number of keepalives that may stay unanswered. */
const unanswered = 3;

/**
 * ssh2 counts only replies to its keepalives: an old device that replies `unimplemented`, or is busy with a long
 * output, would be disconnected while it sends. Here every byte counts.
 */
async function watchSilence({ intervalMs, heard, ended, onSilent }: Silence): Promise<void> {
  let last = heard();
  for (let silent = 0; silent <= unanswered; ) {
    if (ended.aborted) return;
    await pause(intervalMs, ended);
    const now = heard();
    silent = now === last ? silent + 1 : 0;
    last = now;
  }
  if (!ended.aborted) onSilent();
}

// Liveness check: a request without effect that needs no session.

/** Non-public parts of ssh2: its keepalive, and the callbacks waiting for replies, in request order. */
interface Pinging {
  readonly _protocol: { ping(): void };
  readonly _callbacks: ((failed: boolean | Error) => void)[];
}

/** Any reply counts, including "unknown request". Returns false if none arrives in time. */
async function answers(transport: Transport, withinMs: number, limit: TimeLimit): Promise<boolean> {
  const late = createDeadline(Math.min(withinMs, limit.remaining()), () =>
    connectionLost(transport.endpoint),
  );
  try {
    await ask<void>(transport, { signal: late.signal, remaining: late.remaining }, "answer", (done) => {
      const client = transport.client as Client & Pinging;
      client._callbacks.push((failed) => done(failed instanceof Error ? failed : undefined, undefined));
      client._protocol.ping();
    });
    return true;
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  } finally {
    late.dispose();
  }
}
