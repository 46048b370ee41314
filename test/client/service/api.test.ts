/** API calls of the client: waiting, messages, and where the key is sent. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { afterEach, expect, test } from "vitest";
import { secret } from "../../../src/base/secrets/secret.ts";
import { anything, text } from "../../../src/client/service/answers.ts";
import { createApi } from "../../../src/client/service/api.ts";
import { listen, readEvents } from "../../../src/client/service/events.ts";
import { freePort } from "../../../src/testkit/port.ts";

type Answer = (request: Request) => Response;
const servers: { stop(force: boolean): unknown }[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.stop(true))));

function serving(port: number, ...answers: [Answer, ...Answer[]]): void {
  let at = 0;
  const fetch = (request: Request) => (answers[Math.min(at++, answers.length - 1)] ?? answers[0])(request);
  servers.push(Bun.serve({ hostname: "127.0.0.1", port, fetch }));
}
const good = (data: unknown) => () => Response.json({ code: 200, message: "success", data });
const refused =
  (status: number, message: string, data: unknown = null, headers = {}) =>
  () =>
    Response.json({ code: -1, message, data }, { status, headers });

function apiAt(port: number, notes: string[] = []) {
  return createApi({
    server: { url: `http://127.0.0.1:${port}`, key: secret("pb_key"), insecure: false },
    waitMs: 120_000,
    onWaiting: (why) => void notes.push(why),
    onBack: () => void notes.push("back"),
  });
}

test("a call waits for an unreachable service only if asked to", async () => {
  const port = await freePort();
  const notes: string[] = [];
  const api = apiAt(port, notes);
  await expect(api.call("/health", anything)).rejects.toMatchObject({ kind: "Unavailable" });
  const called = api.call("/health", text, { patient: true });
  await expect.poll(() => notes.length).toBe(1);
  serving(port, refused(503, "shutting down", null, { "Retry-After": "0" }), good("ok"));
  expect(await called).toBe("ok");
  expect(notes).toEqual([expect.stringContaining("cannot be reached"), "back"]);
});

test("nothing is submitted on a connection that the service closes for being idle", async () => {
  const port = await freePort();
  const used = new Set<Socket>();
  const server = createServer(({ socket }, response) => {
    // It was about to close it, and had not read the request yet.
    if (used.has(socket)) return void socket.destroy();
    used.add(socket);
    response.end(JSON.stringify({ code: 200, message: "success", data: "ok" }));
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  servers.push({ stop: () => server.close() });
  const api = apiAt(port);
  expect(await api.call("/health", text)).toBe("ok");
  for (const method of ["POST", "PUT", "DELETE", "GET"] as const)
    expect(await api.call("/change", text, { method, ...(method === "GET" ? {} : { body: {} }) })).toBe("ok");
});

test("the API key is not sent along a redirect", async () => {
  const port = await freePort();
  const seen: (string | null)[] = [];
  serving(port, (request) => {
    seen.push(`${new URL(request.url).pathname} ${request.headers.get("X-API-KEY")}`);
    return new Response(null, { status: 307, headers: { Location: "/elsewhere" } });
  });
  await expect(apiAt(port).call("/health", anything)).rejects.toThrow("redirects elsewhere");
  expect(seen).toEqual(["/health pb_key"]);
});

test.each([
  [refused(422, "Validation Error", [{ path: "driver", message: "is required" }]), "driver: is required"],
  [refused(403, "The API key is missing or not valid."), "missing or not valid"],
  [() => new Response("<html>", { status: 200 }), "could not be read"],
  [() => Response.json({ other: true }), "not one of Patchbay"],
  [() => new Response("<html>", { status: 404 }), "not one of Patchbay"],
  [good(7), "not one of Patchbay"],
])("an error response becomes a readable message (%#)", async (answer, message) => {
  const port = await freePort();
  serving(port, answer);
  await expect(apiAt(port).call("/x", text)).rejects.toThrow(message);
});

test("server-sent events are parsed for any chunk boundaries", async () => {
  const bytes = new TextEncoder().encode(
    ': alive\n\nid: 1\nevent: state\ndata: {"é":1}\n\nid: 2\r\ndata: a\r\ndata: b\r\n\r\nevent: none\n\n',
  );
  for (const size of [1, 2, 7, bytes.length]) {
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.slice(at * size, (at + 1) * size),
    );
    const events = await Array.fromAsync(readEvents(Readable.from(pieces)));
    expect(events).toEqual([
      { id: "1", event: "state", data: '{"é":1}' },
      { id: "2", event: "message", data: "a\nb" },
    ]);
  }
});

test("an interrupted event stream resumes after its last event", async () => {
  const port = await freePort();
  const lastEventIds: (string | null)[] = [];
  const stream = (body: string) => (request: Request) => {
    lastEventIds.push(request.headers.get("Last-Event-ID"));
    return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
  };
  serving(
    port,
    stream("id: 7\nevent: state\ndata: 1\n\nid: 8\nevent: state\nda"),
    stream("id: 8\nevent: state\ndata: 2\n\nevent: end\ndata: {}\n\n"),
  );
  const heard: unknown[] = [];
  await listen(apiAt(port), "/e", new AbortController().signal, (event, data) => heard.push([event, data]));
  expect(lastEventIds).toEqual([null, "7"]);
  expect(heard).toEqual([
    ["state", 1],
    ["state", 2],
    ["end", {}],
  ]);
});
