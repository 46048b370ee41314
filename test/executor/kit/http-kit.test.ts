import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { urlReachOf } from "../../../src/auth/reach.ts";
import { ServiceError } from "../../../src/base/errors.ts";
import { checkDevice, checkUrl } from "../../../src/executor/kit/http-address.ts";
import { createHttpKit } from "../../../src/executor/kit/http-kit.ts";
import type { HttpRequest } from "../../../src/plugin/index.ts";
import { taskContext } from "../../plugin/context.ts";
import { ruleOf } from "../dial-rule.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
}

const get: HttpRequest = { method: "GET", headers: {}, timeoutMs: 30_000, redirects: 3, maxBytes: 1_000 };
const checkLoopback = checkUrl({ policy: { allow: ["127.0.0.1"], deny: [] } });
const checkGuarded = checkUrl({ policy: { allow: [], deny: [] } });
const loopback = createHttpKit({ check: checkLoopback }).request;
const guarded = createHttpKit({ check: checkGuarded }).request;

describe("a guarded request", () => {
  test("returns status, headers and body, and sends the given ones", async () => {
    const url = await listen((request, response) => {
      let body = "";
      request.on("data", (chunk) => (body += chunk));
      request.on("end", () =>
        response.setHeader("x-a", "b").end(`${request.method} ${request.headers["x-c"]} ${body}`),
      );
    });
    const answer = await loopback(
      url,
      { ...get, method: "POST", headers: { "X-C": "d" }, body: "höhe" },
      taskContext(),
    );
    expect(answer).toMatchObject({ status: 200, body: "POST d höhe", headers: { "x-a": "b" } });
  });

  test.each([
    "http://127.0.0.1:PORT/",
    "http://localhost:PORT/",
    "http://2130706433:PORT/",
    "http://0177.0.0.1:PORT/",
    "http://[::ffff:127.0.0.1]:PORT/",
    "http://0.0.0.0:PORT/",
  ])("sends no byte to %s", async (url) => {
    let packets = 0;
    const port = new URL(await listen((_, response) => void response.end(String(packets++)))).port;
    await expect(guarded(url.replace("PORT", port), get, taskContext())).rejects.toMatchObject({
      kind: "Forbidden",
    });
    expect(packets).toBe(0);
  });

  test.each(["file:///etc/passwd", "ftp://127.0.0.1/x", "data:text/plain,x", "unix:/run/x"])(
    "refuses %s",
    async (url) => {
      await expect(loopback(url, get, taskContext())).rejects.toMatchObject({ kind: "Forbidden" });
    },
  );

  test("checks every redirect and drops credentials for another host", async () => {
    const seen: (string | undefined)[] = [];
    const other = await listen((request, response) => {
      seen.push(request.headers.authorization);
      response.end("there");
    });
    const first = await listen((_, response) => response.writeHead(302, { Location: other }).end());
    const headers = { Authorization: "Basic abc" };
    expect((await loopback(first, { ...get, headers }, taskContext())).body).toBe("there");
    expect(seen).toEqual([undefined]);

    const leads = await listen((_, response) =>
      response.writeHead(302, { Location: "http://169.254.169.254/" }).end(),
    );
    await expect(loopback(leads, get, taskContext())).rejects.toMatchObject({ kind: "Forbidden" });
    const file = await listen((_, response) =>
      response.writeHead(302, { Location: "file:///etc/passwd" }).end(),
    );
    await expect(loopback(file, get, taskContext())).rejects.toMatchObject({ kind: "Forbidden" });
  });

  test.each(["http://[", "http://a b/", "//[::1"])("refuses a redirect to the invalid URL %s", async (to) => {
    const leads = await listen((_, response) => response.writeHead(302, { Location: to }).end());
    await expect(loopback(leads, get, taskContext())).rejects.toMatchObject({ kind: "BadRequest" });
  });

  test("stops at too many redirects, and returns a 3xx if none are allowed", async () => {
    const circle: string = await listen((_, response) => response.writeHead(302, { Location: "/" }).end());
    await expect(loopback(circle, get, taskContext())).rejects.toThrow("redirects more than 3 times");
    expect((await loopback(circle, { ...get, redirects: 0 }, taskContext())).status).toBe(302);
  });

  test("fails at the size limit and at the timeout", async () => {
    const big = await listen((_, response) => void response.end("x".repeat(5_000)));
    await expect(loopback(big, get, taskContext())).rejects.toMatchObject({ kind: "OutputTooLarge" });
    const silent = await listen(() => {});
    await expect(loopback(silent, { ...get, timeoutMs: 50 }, taskContext())).rejects.toMatchObject({
      kind: "ReadTimeout",
    });
  });
});

