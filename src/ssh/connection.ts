/** A connection that is logged in, and all that can be done on it. */
import type { Duplex } from "node:stream";
import type { Wire } from "../base/byte-stream.ts";
import { pause } from "../base/deadline.ts";
import type { Endpoint } from "../base/dial.ts";
import { openForward, openShell, openSubsystem, type TerminalSize } from "./channels.ts";
import { type ExecOptions, type ExecResult, exec } from "./exec.ts";
import type { AcceptedHostKey } from "./hostkey.ts";
import type { LoggedIn } from "./login.ts";
import { watchSilence } from "./silence.ts";
import type { ClientChannel } from "./ssh2.ts";
import { connectionLost, type Scope, type SshTarget } from "./target.ts";
import { download, upload } from "./transfer.ts";
import type { TransferOptions, TransferResult } from "./transfer-options.ts";
import type { Transport } from "./transport.ts";

export interface SshConnection {
  readonly endpoint: Endpoint;
  readonly hostKey: AcceptedHostKey;
  /** The server's first line, such as `SSH-2.0-Cisco-1.25`. */
  readonly software: string;
  readonly strictKex: boolean;
  shell(size: TerminalSize, scope: Scope): Promise<Wire>;
  subsystem(name: string, scope: Scope): Promise<Wire>;
  /** A channel to a port that the server reaches. */
  channelTo(to: Endpoint, scope: Scope): Promise<Wire>;
  exec(command: string, options: ExecOptions, scope: Scope): Promise<ExecResult>;
  upload(options: TransferOptions, scope: Scope): Promise<TransferResult>;
  download(options: TransferOptions, scope: Scope): Promise<TransferResult>;
  /** A stream to another host, for a connection through this one. */
  forward(to: Endpoint): Promise<Duplex>;
  alive(): boolean;
  /** Called once when the connection ends without being closed; at once when it already has. */
  onLost(listener: () => void): void;
  /** Says goodbye, then closes this connection and its jump hosts; never rejects. */
  close(): Promise<void>;
  /** Closes at once. */
  destroy(): void;
}

/** How long a server may take to answer our goodbye. */
const goodbyeMs = 500;

export function createConnection(
  session: LoggedIn,
  stream: Duplex,
  target: SshTarget,
  hop: SshConnection | undefined,
): SshConnection {
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
  // The server may have gone between the login and this line.
  if (stream.destroyed) finish();

  if (target.keepaliveMs) {
    const onSilent = () => {
      cause = new Error("nothing came, though a sign of life was asked for");
      client.destroy();
      stream.destroy();
    };
    void watchSilence({
      intervalMs: target.keepaliveMs,
      heard: session.heard,
      ended: ended.signal,
      onSilent,
    });
  }
  const transport: Transport = { client, endpoint, ended: ended.signal };
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
    software,
    strictKex,
    shell: (size, scope) => openShell(transport, size, scope),
    subsystem: (name, scope) => openSubsystem(transport, name, scope),
    channelTo: (to, scope) => openForward(transport, to, scope),
    exec: (command, options, scope) => exec(transport, command, options, scope),
    upload: (options, scope) => upload(transport, options, scope),
    download: (options, scope) => download(transport, options, scope),
    forward: (to) =>
      new Promise<ClientChannel>((resolve, reject) => {
        client.forwardOut("127.0.0.1", 0, to.host, to.port, (error, channel) =>
          error ? reject(error) : resolve(channel),
        );
      }),
    alive: () => !ended.signal.aborted,
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
  };
}
