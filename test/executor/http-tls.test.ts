/** `kit.http` over TLS, against a server with a self-signed certificate. */

import { once } from "node:events";
import { createServer, type Server } from "node:https";
import type { TLSSocket } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkUrl } from "../../src/executor/kit/http-address.ts";
import { createHttpKit } from "../../src/executor/kit/http-kit.ts";
import type { TlsOptions } from "../../src/plugin/index.ts";
import { taskContext } from "../plugin/context.ts";
import { type Identity, selfSigned } from "../support/certificates.ts";

let device: Identity;
let client: Identity;
let stranger: Identity;
let server: Server;
let url: string;
/** For each request: the SNI name, and whether the client presented its certificate. */
const names: unknown[] = [];
const authorized: boolean[] = [];

beforeAll(async () => {
  device = await selfSigned("device", "device.test");
  client = await selfSigned("client", "client.test");
  stranger = await selfSigned("stranger", "device.test");
  const options = { ...device, ca: client.cert, requestCert: true, rejectUnauthorized: false };
  server = createServer(options, (request, response) => {
    const socket = request.socket as TLSSocket;
    names.push("servername" in socket ? socket.servername : undefined);
    authorized.push(socket.authorized);
    request.pipe(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  url = `https://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

const find = async () => [{ address: "127.0.0.1", family: 4 }];
const kit = createHttpKit({ check: checkUrl({ policy: { allow: ["127.0.0.1"], deny: [] }, find }) });

const ways: Record<string, (base: string, tls?: TlsOptions) => Promise<string>> = {
  async request(base, tls) {
    const { body } = await kit.request(
      base,
      { method: "POST", body: "hello", ...(tls ? { tls } : {}) },
      taskContext(),
    );
    return body;
  },
  async session(base, tls) {
    const api = await kit.session({ base, ...(tls ? { tls } : {}) }, taskContext());
    try {
      return (await api.post("/", "hello", taskContext())) + (await api.post("/", " again", taskContext()));
    } finally {
      await api.close();
    }
  },
};

describe.each(Object.keys(ways))("a %s", (name) => {
  const ask = (base: string, tls?: TlsOptions) => (ways[name] ?? ways.request)?.(base, tls);
  const named = () => url.replace("127.0.0.1", "device.test");

  test.each<[string, () => Promise<string> | undefined]>([
    ["a certificate that no authority signed", () => ask(named())],
    ["verify: true", () => ask(named(), { verify: true })],
    ["an authority that did not sign the certificate", () => ask(named(), { ca: stranger.cert })],
    ["a certificate for another name", () => ask(url, { ca: device.cert })],
    ["a different expected name", () => ask(named(), { ca: device.cert, serverName: "other.test" })],
  ])("sends nothing in case of %s", async (_case, work) => {
    const before = names.length;
    await expect(work()).rejects.toMatchObject({
      kind: "HostUnreachable",
      message: expect.stringContaining("certificate"),
      detail: { outcome: "none" },
    });
    expect(names).toHaveLength(before);
  });

  test("accepts the given authority, by host name or by given name", async () => {
    expect(await ask(named(), { ca: device.cert })).toMatch(/^hello/);
    expect(await ask(url, { ca: device.cert, serverName: "device.test" })).toMatch(/^hello/);
    expect(names.at(-1)).toBe("device.test");
  });

  test("accepts any certificate if verification is off, for that request only", async () => {
    expect(await ask(url, { verify: false })).toMatch(/^hello/);
    // It applies to that request only.
    await expect(ask(url)).rejects.toMatchObject({ kind: "HostUnreachable" });
  });

  test("sends the client certificate", async () => {
    await ask(named(), { ca: device.cert });
    expect(authorized.at(-1)).toBe(false);
    expect(await ask(named(), { ca: device.cert, ...client })).toMatch(/^hello/);
    expect(authorized.at(-1)).toBe(true);
  });
});
