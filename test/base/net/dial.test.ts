import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { keepsHostKey, reachOf, requireAddresses, requireStatedHost } from "../../../src/auth/reach.ts";
import { type DialRule, dial } from "../../../src/base/net/dial.ts";

let server: Server;
let port: number;
let connections = 0;
beforeAll(async () => {
  server = createServer((socket) => {
    connections++;
    socket.end();
  }).listen(0, "0.0.0.0");
  await once(server, "listening");
  const address = server.address();
  port = typeof address === "object" && address ? address.port : 0;
});
afterAll(() => void server.close());

function ruleOf(...patterns: string[]): DialRule {
  const reach = reachOf(patterns);
  return {
    limited: reach.limited,
    addresses: (host, addresses) => requireAddresses(reach, host, addresses),
    stated: (host) => requireStatedHost(reach, host),
    keepsHostKey: (throughHop) => keepsHostKey(reach, throughHop),
  };
}

const { signal } = new AbortController();
const v4 = (...addresses: string[]) => addresses.map((address) => ({ address, family: 4 }));

async function dialled(host: string, rule: DialRule, ...addresses: string[]): Promise<string | undefined> {
  const socket = await dial({ host, port }, 5_000, signal, rule, async () => v4(...addresses));
  const { remoteAddress } = socket;
  socket.destroy();
  return remoteAddress;
}

describe("the address of a host is checked when it is dialled", () => {
  test("a name that resolves within reach is dialled", async () => {
    expect(await dialled("r1.corp", ruleOf("127.22.*"), "127.22.0.1")).toBe("127.22.0.1");
    expect(await dialled("r1.corp", ruleOf("127.22.*"), "127.22.0.1", "127.22.0.2")).toMatch(
      /^127\.22\.0\.[12]$/,
    );
    expect(await dialled("r1.lab", ruleOf("*.lab"), "127.23.0.1")).toBe("127.23.0.1");
  });

  test.each([
    ["r1.corp", ["127.23.0.1"]],
    ["r1.corp", ["127.22.0.1", "127.23.0.1"]],
    ["r1.corp", ["127.23.0.1", "127.22.0.1"]],
    ["127.23.0.1", ["127.23.0.1"]],
    ["0177.23.0.1", ["127.23.0.1"]],
  ])("%s that resolves to %j is not dialled", async (host, addresses) => {
    const before = connections;
    await expect(dialled(host, ruleOf("127.22.*"), ...addresses)).rejects.toMatchObject({
      kind: "Forbidden",
    });
    expect(connections).toBe(before);
  });

  test("a name is resolved once, so that rebinding it has no effect", async () => {
    let lookups = 0;
    const rebinding = async () => v4(lookups++ === 0 ? "127.22.0.1" : "127.23.0.1");
    const socket = await dial({ host: "r1.corp", port }, 5_000, signal, ruleOf("127.22.*"), rebinding);
    expect([lookups, socket.remoteAddress]).toEqual([1, "127.22.0.1"]);
    socket.destroy();
  });

  test("a name that does not resolve fails as HostUnreachable", async () => {
    const nothing = dial({ host: "r1.corp", port }, 5_000, signal, ruleOf("127.22.*"), async () => []);
    await expect(nothing).rejects.toMatchObject({ kind: "HostUnreachable" });
    const failing = async () => {
      throw Object.assign(new Error("not found"), { code: "ENOTFOUND" });
    };
    await expect(
      dial({ host: "r1.corp", port }, 5_000, signal, ruleOf("127.22.*"), failing),
    ).rejects.toMatchObject({ kind: "HostUnreachable" });
  });

  test("a lookup that hangs fails at the connection timeout", async () => {
    const hanging = () => new Promise<never>(() => {});
    await expect(
      dial({ host: "r1.corp", port }, 20, signal, ruleOf("127.22.*"), hanging),
    ).rejects.toMatchObject({ kind: "ConnectionTimeout" });
  });
});

test("an IPv6 or IPv4 address in brackets is dialled without them", async () => {
  const socket = await dial({ host: "[127.0.0.1]", port }, 30_000, signal);
  expect(socket.remoteAddress).toBe("127.0.0.1");
  socket.destroy();
});
