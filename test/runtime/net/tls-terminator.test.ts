/** TLS termination in the service: attempts to exceed the number of connections, over the wire. */
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { afterAll, expect, test } from "vitest";
import { serve } from "../../../src/runtime/net/serve.ts";
import { tempFolder } from "../../../src/testkit/service.ts";
import { makeCertificates } from "../../support/certificates.ts";

const folder = await makeCertificates("service", "client", "other");
const pem = (name: string) => ({
  cert: readFileSync(join(folder, `${name}.crt`), "utf8"),
  key: readFileSync(join(folder, `${name}.key`), "utf8"),
});
const here = "127.0.0.1";
/** Another address of the same machine. */
const otherAddress = "127.0.0.2";
const limits = { inAll: 6, perAddress: 4 };
const waiting: (() => void)[] = [];
const refused: string[] = [];
const server = await serve({
  listen: { hostname: "127.0.0.1", port: 0 },
  tls: { ...pem("service"), clientCa: pem("client").cert },
  maxBodyBytes: 1_000,
  privateFolder: tempFolder(),
  connections: limits,
  onFull: (from) => void refused.push(from),
  async fetch(request, _from, { extendTimeout }) {
    extendTimeout();
    if (request.url.endsWith("/wait")) await new Promise<void>((resolve) => waiting.push(resolve));
    return new Response("answered");
  },
});
const port = Number(new URL(server.url).port);
const opened: Socket[] = [];
afterAll(async () => {
  for (const socket of opened) socket.destroy();
  for (const go of waiting) go();
  await server.stop(0);
});

/**
 * An idle connection. @returns once the server has accepted it (in TLS 1.2 it sends the last message) or
 * closed it
 */
async function open(localAddress: string, name = "client", to = port): Promise<TLSSocket> {
  const shown = { ...pem(name), rejectUnauthorized: false, maxVersion: "TLSv1.2" } as const;
  const socket = connectTls({ host: here, port: to, localAddress, ...shown });
  opened.push(socket);
  socket.on("error", () => {});
  socket.resume();
  await new Promise((resolve) => socket.once("secureConnect", resolve).once("close", resolve));
  return socket;
}

function ask(socket: TLSSocket, path: string): Promise<string> {
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  return new Promise((resolve) => {
    socket.once("data", (bytes) => resolve(String(bytes))).once("close", () => resolve("cut"));
  });
}

const isOpen = (socket: Socket) => !socket.destroyed && !socket.readableEnded;
const count = (sockets: readonly Socket[]) => sockets.filter(isOpen).length;

test("unfinished TLS handshakes are limited and do not lock out others", async () => {
  const silent: Socket[] = [];
  for (let n = 0; n < 20; n++) {
    const socket = connect(port, here);
    opened.push(socket);
    silent.push(socket);
    socket.on("error", () => {});
    socket.resume();
    await once(socket, "connect");
  }
  await expect.poll(() => count(silent)).toBe(limits.perAddress);
  for (const from of [here, otherAddress]) {
    const honest = await open(from);
    expect(await ask(honest, "/")).toContain("answered");
    honest.destroy();
  }
  for (const socket of silent) socket.destroy();
});

test("idle connections give way to new ones, those of the same address first", async () => {
  const idle: TLSSocket[] = [];
  for (let n = 0; n < 12; n++) idle.push(await open(here));
  await expect.poll(() => count(idle)).toBe(limits.perAddress);
  for (const from of [here, otherAddress]) expect(await ask(await open(from), "/")).toContain("answered");
  for (const socket of idle) socket.destroy();
});

test("connections that await a response are kept, and rejected ones are logged", async () => {
  const responses: Promise<string>[] = [];
  for (let n = 0; n < limits.perAddress; n++) {
    responses.push(ask(await open(here), "/wait"));
    await expect.poll(() => waiting.length).toBe(n + 1);
  }
  const further = await open(here);
  await expect.poll(() => isOpen(further)).toBe(false);
  expect(refused).toEqual([here]);
  expect(await ask(await open(otherAddress), "/")).toContain("answered");
  for (const go of waiting.splice(0)) go();
  for (const answer of await Promise.all(responses)) expect(answer).toContain("answered");
  expect(await ask(await open(here), "/")).toContain("answered");
});

test("stopping ends open handshakes, and leftovers of a killed service are removed at start", async () => {
  const own = tempFolder();
  mkdirSync(join(own, "front-of-one-that-was-killed"));
  writeFileSync(join(own, "key.pem"), "");
  const plain = { listen: { hostname: here, port: 0 }, maxBodyBytes: 1_000, privateFolder: own };
  const other = await serve({ ...plain, fetch: () => new Response("") });
  expect(readdirSync(own)).toEqual(["key.pem"]);
  await other.stop(0);

  const asking = await serve({
    ...plain,
    tls: { ...pem("service"), clientCa: pem("client").cert },
    fetch: () => new Response(""),
  });
  const silent = connect(Number(new URL(asking.url).port), here);
  silent.on("error", () => {});
  silent.resume();
  await once(silent, "connect");
  const closed = once(silent, "close");
  await asking.stop(0);
  await closed;
  expect(readdirSync(own)).toEqual(["key.pem"]);
});

test("when a CA leaves the file, open connections with its certificates end, once they are answered", async () => {
  const held: (() => void)[] = [];
  const trusted = (...names: string[]) => ({
    ...pem("service"),
    clientCa: names.map((name) => pem(name).cert).join("\n"),
  });
  const asking = await serve({
    listen: { hostname: here, port: 0 },
    tls: trusted("client", "other"),
    maxBodyBytes: 1_000,
    privateFolder: tempFolder(),
    async fetch(request, _from, { extendTimeout }) {
      extendTimeout();
      if (request.url.endsWith("/wait")) await new Promise<void>((resolve) => held.push(resolve));
      return new Response("answered");
    },
  });
  const to = Number(new URL(asking.url).port);
  const [idle, busy, stays] = [
    await open(here, "client", to),
    await open(here, "client", to),
    await open(here, "other", to),
  ];
  for (const socket of [idle, stays]) expect(await ask(socket, "/")).toContain("answered");
  const answer = ask(busy, "/wait");
  await expect.poll(() => held.length).toBe(1);

  asking.renew(trusted("other"));
  expect(await ask(idle, "/")).toBe("cut");
  for (const go of held) go();
  expect(await answer).toContain("answered");
  expect(await ask(busy, "/")).toBe("cut");
  expect(await ask(stays, "/")).toContain("answered");
  expect(await ask(await open(here, "other", to), "/")).toContain("answered");
  await asking.stop(0);
});
