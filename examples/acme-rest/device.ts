/**
 * A test double of a device for the driver acme-rest: keeps its configuration, records requests, delays answers on
 * demand.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

export interface AcmeDevice {
  readonly port: number;
  /** `PATCH /restconf/config` and so on, in order, without logins. */
  readonly requests: string[];
  readonly config: string[];
  /** Called with each request; the response waits for it. */
  hold: (request: string) => Promise<void> | void;
  close(): void;
}

export async function startDevice(token: string): Promise<AcmeDevice> {
  const device = {
    requests: [] as string[],
    config: [] as string[],
    hold: (_: string): Promise<void> | void => {},
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    const [path = ""] = (request.url ?? "").split("?");
    if (request.headers.authorization !== `Bearer ${token}`)
      return reply(response, 401, { error: "wrong token" });
    if (path === "/restconf/login") return reply(response, 200, {});
    const named = `${request.method} ${path}`;
    device.requests.push(named);
    await device.hold(named);
    if (body.includes("refuse")) return reply(response, 400, { error: `line refused: ${body}` });
    if (request.method === "PUT") device.config.length = 0;
    if (request.method === "PUT" || request.method === "PATCH")
      device.config.push(...body.split("\n").filter(Boolean));
    if (path === "/restconf/data/config") return reply(response, 200, { lines: device.config });
    if (path === "/restconf/data/absent") return reply(response, 404, { error: "no such path" });
    reply(response, 200, { path, token: path.endsWith("/echo") ? token : undefined });
  }

  const server = createServer(
    (request, response) => void answer(request, response).catch(() => response.destroy()),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return Object.assign(device, {
    port: typeof address === "object" && address !== null ? address.port : 0,
    close() {
      server.close();
      server.closeAllConnections();
    },
  });
}

function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}
