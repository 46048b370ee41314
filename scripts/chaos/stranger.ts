/** A third-party HTTP driver, loaded from a plugin folder and not aware of crashes, with its device. */
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { Socket } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { pause } from "../../src/base/time/deadline.ts";
import type { Sighting } from "./sighting.ts";

export const strangerToken = "chaos-device-token-1";

/** Declares nothing about what it sends and what may be retried: the host must keep the promises on its own. */
const driver = `
import { defineDriver, secret, v } from "patchbay/plugin";
export default defineDriver({
  name: "stranger",
  connection: v.object({ host: v.string(), port: v.number(), token: secret(v.string()) }),
  query: v.object({}), configure: v.object({}), strategy: "fifo", commands: "names",
  target: ({ host, port }) => ({ host, port }),
  async open({ connection: { host, port, token }, http }, ctx) {
    const headers = { Authorization: "Bearer " + token.reveal() };
    const api = await http.session({ base: "http://" + host + ":" + port, headers }, ctx);
    await api.get("/login", undefined, ctx);
    return {
      query: (name, _args, ctx) => api.getJson("/data", { name }, ctx),
      configure: (lines, _args, ctx) => api.post("/config", lines.join("\\n"), ctx),
      close: () => api.close(),
    };
  },
});
`;

/** @returns the plugin folder. */
export function writeStranger(folder: string): string {
  const plugins = join(folder, "plugins");
  mkdirSync(plugins);
  writeFileSync(join(plugins, "stranger.ts"), driver);
  return plugins;
}

export interface StrangerDevice {
  readonly port: number;
  /** One entry for each requested name and each configuration line, once the request is complete. */
  readonly sightings: readonly Sighting[];
  logins(): number;
  stop(): Promise<void>;
}

export async function startStrangerDevice(host: string, latencyMs: number): Promise<StrangerDevice> {
  const sightings: Sighting[] = [];
  /** By connection: a session keeps one, the next session uses another. */
  const sessions = new WeakMap<Socket, number>();
  let connections = 0;
  let logins = 0;
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => undefined);
    // The node was killed while sending: the device ignores incomplete requests.
    if (body === undefined || !request.complete) return;
    const { pathname, searchParams } = new URL(request.url ?? "", "http://device");
    if (request.headers.authorization !== `Bearer ${strangerToken}`)
      return void response.writeHead(401).end();
    if (pathname === "/login") logins++;
    const lines = pathname === "/config" ? body.split("\n") : searchParams.getAll("name");
    const session = sessions.get(request.socket) ?? 0;
    for (const line of lines) sightings.push({ host, line, at: Date.now(), session });
    await pause(latencyMs);
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify({ lines }));
  });
  server.on("connection", (socket) => sessions.set(socket, ++connections));
  server.listen(0, host);
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the device has no port");
  return {
    port: address.port,
    sightings,
    logins: () => logins,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