describe("an HTTP session", () => {
  const { session } = createHttpKit({ check: checkLoopback });

  test("keeps its connection, headers and base path", async () => {
    let connections = 0;
    const seen: string[] = [];
    const url = await listen((request, response) => {
      seen.push(`${request.method} ${request.url} ${request.headers["x-token"]}`);
      response.end(JSON.stringify({ at: seen.length }));
    });
    servers[0]?.on("connection", () => connections++);
    const api = await session({ base: `${url}/rest/`, headers: { "X-Token": "t" } }, taskContext());
    expect(await api.getJson("/a", { depth: 1, none: undefined }, taskContext())).toEqual({ at: 1 });
    expect(await api.patch("b", { c: 1 }, taskContext())).toBe('{"at":2}');
    await api.delete("//other.test/d", taskContext());
    await api.close();
    expect(seen).toEqual(["GET /rest/a?depth=1 t", "PATCH /rest/b t", "DELETE /rest/other.test/d t"]);
    expect(connections).toBe(1);
  });

  test.each([
    [401, "AuthenticationFailed"],
    [404, "CommandError"],
    [500, "DriverError"],
  ])("reports status %i as %s, with the device's message", async (status, kind) => {
    const url = await listen((_, response) => response.writeHead(status).end("no such thing"));
    const api = await session({ base: url }, taskContext());
    await expect(api.put("/x", "text", taskContext())).rejects.toMatchObject({
      kind,
      detail: { command: "PUT /x", status, output: "no such thing" },
    });
    expect((await api.request("GET", "/x", {}, taskContext())).status).toBe(status);
  });

  test("streams both bodies", async () => {
    const url = await listen((request, response) => void request.pipe(response));
    const api = await session({ base: url, maxBytes: 1_000_000 }, taskContext());
    async function* parts() {
      for (let part = 0; part < 5; part++) yield Buffer.from(`part ${part};`);
    }
    const answer = await api.stream("POST", "/echo", { body: parts() }, taskContext());
    const chunks: Uint8Array[] = [];
    for await (const chunk of answer.body) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe("part 0;part 1;part 2;part 3;part 4;");
    await api.close();
  });

  test('reports outcome "none" only if nothing was sent', async () => {
    const nowhere = await session({ base: "http://127.0.0.1:1" }, taskContext());
    await expect(nowhere.patch("/x", "", taskContext())).rejects.toMatchObject({
      kind: "ConnectionRefused",
      detail: { outcome: "none" },
    });
    const url = await listen((request) => request.socket.destroy());
    const lost = await (await session({ base: url }, taskContext()))
      .patch("/x", "a", taskContext())
      .catch((error) => error);
    expect(lost).toMatchObject({ kind: "ConnectionLost" });
    expect(lost.detail?.outcome).toBeUndefined();
  });

  test("sends nothing without a lease, or to a host other than the device's", async () => {
    const url = await listen((_, response) => response.end("here"));
    const rule = { limited: false, addresses() {}, stated() {}, keepsHostKey: () => true };
    const ofDevice = createHttpKit({ check: checkDevice("127.0.0.1", rule, checkGuarded) });
    expect((await ofDevice.request(url, {}, taskContext())).body).toBe("here");
    await expect(
      ofDevice.request(url.replace("127.0.0.1", "127.0.0.2"), {}, taskContext()),
    ).rejects.toMatchObject({
      kind: "Forbidden",
      detail: { outcome: "none" },
    });
    const leaseEnded = () => {
      throw new ServiceError("WorkerLost", "the lease has ended");
    };
    const fenced = createHttpKit({ check: checkLoopback, checkLease: leaseEnded });
    await expect(fenced.request(url, {}, taskContext())).rejects.toMatchObject({ kind: "WorkerLost" });
  });

  test("sends nothing to a device out of reach of the caller's key", async () => {
    const { port } = new URL(await listen((_, response) => void response.end("here")));
    const rule = ruleOf(["127.0.0.1", "127.0.0.5"]);
    const ask = (host: string, ...addresses: string[]) => {
      const find = async () => addresses.map((address) => ({ address, family: 4 }));
      const check = checkDevice(host, rule, checkGuarded, find);
      return createHttpKit({ check }).request(`http://${host}:${port}/`, {}, taskContext());
    };
    expect((await ask("r1.corp", "127.0.0.1")).body).toBe("here");
    for (const addresses of [["127.0.0.2"], ["127.0.0.1", "127.0.0.2"], ["127.0.0.2", "127.0.0.1"]])
      await expect(ask("r1.corp", ...addresses)).rejects.toMatchObject({ kind: "Forbidden" });
  });
});

