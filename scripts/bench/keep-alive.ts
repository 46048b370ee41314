/**
 * A client for benches that share the machine with what they measure: requests as bytes over connections that stay,
 * answers read no further than their length. `fetch` takes 150 µs of CPU for each, which is as much as a part of the
 * service itself; this takes 30.
 */
import type { Socket } from "bun";

export interface KeepAlive {
  /** Sends so many requests over all connections, each again when it has its answer. Resolves with the last answer. @throws at an answer that is none of 2xx */
  run(total: number): Promise<void>;
  close(): void;
}

interface Answering {
  text: string;
}

/** @param request the whole of the n-th one, head and body. */
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

/** Length of the answer that a text begins with; undefined: its head is not whole. */
function endOf(text: string): number | undefined {
  const head = text.indexOf("\r\n\r\n");
  if (head < 0) return undefined;
  const length = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, head))?.[1];
  if (length === undefined) throw new Error("an answer without a length");
  return head + 4 + Number(length);
}
