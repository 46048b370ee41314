/**
 * Actions of a driver, webhook or template on a thread are limited to the hosts that the caller's key may
 * reach.
 */

import { once } from "node:events";
import { createServer as createHttp } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import * as v from "valibot";
import { afterEach, expect, test } from "vitest";
import { ServiceError } from "../../src/base/errors.ts";
import { silentLog } from "../../src/base/log.ts";
import { createHandlers } from "../../src/executor/handlers.ts";
import { createMasking } from "../../src/executor/masking.ts";
import type { AnyPlugin, Context, DriverPlugin, OpenSession, SshKit } from "../../src/plugin/index.ts";
import type { WorkerSettings } from "../../src/protocol/message-port.ts";
import type { QueryTask } from "../../src/protocol/task.ts";
import { createRegistry } from "../../src/registry/registry.ts";
import { taskContext } from "../plugin/context.ts";
import { plainSettings, testDriver } from "./fixtures.ts";

const settings: WorkerSettings = { ...plainSettings, maxSessions: 10, urlAllow: ["127.0.0.1"] };

function handlersOf(plugin: AnyPlugin) {
  const registry = createRegistry();
  registry.add(plugin, "builtin");
  const ask = async () => [];
  const masking = createMasking();
  return createHandlers({ settings, registry, log: silentLog, masking, ask, onSession() {} });
}

const query = (driver: string, reach: string[], connection: object = {}): QueryTask => ({
  kind: "query",
  driver,
  connection: { host: "r1.lab", ...connection },
  args: {},
  keep: true,
  reach,
  commands: ["echo x"],
});

const servers: { close(): unknown }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});
async function portOf(server: Server): Promise<number> {
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

test("a kept session is shared only between keys with the same reach", async () => {
  const counts = { opened: 0, closed: 0 };
  const { run } = handlersOf(testDriver(counts));
  const reused = async (reach: string[]) =>
    (await run(query("test", reach), taskContext())) as unknown as { reused: boolean };
  expect(await reused([])).toMatchObject({ reused: false });
  expect(await reused([])).toMatchObject({ reused: true });
  expect(await reused(["*.lab"])).toMatchObject({ reused: false });
  expect(await reused(["*.lab"])).toMatchObject({ reused: true });
  expect(await reused(["10.0.0.0/8", "*.lab"])).toMatchObject({ reused: false });
});

/** Dials any host, and passes on its own context. */
function wilfulDriver(use: (ssh: SshKit, ctx: Context) => Promise<unknown>): DriverPlugin {
  const open: OpenSession<unknown, unknown, unknown, unknown> = async ({ ssh }, { signal, remaining }) => {
    await use(ssh, taskContext({ signal, remaining }));
    throw new Error("it got through");
  };
  return {
    ...testDriver(),
    name: "wilful",
    connection: v.looseObject({ host: v.string() }),
    load: async () => ({ default: open }),
  };
}

test("a driver that dials an undeclared host is refused, directly and through a jump host", async () => {
  let connections = 0;
  const port = await portOf(
    createServer((socket) => {
      connections++;
      socket.destroy();
    }),
  );
  const target = {
    host: "127.0.0.1",
    port,
    username: "u",
    connectTimeoutMs: 2_000,
    profile: "modern" as const,
    hostKeyPolicy: "auto_add" as const,
  };
  const ways = [
    wilfulDriver((ssh, ctx) => ssh.connect(target, ctx)),
    wilfulDriver((ssh, ctx) => ssh.connect({ ...target, host: "127.0.0.2", via: target }, ctx)),
    wilfulDriver((ssh, ctx) => ssh.connect({ ...target, host: "far.corp", via: target }, ctx)),
    wilfulDriver((ssh, ctx) => ssh.connect({ ...target, host: "localhost" }, ctx)),
  ];
  for (const [index, way] of ways.entries()) {
    // The hop itself may be reached, but the target behind it may not.
    const reach = index === 1 || index === 2 ? ["127.0.0.1", "*.lab"] : ["127.0.0.3", "*.lab"];
    await expect(handlersOf(way).run(query("wilful", reach), taskContext())).rejects.toMatchObject({
      kind: "Forbidden",
    });
  }
  expect(connections).toBe(0);
  // Without a limit it is dialled.
  const [first] = ways;
  if (first) await expect(handlersOf(first).run(query("wilful", []), taskContext())).rejects.toThrow();
  expect(connections).toBeGreaterThan(0);
});

test("a driver cannot use its kit after the end of the task", async () => {
  let kept: SshKit | undefined;
  const { run } = handlersOf(
    wilfulDriver(async (ssh) => {
      kept = ssh;
    }),
  );
  await run(query("wilful", []), taskContext()).catch(() => {});
  const target = {
    host: "127.0.0.1",
    port: 1,
    username: "u",
    connectTimeoutMs: 1_000,
    profile: "modern" as const,
    hostKeyPolicy: "auto_add" as const,
  };
  await expect(async () => kept?.connect(target, taskContext())).rejects.toMatchObject({
    kind: "DriverError",
  });
});

const canaries = /canary/;

test("credentials in a template URL appear in no error", async () => {
  const web = createHttp((request, response) => {
    if (request.url?.startsWith("/circle")) response.writeHead(302, { Location: "/circle" }).end();
    else if (request.url === "/hangup") request.socket.destroy();
    else response.writeHead(404).end();
  });
  const port = await portOf(web);
  const ftp = await portOf(
    createServer((socket) => {
      socket.write("220 hello\r\n");
      socket.on("error", () => {});
      socket.on("data", (data) => socket.write(`530 no such login: canary-user canary-pass ${data}`));
    }),
  );
  const { run } = handlersOf(testDriver());
  const login = "canary-user:canary%2Dpass";
  for (const uri of [
    `http://${login}@127.0.0.1:${port}/circle`,
    `http://${login}@127.0.0.1:${port}/missing`,
    `http://${login}@127.0.0.1:${port}/hangup`,
    `http://${login}@127.0.0.2:${port}/`,
    `http://${login}@127.0.0.1:1/`,
    `http://${login}@no-such-name.invalid/`,
    `ftp://${login}@127.0.0.1:${ftp}/x`,
    `ftp://${login}@127.0.0.1:1/x`,
    `ftp://${login}@127.0.0.2/x`,
  ]) {
    const error = await run({ kind: "fetch", uri, reach: [] }, taskContext()).catch((reason) => reason);
    expect(error).toBeInstanceOf(ServiceError);
    expect([uri, `${error.message} ${JSON.stringify(error.detail)}`]).not.toEqual([
      uri,
      expect.stringMatching(canaries),
    ]);
  }
});

test("a cached template is not given to a key that may not reach its host", async () => {
  const port = await portOf(createHttp((_request, response) => void response.end("text")));
  const { run } = handlersOf(testDriver());
  const uri = `http://127.0.0.1:${port}/t`;
  const read = (reach: string[]) => run({ kind: "fetch", uri, reach }, taskContext());
  expect(await read([])).toEqual({ text: "text" });
  // Listed individually by the operator.
  expect(await read(["10.0.0.1"])).toEqual({ text: "text" });
  settings.urlAllow = ["127.0.0.0/8"];
  const range = handlersOf(testDriver());
  expect(await range.run({ kind: "fetch", uri, reach: [] }, taskContext())).toEqual({ text: "text" });
  await expect(range.run({ kind: "fetch", uri, reach: ["10.0.0.1"] }, taskContext())).rejects.toMatchObject({
    kind: "Forbidden",
  });
});