describe("a host name with several addresses", () => {
  test.each([
    ["the first is refused", ["127.0.0.1", "10.66.0.1"]],
    ["a later one is refused", ["10.66.0.1", "127.0.0.1"]],
  ])("is refused if %s", async (_name, addresses) => {
    const find = async () => addresses.map((address) => ({ address, family: 4 }));
    const { request } = createHttpKit({ check: checkUrl({ policy: { allow: [], deny: [] }, find }) });
    const outcome = request("http://two.example/", get, taskContext());
    await expect(outcome).rejects.toMatchObject({
      kind: "Forbidden",
      message: expect.stringContaining("two.example"),
    });
  });

  test("is resolved once, and the checked address is dialled", async () => {
    const port = new URL(await listen((_, response) => void response.end("here"))).port;
    let lookups = 0;
    const find = async () => [{ address: lookups++ === 0 ? "127.0.0.1" : "192.0.2.1", family: 4 }];
    const { request } = createHttpKit({
      check: checkUrl({ policy: { allow: ["127.0.0.1"], deny: [] }, find }),
    });
    expect((await request(`http://rebinds.example:${port}/`, get, taskContext())).body).toBe("here");
    expect(lookups).toBe(1);
  });
});

describe("the reach of the caller's key", () => {
  const limited = (...hosts: string[]) =>
    createHttpKit({
      check: checkUrl({
        policy: { allow: ["127.0.0.0/8"], deny: [] },
        reach: () => urlReachOf(hosts, ["127.0.0.0/8"]),
        find: async (name) => [{ address: name === "in.example" ? "127.0.0.1" : name, family: 4 }],
      }),
    }).request;

  test("applies to each host and address on the way", async () => {
    const targetUrl = await listen((_, response) => void response.end("there"));
    const { port } = new URL(targetUrl);
    for (const host of ["127.0.0.1", "in.example"])
      expect((await limited("127.0.0.1")(`http://${host}:${port}/`, get, taskContext())).body).toBe("there");
    for (const host of ["127.0.0.1", "in.example"])
      await expect(limited("127.0.0.2")(`http://${host}:${port}/`, get, taskContext())).rejects.toMatchObject(
        {
          kind: "Forbidden",
        },
      );
    const leads = await listen((_, response) =>
      response.writeHead(302, { Location: `http://127.0.0.3:${port}/` }).end(),
    );
    await expect(limited("127.0.0.1")(leads, get, taskContext())).rejects.toMatchObject({
      kind: "Forbidden",
    });
  });
});

test("user and password of a URL appear in no error", async () => {
  const circle = new URL(await listen((_, response) => response.writeHead(302, { Location: "/" }).end()));
  const url = `http://canary-user:canary-pass@${circle.host}/path?token=canary-token`;
  const error = await loopback(url, get, taskContext()).catch((reason) => reason);
  expect(error.message).toBe(`http://${circle.host}/path?… redirects more than 3 times.`);
});
