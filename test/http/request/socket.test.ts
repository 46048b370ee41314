/** Over real sockets: requests that a `Request` object cannot represent, and connection behaviour. */
import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, expect, test } from "vitest";
import type { HttpOptions } from "../../../src/http/port.ts";

import { type HttpServer, serve } from "../../../src/runtime/net/serve.ts";
import { createApp, jobRecord, keys, ticket, type Work } from "../doubles/fixtures.ts";
import { statistics } from "../doubles/records.ts";

const servers: HttpServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop(0)));
});

async function start(jobs: Partial<Work> = {}, options: Partial<HttpOptions> = {}) {
  const { app, lines } = createApp(jobs, options);
  const server = await serve({
    listen: { port: 0 },
    maxBodyBytes: Number.MAX_SAFE_INTEGER,
    fetch: (request, from, limit) => app.fetch(request, { from, ...limit }),
  });
  servers.push(server);
  const port = Number(new URL(server.url).port);

  /** Writes raw bytes; returns the data received until the response is complete or the connection has ended. */
  async function raw(text: string): Promise<string> {
    const socket = connect(port, "127.0.0.1");
    let got = "";
    const whole = Promise.withResolvers<void>();
    socket.on("data", (chunk) => {
      got += chunk.toString("latin1");
      const end = got.indexOf("\r\n\r\n");
      const length = Number(/content-length: (\d+)/i.exec(got)?.[1] ?? Number.NaN);
      if (end >= 0 && (got.length >= end + 4 + length || /^HTTP\S+ 405/.test(got))) whole.resolve();
    });
    socket.on("close", () => whole.resolve());
    socket.on("error", () => whole.resolve());
    socket.write(text);
    await whole.promise;
    socket.destroy();
    return got;
  }
  return { raw, lines, port, url: server.url };
}

const withKey = `X-API-KEY: ${keys.admin}\r\n`;
const json = "Content-Type: application/json\r\n";
const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
const bodyOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf("\r\n\r\n") + 4));

