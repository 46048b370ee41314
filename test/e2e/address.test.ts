/** An address has one owner: a second service is refused before it does anything, on TCP and on Unix sockets. */
import { existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, expect, test } from "vitest";
import { moveStaleSocket } from "../../src/runtime/net/socket.ts";
import { refusal, startService, tempFolder } from "../../src/testkit/service.ts";
import { sampled } from "../support/sampled.ts";

let folder: string;
beforeEach(() => {
  folder = tempFolder();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("rejects a second service on the same port with one sentence and creates no key", async () => {
  const first = await startService({ dataDir: join(folder, "one") });
  const address = first.url.slice("http://".length);
  const told = refusal(join(folder, "two"), { PATCHBAY_LISTEN: address });
  expect(told).toBe(
    `patchbay: The service cannot listen on ${address}: another process listens there. Stop it, or use another address for this service (PATCHBAY_LISTEN).`,
  );
  for (let n = 0; n < 12; n++) expect((await first.call("GET", "/health")).status).toBe(200);
  expect(await first.stop()).toBe(0);
  const second = await startService({
    dataDir: join(folder, "two"),
    port: Number(address.split(":")[1]),
    env: { PATCHBAY_API_KEY: "" },
  });
  // The refused start must not have created a key, which would never be shown.
  expect(second.output()).toContain("The first API key (shown once)");
  await second.stop();
});

test("rejects an address that the machine lacks or that the account may not bind", () => {
  const listen = (address: string) => refusal(join(folder, "data"), { PATCHBAY_LISTEN: address });
  expect(listen("192.0.2.1:9000")).toContain("192.0.2.1:9000: this machine does not have that address");
  expect(listen(`unix:${folder}/nowhere/socket`)).toContain("its folder does not exist");
});

test("keeps a live Unix socket and replaces a stale one", async () => {
  const path = join(folder, "socket");
  const env = { PATCHBAY_LISTEN: `unix:${path}` };
  const start = (name: string) => startService({ dataDir: join(folder, name), env, unix: path });
  const first = await start("one");
  expect(refusal(join(folder, "two"), env)).toContain(`cannot listen on unix:${path}: another process`);
  expect((await first.call("GET", "/health")).status).toBe(200);
  await first.kill();
  expect(existsSync(path)).toBe(true);
  const second = await start("two");
  expect((await second.call("GET", "/health")).status).toBe(200);
  await second.stop();
});

/** Each starts a service twice; in a plain run one of them. */
const runtimes = sampled(["bun", "deno"] as const, 1, () => "a runtime");

test.each(runtimes)(
  "restricts a Unix socket to its account, or opens it as configured, on %s",
  async (runtime) => {
    const path = join(folder, `socket-${runtime}`);
    const modeWith = async (more: Record<string, string>) => {
      const env = { PATCHBAY_LISTEN: `unix:${path}`, ...more };
      const service = await startService({ dataDir: join(folder, runtime), env, unix: path, runtime });
      const { mode, gid } = statSync(path);
      expect((await service.call("GET", "/health")).status).toBe(200);
      await service.stop();
      return [mode & 0o777, gid];
    };
    const own = process.getgid?.() ?? 0;
    expect(await modeWith({})).toEqual([0o600, own]);
    expect(await modeWith({ PATCHBAY_SOCKET_MODE: "660", PATCHBAY_SOCKET_GROUP: String(own) })).toEqual([
      0o660,
      own,
    ]);
  },
);

test("rejects an unknown group", () => {
  const env = { PATCHBAY_SOCKET_GROUP: "nobody-has-it" };
  const text = "PATCHBAY_SOCKET_GROUP: there is no group nobody-has-it";
  expect(() => refusal(join(folder, "data"), env, ["config"])).toThrow(text);
});

test("leaves a file alone that is not a socket", async () => {
  const path = join(folder, "file");
  writeFileSync(path, "mine");
  expect(await moveStaleSocket(path)).toBe(false);
  expect(await moveStaleSocket(join(folder, "nothing"))).toBe(true);
});

test.skipIf(process.platform !== "linux")("keeps a live socket in place", async () => {
  const path = join(folder, "live");
  const server = createServer().listen(path);
  await new Promise((resolve) => server.once("listening", resolve));
  expect(await moveStaleSocket(path)).toBe(false);
  expect(existsSync(path)).toBe(true);
  server.close();
});
