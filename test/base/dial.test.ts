import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { keepsHostKey, reachOf, requireAddresses, requireStatedHost } from "../../src/auth/reach.ts";
import { type DialRule, dial } from "../../src/base/dial.ts";

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

describe("what a name resolves to is checked when it is dialled", () => {
  test("a name whose address is within reach is dialled there", async () => {
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
  ])("%s that means %j is not dialled", async (host, addresses) => {
    const before = connections;
    await expect(dialled(host, ruleOf("127.22.*"), ...addresses)).rejects.toMatchObject({
      kind: "Forbidden",
    });
    expect(connections).toBe(before);
  });

  test("it is looked up once: a name that means another address later changes nothing", async () => {
    let asked = 0;
    const rebinding = async () => v4(asked++ === 0 ? "127.22.0.1" : "127.23.0.1");
    const socket = await dial({ host: "r1.corp", port }, 5_000, signal, ruleOf("127.22.*"), rebinding);
    expect([asked, socket.remoteAddress]).toEqual([1, "127.22.0.1"]);
    socket.destroy();
  });

  test("a name that is not there is told as that", async () => {
    const nothing = dial({ host: "r1.corp", port }, 5_000, signal, ruleOf("127.22.*"), async () => []);
    await expect(nothing).rejects.toMatchObject({ kind: "HostUnreachable" });
    const failing = async () => {
      throw Object.assign(new Error("not found"), { code: "ENOTFOUND" });
    };
    await expect(
      dial({ host: "r1.corp", port }, 5_000, signal, ruleOf("127.22.*"), failing),
    ).rejects.toMatchObject({ kind: "HostUnreachable" });
  });

  test("a look-up that hangs ends with the time of the connection", async () => {
    const hanging = () => new Promise<never>(() => {});
    await expect(
      dial({ host: "r1.corp", port }, 20, signal, ruleOf("127.22.*"), hanging),
    ).rejects.toMatchObject({ kind: "ConnectionTimeout" });
  });
});

test("an address in brackets is dialled without them, whoever asks", async () => {
  const socket = await dial({ host: "[127.0.0.1]", port }, 30_000, signal);
  expect(socket.remoteAddress).toBe("127.0.0.1");
  socket.destroy();
});
