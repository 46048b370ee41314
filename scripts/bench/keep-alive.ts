/**
 * A light HTTP client for benches that share the machine with the service: raw requests over keep-alive
 * connections, responses read only up to their length. `fetch` takes 150 µs of CPU per request, as much as a
 * part of the service; this takes 30.
 */
import type { Socket } from "bun";

export interface KeepAlive {
  /**
   * Sends `total` requests over all connections, each after the previous response. Resolves with the last
   * response. @throws if a response is not 2xx
   */
  run(total: number): Promise<void>;
  close(): void;
}

interface Answering {
  text: string;
}

/** @param request the complete nth request, head and body. */
export async function keepAlive(
  url: string,
  connections: number,
  request: (n: number) => string,
): Promise<KeepAlive> {
  const { hostname, port } = new URL(url);
  let total = 0;
  let sent = 0;
  let answered = 0;
  let all = Promise.withResolvers<void>();

  function send(socket: Socket<Answering>): void {
    if (sent < total) socket.write(request(sent++));
  }

  function took(socket: Socket<Answering>, chunk: Buffer): void {
    const { data } = socket;
    data.text += chunk.toString("latin1");
    const end = endOf(data.text);
    if (end === undefined || data.text.length < end) return;
    if (!data.text.startsWith("HTTP/1.1 2")) all.reject(new Error(data.text.slice(0, 1_000)));
    data.text = data.text.slice(end);
    if (++answered === total) all.resolve();
    else send(socket);
  }

  const sockets = await Promise.all(
    Array.from({ length: connections }, () =>
      Bun.connect<Answering>({
        hostname,
        port: Number(port),
        data: { text: "" },
        socket: { data: took, error: (_, error) => all.reject(error) },
      }),
    ),
  );
  return {
    run(count) {
      all = Promise.withResolvers<void>();
      total += count;
      for (const socket of sockets) send(socket);
      return all.promise;
    },
    close() {
      for (const socket of sockets) socket.end();
    },
  };
}

/** Length of the response at the start of the text; undefined if its head is incomplete. */
function endOf(text: string): number | undefined {
  const head = text.indexOf("\r\n\r\n");
  if (head < 0) return undefined;
  const length = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, head))?.[1];
  if (length === undefined) throw new Error("an answer without a length");
  return head + 4 + Number(length);
}
