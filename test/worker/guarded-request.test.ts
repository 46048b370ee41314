import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { urlReachOf } from "../../src/auth/reach.ts";
import { createDeadline } from "../../src/base/deadline.ts";
import { ServiceError } from "../../src/base/errors.ts";
import { silentLog } from "../../src/base/log.ts";
import type { Context, GuardedRequest } from "../../src/plugin/index.ts";
import { createGuardedRequest } from "../../src/worker/guarded-request.ts";

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

function context(): Context {
  const deadline = createDeadline(10_000, () => new ServiceError("JobTimeout", "late"));
  return { signal: deadline.signal, remaining: deadline.remaining, log: silentLog, announce() {}, warn() {} };
}

const get: GuardedRequest = { method: "GET", headers: {}, timeoutMs: 30_000, redirects: 3, maxBytes: 1_000 };
const loopback = createGuardedRequest({ allow: ["127.0.0.1"], deny: [] });
const guarded = createGuardedRequest({ allow: [], deny: [] });

describe("a guarded request", () => {
  test("gives status, headers and body, and sends what it was told to", async () => {
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
      context(),
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
    await expect(guarded(url.replace("PORT", port), get, context())).rejects.toMatchObject({
      kind: "Forbidden",
    });
    expect(packets).toBe(0);
  });

  test.each(["file:///etc/passwd", "ftp://127.0.0.1/x", "data:text/plain,x", "unix:/run/x"])(
    "refuses %s",
    async (url) => {
      await expect(loopback(url, get, context())).rejects.toMatchObject({ kind: "Forbidden" });
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
    expect((await loopback(first, { ...get, headers }, context())).body).toBe("there");
    expect(seen).toEqual([undefined]);

    const leads = await listen((_, response) =>
      response.writeHead(302, { Location: "http://169.254.169.254/" }).end(),
    );
    await expect(loopback(leads, get, context())).rejects.toMatchObject({ kind: "Forbidden" });
    const file = await listen((_, response) =>
      response.writeHead(302, { Location: "file:///etc/passwd" }).end(),
    );
    await expect(loopback(file, get, context())).rejects.toMatchObject({ kind: "Forbidden" });
  });

  test("ends a circle of redirects, and gives a 3xx as it is when none are followed", async () => {
    const circle: string = await listen((_, response) => response.writeHead(302, { Location: "/" }).end());
    await expect(loopback(circle, get, context())).rejects.toThrow("redirects more than 3 times");
    expect((await loopback(circle, { ...get, redirects: 0 }, context())).status).toBe(302);
  });

  test("stops at the size limit and at the time limit", async () => {
    const big = await listen((_, response) => void response.end("x".repeat(5_000)));
    await expect(loopback(big, get, context())).rejects.toMatchObject({ kind: "OutputTooLarge" });
    const silent = await listen(() => {});
    await expect(loopback(silent, { ...get, timeoutMs: 50 }, context())).rejects.toMatchObject({
      kind: "ConnectionTimeout",
    });
  });
});

describe("a name with several addresses", () => {
  test.each([
    ["the first is refused", ["127.0.0.1", "192.0.2.1"]],
    ["a later one is refused", ["192.0.2.1", "127.0.0.1"]],
  ])("is refused where %s: whoever answers picks the one that is used", async (_name, addresses) => {
    const find = async () => addresses.map((address) => ({ address, family: 4 }));
    const request = createGuardedRequest({ allow: [], deny: [] }, { find });
    const outcome = request("http://two.example/", get, context());
    await expect(outcome).rejects.toMatchObject({
      kind: "Forbidden",
      message: expect.stringContaining("two.example"),
    });
  });

  test("is looked up once: what was checked is what is dialled", async () => {
    const port = new URL(await listen((_, response) => void response.end("here"))).port;
    let asked = 0;
    const find = async () => [{ address: asked++ === 0 ? "127.0.0.1" : "192.0.2.1", family: 4 }];
    const request = createGuardedRequest({ allow: ["127.0.0.1"], deny: [] }, { find });
    expect((await request(`http://rebinds.example:${port}/`, get, context())).body).toBe("here");
    expect(asked).toBe(1);
  });
});

describe("what the key of the caller may reach", () => {
  const limited = (...hosts: string[]) =>
    createGuardedRequest(
      { allow: ["127.0.0.0/8"], deny: [] },
      {
        reach: () => urlReachOf(hosts, ["127.0.0.0/8"]),
        find: async (name) => [{ address: name === "in.example" ? "127.0.0.1" : name, family: 4 }],
      },
    );

  test("holds each host on the way, and each address", async () => {
    const there = await listen((_, response) => void response.end("there"));
    const { port } = new URL(there);
    for (const host of ["127.0.0.1", "in.example"])
      expect((await limited("127.0.0.1")(`http://${host}:${port}/`, get, context())).body).toBe("there");
    for (const host of ["127.0.0.1", "in.example"])
      await expect(limited("127.0.0.2")(`http://${host}:${port}/`, get, context())).rejects.toMatchObject({
        kind: "Forbidden",
      });
    const leads = await listen((_, response) =>
      response.writeHead(302, { Location: `http://127.0.0.3:${port}/` }).end(),
    );
    await expect(limited("127.0.0.1")(leads, get, context())).rejects.toMatchObject({ kind: "Forbidden" });
  });
});

test("user and password of a URL stand in no text", async () => {
  const circle = new URL(await listen((_, response) => response.writeHead(302, { Location: "/" }).end()));
  const url = `http://canary-user:canary-pass@${circle.host}/path?token=canary-token`;
  const error = await loopback(url, get, context()).catch((reason) => reason);
  expect(error.message).toBe(`http://${circle.host}/path?… redirects more than 3 times.`);
});