test.each([
  ["//health", 404],
  ["/health/", 404],
  ["/health;x", 404],
  ["/%68ealth", 404],
  ["/health%00", 404],
  ["/health%2f", 404],
  ["/health%", 404],
  ["/health%5c", 404],
  ["/.//health", 404],
  ["/device/..%2fhealth", 404],
  ["/device/%2e/execute", 405],
  ["/HEALTH", 404],
])("GET %s: 403 without a key, %i with one", async (path, status) => {
  const { raw } = await start();
  const without = await raw(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
  expect(statusOf(without)).toBe(403);
  expect(bodyOf(without).code).toBe(-1);
  const answer = await raw(`GET ${path} HTTP/1.1\r\nHost: a\r\n${withKey}\r\n`);
  expect(statusOf(answer)).toBe(status);
  expect(bodyOf(answer).code).toBe(-1);
});

test.each([
  ["no Host, HTTP/1.0", "HTTP/1.0", ""],
  ["a Host that is not a name", "HTTP/1.1", "Host: ][\r\n"],
  ["a Host with blanks and slashes", "HTTP/1.1", "Host: a b/c?d\r\n"],
  ["a Host with another path", "HTTP/1.1", "Host: a/livez?\r\n"],
  ["a Host with a user", "HTTP/1.1", "Host: u:p@b\r\n"],
  ["an empty Host", "HTTP/1.1", "Host: \r\n"],
])("%s: does not bypass the key or show a page of the runtime", async (_name, version, host) => {
  const { raw, lines } = await start();
  for (const [key, expected] of [
    ["", [403, 400]],
    [withKey, [200, 400, 404]],
  ] as const) {
    const answer = await raw(`GET /health ${version}\r\n${host}${key}\r\n`);
    expect(expected).toContain(statusOf(answer));
    expect(answer).not.toMatch(/<html|at fetch|TypeError/i);
  }
  expect(lines.filter((line) => line.level === "error")).toEqual([]);
});

test("an absolute request target is routed by its path", async () => {
  const { raw } = await start();
  const at = (key: string) => raw(`GET http://evil.example/health HTTP/1.1\r\nHost: a\r\n${key}\r\n`);
  expect(statusOf(await at(""))).toBe(403);
  expect(statusOf(await at(withKey))).toBe(200);
});

test.each(["HEAD", "OPTIONS", "TRACE", "PUT", "PATCH"])(
  "%s is 405 with Allow and headers",
  async (method) => {
    const { raw } = await start();
    const answer = await raw(`${method} /job HTTP/1.1\r\nHost: a\r\n${withKey}\r\n`);
    expect(statusOf(answer)).toBe(405);
    expect(answer).toMatch(/^allow: GET, DELETE\r$/im);
    expect(answer).toMatch(/^x-content-type-options: nosniff\r$/im);
    expect(statusOf(await raw(`${method} /job HTTP/1.1\r\nHost: a\r\n\r\n`))).toBe(403);
  },
);

test("rejects a body over the limit with the envelope, by its length and while it arrives", async () => {
  const { raw } = await start({}, { maxBodyBytes: 1_000 });
  const head = `POST /device/execute HTTP/1.1\r\nHost: a\r\n${withKey}${json}`;
  const stated = await raw(`${head}Content-Length: 50000000\r\n\r\n${"x".repeat(5_000)}`);
  const piece = `${(1_500).toString(16)}\r\n${"x".repeat(1_500)}\r\n`;
  for (const answer of [stated, await raw(`${head}Transfer-Encoding: chunked\r\n\r\n${piece}`)]) {
    expect(statusOf(answer)).toBe(413);
    expect(bodyOf(answer)).toMatchObject({ code: -1, message: "The body is larger than 1000 bytes." });
    expect(answer).toMatch(/^connection: close\r$/im);
  }
});

test("rejects a body of 20 MB with the envelope", async () => {
  const { url } = await start({}, { maxBodyBytes: 16 * 1024 * 1024 });
  const answer = await fetch(`${url}/device/execute`, {
    method: "POST",
    headers: { "x-api-key": keys.operate, "content-type": "application/json" },
    body: JSON.stringify({ pad: "x".repeat(20 * 1024 * 1024) }),
  });
  expect([answer.status, await answer.json()]).toEqual([
    413,
    expect.objectContaining({ code: -1, message: "The body is larger than 16777216 bytes." }),
  ]);
});

test("accepts a chunked body within the limit", async () => {
  const { raw } = await start();
  const answer = await raw(
    `POST /device/execute HTTP/1.1\r\nHost: a\r\n${withKey}${json}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n`,
  );
  expect(statusOf(answer)).toBe(201);
});

test("cancels the work of a disconnected caller without logging an error", async () => {
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const { port, lines } = await start({
    render: (_body, _engine, _caller, signal) =>
      new Promise((_resolve, reject) => {
        begun.resolve();
        signal.addEventListener("abort", () => {
          reject(signal.reason);
          ended.resolve();
        });
      }),
  });
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  socket.write(`POST /template/render HTTP/1.1\r\nHost: a\r\n${withKey}${json}Content-Length: 2\r\n\r\n{}`);
  await begun.promise;
  socket.destroy();
  await ended.promise;
  await expect.poll(() => lines.map((line) => [line.level, line.fields.status])).toEqual([["info", 499]]);
});

test("does not log an error for a caller that sends half a body and leaves", async () => {
  const { port, lines } = await start();
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  socket.write(
    `POST /device/execute HTTP/1.1\r\nHost: a\r\n${withKey}${json}Content-Length: 20\r\n\r\n{"a":`,
  );
  setTimeout(() => socket.destroy(), 50);
  await expect.poll(() => lines.map((line) => [line.level, line.fields.status])).toEqual([["info", 499]]);
});

test("closes the connection if a list fails midway, so that a part is never taken for the whole", async () => {
  const { url } = await start({
    list: async function* () {
      yield [jobRecord(2)];
      yield [jobRecord(1)];
      throw new Error("store gone");
    },
  });
  const reading = fetch(`${url}/job`, { headers: { "x-api-key": keys.read } }).then((answer) =>
    answer.text(),
  );
  await expect(reading).rejects.toThrow();
});

test("stops a list when its reader leaves", async () => {
  const ended = Promise.withResolvers<void>();
  const record = jobRecord(1);
  const big = { ...record, host: "x".repeat(100_000) };
  const { url } = await start({
    list: async function* () {
      try {
        for (;;) yield [big];
      } finally {
        ended.resolve();
      }
    },
  });
  const leaving = new AbortController();
  const answer = await fetch(`${url}/job`, {
    headers: { "x-api-key": keys.read },
    signal: leaving.signal,
  });
  await answer.body?.getReader().read();
  leaving.abort();
  await ended.promise;
});

test("a slow response outlives the idle timeout of the connection", async () => {
  const { url } = await start({
    waitFor: async (_id, forMs) => {
      await new Promise((resolve) => setTimeout(resolve, forMs));
      return jobRecord(1);
    },
  });
  const answer = await fetch(`${url}/device/execute`, {
    method: "POST",
    headers: { "x-api-key": keys.operate, "content-type": "application/json", prefer: "wait=13" },
    body: "{}",
  });
  expect(answer.status).toBe(201);
});

test("every request that has arrived is answered, however slow the store is; half a request is not waited for", async () => {
  const slow = async () => void (await new Promise((resolve) => setTimeout(resolve, 15_000)));
  const { port, raw } = await start({
    submit: () => slow().then(() => ticket),
    statistics: () => slow().then(() => statistics),
  });
  const head = `Host: a\r\n${withKey}Connection: keep-alive\r\n`;
  const closes = async (text: string) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    socket.resume();
    socket.write(text);
    await once(socket, "close");
    return true;
  };
  const results = await Promise.all([
    raw(`GET /statistics HTTP/1.1\r\n${head}\r\n`).then(statusOf),
    raw(`POST /device/execute HTTP/1.1\r\n${head}${json}Content-Length: 2\r\n\r\n{}`).then(statusOf),
    closes(`GET /statistics HTTP/1.1\r\n${head}`),
    closes(`POST /device/execute HTTP/1.1\r\n${head}${json}Content-Length: 20\r\n\r\n{"a":`),
    // A request before it does not exempt the connection.
    closes(`GET /health HTTP/1.1\r\n${head}\r\n`),
  ]);
  expect(results).toEqual([200, 201, true, true, true]);
});
