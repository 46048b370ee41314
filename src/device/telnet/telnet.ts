/** Telnet over a socket as a ByteStream. Its login questions are plain text and handled by the terminal layer. */
import type { Socket } from "node:net";
import type { ServiceError } from "../../base/errors.ts";
import type { ByteStream } from "../../base/net/byte-stream.ts";
import { type DialRule, dial, type Endpoint, networkError } from "../../base/net/dial.ts";
import { applyBackPressure, heldMs, holdReading } from "../../base/share/back-pressure.ts";
import { onAbort, pause } from "../../base/time/deadline.ts";
import { createTelnetProtocol, type TerminalInfo } from "./protocol.ts";

export interface TelnetTarget extends Endpoint, TerminalInfo {
  readonly connectTimeoutMs: number;
}

/** How long a device may take to answer our close. */
const goodbyeMs = 500;
/** A connection may be silent for a day; TCP keepalives detect a dead peer. */
const keepAliveMs = 60_000;

/** @throws ServiceError ConnectionTimeout, ConnectionRefused, HostUnreachable, ConnectionLost */
export async function openTelnet(
  target: TelnetTarget,
  limit: { readonly signal: AbortSignal },
  rule?: DialRule,
): Promise<ByteStream> {
  const socket = await dial(target, target.connectTimeoutMs, limit.signal, rule);
  socket.setKeepAlive(true, keepAliveMs);
  return streamOf(socket, target);
}

function streamOf(socket: Socket, target: TelnetTarget): ByteStream {
  const protocol = createTelnetProtocol(target);
  const closed = new AbortController();
  let kept: Uint8Array[] = [];
  let listener: ((chunk: Uint8Array) => void) | undefined;
  let error: ServiceError | undefined;
  let isOurs = false;

  const settle = () => {
    if (!closed.signal.aborted) closed.abort();
  };
  socket.on("data", (chunk: Buffer) => {
    applyBackPressure(socket);
    const { text, answer } = protocol.receive(chunk);
    if (answer.length > 0) socket.write(answer);
    if (text.length === 0) return;
    if (listener) {
      listener(text);
      return;
    }
    // Negotiation is answered at once, but the text waits for a reader. The socket is paused so that the text cannot
    // pile up.
    kept.push(text);
    socket.pause();
  });
  socket.on("error", (cause) => {
    if (!isOurs) error = networkError(cause, target);
  });
  socket.on("close", settle);
  if (socket.destroyed) settle();

  return {
    write(data) {
      if (closed.signal.aborted) return;
      const bytes = typeof data === "string" ? Buffer.from(data) : data;
      socket.write(protocol.encode(bytes));
    },
    onData(dataListener) {
      listener = dataListener;
      for (const chunk of kept) dataListener(chunk);
      kept = [];
      socket.resume();
    },
    onClose(closeListener) {
      onAbort(closed.signal, () => closeListener(error));
    },
    async end() {
      if (closed.signal.aborted) return;
      isOurs = true;
      socket.end();
      // Unread text would delay the peer's close.
      socket.resume();
      if (!closed.signal.aborted) await pause(goodbyeMs, closed.signal);
      socket.destroy();
      settle();
    },
    destroy() {
      isOurs = true;
      listener = () => {};
      socket.destroy();
      settle();
    },
    hold: () => holdReading(socket),
    heldMs: () => heldMs(socket),
  };
}
