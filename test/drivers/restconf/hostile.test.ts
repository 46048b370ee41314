/** Servers that answer with what never ends, what is deep, packed, cut, elsewhere, or not RESTCONF at all. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Opened, openOn } from "./open.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server;
let port: number;
let answer: Answer;
let meta: Answer;
let heard: string[];
const json = { "Content-Type": "application/yang-data+json" };
const absent: Answer = (_, response) => response.writeHead(404).end();

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    response.on("error", () => {});
    const isMeta = request.url === "/.well-known/host-meta";
    if (!isMeta) heard.push(`${request.method} ${request.url}`);
    (isMeta ? meta : answer)(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  port = typeof address === "object" && address !== null ? address.port : 0;
});
beforeEach(() => {
  meta = absent;
  heard = [];
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

async function asked(answered: Answer, args: object = {}): Promise<unknown> {
  answer = answered;
  const driver = await openOn(port);
  try {
    return await driver.one("data", { ...args });
  } finally {
    await driver.close();
  }
}
const says =
  (body: string | Buffer, headers: Record<string, string> = json, status = 200): Answer =>
  (_, response) =>
    void response.writeHead(status, headers).end(body);

function endless(_: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, json);
  const piece = `"${"x".repeat(65_534)}"`;
  const more = () => {
    while (!response.destroyed) if (!response.write(piece)) return void response.once("drain", more);
  };
  more();
}

test("an endless answer ends at the bound, also that of the root and of an error", async () => {
  await expect(asked(endless)).rejects.toMatchObject({ kind: "OutputTooLarge" });
  meta = endless;
  await expect(asked(absent)).rejects.toMatchObject({ kind: "OutputTooLarge" });
});

test("deep and wide data are refused before they are parsed", async () => {
  await expect(asked(says("[".repeat(200_000)))).rejects.toMatchObject({
    kind: "OutputTooLarge",
    message: expect.stringContaining("nested deeper"),
  });
  await expect(asked(says(`[${"0,".repeat(2_100_000)}0]`))).rejects.toMatchObject({ kind: "OutputTooLarge" });
  const xml = { "Content-Type": "application/yang-data+xml" };
  await expect(asked(says("<a>".repeat(10_000), xml), { encoding: "xml" })).rejects.toMatchObject({
    kind: "OutputTooLarge",
  });
  const entity = '<!DOCTYPE a [<!ENTITY b "cccc">]><a>&b;</a>';
  await expect(asked(says(entity, xml), { encoding: "xml" })).rejects.toMatchObject({ kind: "DriverError" });
});

test("an answer that is packed is not unpacked", async () => {
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, " "));
  for (const coding of ["gzip", "deflate", "br", "x-unknown"])
    await expect(asked(says(bomb, { ...json, "Content-Encoding": coding })), coding).rejects.toMatchObject({
      kind: "DriverError",
      message: expect.stringContaining("compressed"),
    });
  let wanted: unknown;
  await asked((request, response) => {
    wanted = request.headers["accept-encoding"];
    says("{}")(request, response);
  });
  expect(wanted).toBe("identity");
});

test("an answer of another length than it says is a lost connection", async () => {
  await expect(
    asked((_, response) => {
      response.writeHead(200, { ...json, "Content-Length": "1000" });
      response.write("{}");
      response.socket?.end();
    }),
  ).rejects.toMatchObject({ kind: "ConnectionLost" });
});

test("redirects are followed nowhere, neither by a query, a push nor the root", async () => {
  const elsewhere = says("", { Location: "http://192.0.2.1/restconf/data" }, 302);
  await expect(asked(elsewhere)).rejects.toMatchObject({
    kind: "DriverError",
    message: expect.stringContaining("redirected (302 to http://192.0.2.1/restconf/data)"),
  });
  const driver = await openOn(port);
  await expect(driver.push({}, { diff: false })).rejects.toMatchObject({ detail: { outcome: "none" } });
  await driver.close();
  for (const href of ["http://192.0.2.1/restconf", "//192.0.2.1/x", "javascript:1", "/a?b"]) {
    const link = `<XRD xmlns="http://docs.oasis-open.org/ns/xri/xrd-1.0"><Link rel="restconf" href="${href}"/></XRD>`;
    meta = says(link, { "Content-Type": "application/xrd+xml" });
    await expect(asked(says("{}")), href).rejects.toMatchObject({
      kind: "DriverError",
      message: expect.stringContaining("connection_args.root"),
    });
  }
  // A page for people in its place means nothing.
  meta = says("<html><body>Welcome</body>", { "Content-Type": "text/html" });
  expect(await asked(says("{}"))).toEqual({});
});

test.each([
  ["/restconf/data/a:b", "data/a:b"],
  ["/restconf/data/", undefined],
  ["/restconf/operations/x:y", undefined],
  ["http://192.0.2.1/restconf/data/a:b", "data/a:b"],
])("a new resource that is said to be at %s would be undone at %s", async (location, at) => {
  answer = says("", { Location: location }, 201);
  const driver = await openOn(port);
  const args = { method: "post", diff: false };
  expect((await driver.push({ "a:b": {} }, args)).location).toBe(at);
  await driver.close();
});

test("what is no answer of RESTCONF is told", async () => {
  for (const [body, type, words] of [
    ["<html>", "text/html", "a page of HTML"],
    ["{", "application/yang-data+json", "not JSON"],
    ["<data/>", "application/yang-data+xml", "driver_args.encoding"],
  ] as const)
    await expect(asked(says(body, { "Content-Type": type }))).rejects.toMatchObject({
      kind: "DriverError",
      message: expect.stringContaining(words),
    });
  expect(await asked(says("", {}, 204))).toBeNull();
});

test("errors of any form end as errors, with bounds on what is quoted", async () => {
  const many = {
    "ietf-restconf:errors": {
      error: Array.from({ length: 5_000 }, () => ({ "error-tag": "x".repeat(5_000) })),
    },
  };
  const flood = await asked(says(JSON.stringify(many), json, 400)).catch((error: unknown) => error);
  expect(flood).toMatchObject({ kind: "CommandError" });
  expect(JSON.stringify(flood).length).toBeLessThan(40_000);
  for (const body of ['{"errors":7}', '{"errors":{"error":[null,1]}}', "{", "<x/>", "[".repeat(1_000)])
    await expect(asked(says(body, json, 404)), body.slice(0, 20)).rejects.toMatchObject({
      kind: "CommandError",
    });
  const xml =
    '<errors xmlns="urn:ietf:params:xml:ns:yang:ietf-restconf"><error><error-tag>lock-denied</error-tag><error-path>/a:b</error-path><error-message>\n held by 7\n</error-message></error></errors>';
  await expect(asked(says(xml, { "Content-Type": "application/yang-data+xml" }, 409))).rejects.toMatchObject({
    message: expect.stringContaining("lock-denied: held by 7 (at /a:b)"),
  });
});

test("an edit is sent once, and its outcome is unknown without an answer or after a failure inside", async () => {
  const push = async (answered: Answer): Promise<unknown> => {
    answer = answered;
    const driver: Opened = await openOn(port);
    return driver.push({ "a:b": 1 }, { path: "a:b", diff: false }).finally(() => driver.close());
  };
  await expect(push((_, response) => void response.socket?.destroy())).rejects.toMatchObject({
    kind: "ConnectionLost",
  });
  await expect(
    push(says('{"ietf-restconf:errors":{"error":[{"error-tag":"partial-operation"}]}}', json, 500)),
  ).rejects.toMatchObject({
    kind: "CommandError",
    detail: { outcome: "unknown" },
  });
  await expect(push(says("", {}, 503))).rejects.toMatchObject({ detail: { outcome: "unknown" } });
  expect(heard).toEqual(["PATCH /restconf/data/a:b", "PATCH /restconf/data/a:b", "PATCH /restconf/data/a:b"]);
});

test("a push whose result cannot be read has worked", async () => {
  let reads = 0;
  answer = (request, response) => {
    if (request.method === "GET" && ++reads > 1) return says("<", json)(request, response);
    says(request.method === "GET" ? '{"a:b":1}' : "", json)(request, response);
  };
  const driver = await openOn(port);
  expect(await driver.push({ "a:b": 2 }, { path: "a:b" })).toEqual({ status: 200 });
  expect(driver.warnings.join()).toContain("could not be read");
  await driver.close();
});
