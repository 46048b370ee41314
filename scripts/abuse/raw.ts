/**
 * Raw connections for what client libraries do not do: send half a request, never read, connect from another
 * address.
 */
import { connect, type Socket } from "node:net";

export interface RawOptions {
  readonly port: number;
  /** Source address, on the loopback network. */
  readonly from?: string;
  /** Whether to read the response; if not, the connection's window fills up. */
  readonly read?: boolean;
}

export interface Raw {
  readonly socket: Socket;
  closed(): boolean;
  /** The data read so far. */
  text(): string;
  end(): void;
}

export function openRaw(head: string, { port, from, read = false }: RawOptions): Raw {
  const socket = connect({ port, host: "127.0.0.1", ...(from === undefined ? {} : { localAddress: from }) });
  let closed = false;
  let text = "";
  if (read) socket.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")));
  else socket.pause();
  // The service is expected to reset these connections.
  socket.on("error", () => {});
  socket.on("close", () => {
    closed = true;
  });
  socket.on("connect", () => socket.write(head));
  return {
    socket,
    closed: () => closed,
    text: () => text,
    end: () => void socket.destroy(),
  };
}

export function head(method: string, path: string, headers: Record<string, string>): string {
  const lines = Object.entries({ Host: "127.0.0.1", ...headers }).map(([name, value]) => `${name}: ${value}`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`;
}
