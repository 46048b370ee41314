/** `kit.netconf` for drivers: the connection closes with the session, on every path. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { createNetconfKit } from "../../../src/executor/kit/netconf-kit.ts";
import type { SshConnection } from "../../../src/plugin/index.ts";
import { xml } from "../../../src/plugin/index.ts";
import { failure, newSsh, scopeOf, targetOf } from "../../device/ssh/support.ts";
import { taskContext } from "../../plugin/context.ts";
import {
  base10,
  type NetconfScript,
  type NetconfServer,
  startNetconfServer,
} from "../../support/netconf-server.ts";

let server: NetconfServer;
let script: NetconfScript = {};
const connections: SshConnection[] = [];
const ssh = newSsh();
const kit = createNetconfKit({
  async connect(target, ctx) {
    const connection = await ssh.connect(target, ctx);
    connections.push(connection);
    return connection;
  },
});
const liveOutput: string[] = [];
const ctx = taskContext({ ...scopeOf(), output: (text) => void liveOutput.push(text) });

beforeAll(async () => {
  server = await startNetconfServer(() => script);
});
afterAll(() => server.close());

const connected = () => connections.at(-1)?.alive();

test("a session has its capabilities and is closed with <close-session>", async () => {
  script = {
    capabilities: [base10, "urn:url:1.0?scheme=file", "urn:candidate:1.0"],
    rpc: (operation, id, peer) => peer.reply(id, `<name>${operation.name}</name>`),
  };
  const session = await kit.open({ ssh: targetOf(server) }, ctx);
  expect(session).toMatchObject({ version: "1.0", sessionId: expect.any(String) });
  expect(
    ["urn:url:1.0", "urn:url:1.0?scheme=file", "urn:candidate:1.0", "urn:url"].map(session.supports),
  ).toEqual([true, true, true, false]);
  const { root } = await session.rpc(xml("get"), {}, ctx);
  expect(root.textOf("name")).toBe("get");
  expect(liveOutput.join("")).toContain("<name>get</name>");
  expect(session.alive()).toBe(true);
  await session.close();
  expect(connected()).toBe(false);
  expect(server.heard.at(-1)).toContain("<close-session/>");
});

test("a failed NETCONF start closes the connection", async () => {
  script = { hello: "<html/>]]>]]>" };
  expect(await failure(kit.open({ ssh: targetOf(server) }, ctx))).toMatchObject({ kind: "DriverError" });
  expect(connected()).toBe(false);
  expect(await failure(kit.open({ ssh: targetOf(server), subsystem: "other" }, ctx))).toMatchObject({
    message: expect.stringContaining("did not open the subsystem other"),
  });
  expect(connected()).toBe(false);
});

test("a lost connection ends the session and its pending calls", async () => {
  script = { rpc: (_operation, _id, peer) => peer.drop() };
  const session = await kit.open({ ssh: targetOf(server) }, ctx);
  const lost = Promise.withResolvers<void>();
  session.onLost(lost.resolve);
  expect(await failure(session.rpc(xml("get"), {}, ctx))).toMatchObject({ kind: "ConnectionLost" });
  await lost.promise;
  expect(session.alive()).toBe(false);
  await session.close();
});

test("SSH keepalives continue while the device works on a call", async () => {
  const release = Promise.withResolvers<void>();
  script = { rpc: (_operation, id, peer) => void release.promise.then(() => peer.reply(id, "<ok/>")) };
  const session = await kit.open({ ssh: targetOf(server, { keepaliveMs: 20 }) }, ctx);
  const reply = session.rpc(xml("get"), {}, ctx);
  // Longer than the keep-alive allows the peer to be silent.
  const other = await kit.open({ ssh: targetOf(server, { keepaliveMs: 20 }) }, ctx);
  expect(await failure(other.rpc(xml("get"), { timeoutMs: 200 }, ctx))).toMatchObject({
    kind: "ReadTimeout",
  });
  release.resolve();
  expect((await reply).root.find("ok")).toBeDefined();
  await Promise.all([session.close(), other.close()]);
});
