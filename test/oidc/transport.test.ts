/** Requests to a provider do not depend on connections that were used before. */
import { once } from "node:events";
import { createServer } from "node:https";
import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { createTransport } from "../../src/oidc/transport.ts";
import { freePort } from "../../src/testkit/port.ts";
import { selfSigned } from "../support/certificates.ts";

test("the exchange of a code is not lost with a connection that the provider closes for being idle", async () => {
  const identity = await selfSigned();
  const used = new Set<Socket>();
  const server = createServer({ cert: identity.cert, key: identity.key }, ({ socket }, response) => {
    // It was about to close it, and had not read the request yet.
    if (used.has(socket)) return void socket.destroy();
    used.add(socket);
    response.end("{}");
  });
  const port = await freePort();
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const url = `https://127.0.0.1:${port}/token`;
  const { fetch } = createTransport({ who: "The provider", ca: () => identity.cert }, 1_000);
  for (const method of ["GET", "POST", "POST", "GET"])
    expect((await fetch(url, { method, ...(method === "POST" ? { body: "code=x" } : {}) })).status).toBe(200);
  server.close();
});
