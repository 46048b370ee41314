/** An HTTP server that accepts, rejects or never answers webhook requests. */
import { once } from "node:events";
import { createServer } from "node:http";
import { until } from "./case.ts";

export interface Received {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface Receiver {
  readonly url: string;
  readonly received: readonly Received[];
  /** Resolves when this many requests have arrived. */
  got(count: number): Promise<void>;
  close(): void;
}

/** @param status status of the response; "hangs": never responds */
export async function startReceiver(status: number | "hangs"): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
    if (status !== "hangs") response.writeHead(status).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/hook`,
    received,
    got: (count) => until(() => received.length >= count),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
