/** A malicious jump host that answers every forward itself, to plant its own key for another device. */
import { spawnSync } from "node:child_process";
import { createConnection } from "node:net";
import process from "node:process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Server } from "../../../src/device/ssh/ssh2.ts";
import { programOf, type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { makeKeyPair } from "../../../src/testkit/simulator/hostkey.ts";
import { type SimulatedDevice, simulated } from "../devices.ts";

const [program, ...begin] = programOf();

const deviceHost = "127.22.0.1";
const liarHost = "127.66.0.1";
const dataDir = tempFolder();
let service: Service;
let honest: SimulatedDevice;
let impostor: SimulatedDevice;
let liar: { port: number; connections(): number; stop(): void };

beforeAll(async () => {
  honest = await simulated("cisco_ios");
  impostor = await simulated("cisco_ios");
  liar = await lyingJumpHost(impostor.port);
  service = await startService({ dataDir, env: { PATCHBAY_URL_ALLOW: "127.0.0.0/8" } });
});
afterAll(async () => {
  await service.stop();
  await honest.stop();
  await impostor.stop();
  liar.stop();
});

/** Accepts any password, and forwards to `leadsTo` whatever the requested destination. */
async function lyingJumpHost(leadsTo: number) {
  let connections = 0;
  const server = new Server({ hostKeys: [makeKeyPair().private] }, (client) => {
    connections++;
    client.on("error", () => {});
    client.on("authentication", (attempt) => attempt.accept());
    client.on("ready", () => {
      client.on("tcpip", (accept) => {
        const channel = accept();
        const socket = createConnection({ host: "127.0.0.1", port: leadsTo });
        socket.on("error", () => channel.close());
        channel.on("error", () => socket.destroy());
        channel.pipe(socket).pipe(channel);
      });
    });
  });
  const port = await new Promise<number>((resolve) => {
    server.listen(0, "0.0.0.0", () => {
      const address = server.address();
      if (typeof address === "object" && address) resolve(address.port);
    });
  });
  return { port, connections: () => connections, stop: () => server.close() };
}

function keyFor(name: string, ...reach: string[]): string {
  const flags = reach.length === 1 ? ["--hosts", ...reach] : reach;
  const made = spawnSync(program, [...begin, "key", "add", name, "--scope", "operate", ...flags], {
    encoding: "utf8",
    env: { PATH: process.env.PATH, PATCHBAY_DATA_DIR: dataDir },
  });
  const key = made.stdout.trim();
  if (!key.startsWith("pb_")) throw new Error(made.stderr);
  return key;
}

const request = (more: object = {}) => ({
  driver: "netmiko",
  connection_args: {
    device_type: "cisco_ios",
    host: deviceHost,
    port: honest.port,
    username: honest.username,
    password: honest.password,
    ...more,
  },
  command: "show clock",
  driver_args: { fresh: true },
});
const throughLiar = () => ({
  proxy_host: liarHost,
  proxy_port: liar.port,
  proxy_username: "x",
  proxy_password: "canary-proxy",
});

async function endOf(body: object, key?: string) {
  const headers: Record<string, string> = key === undefined ? {} : { "X-API-KEY": key };
  const { status, body: answer } = await service.call<{ id: string }>(
    "POST",
    "/device/execute",
    body,
    headers,
  );
  return status === 201 ? service.ended(answer.data.id) : { status };
}

test("a limited key cannot dial it", async () => {
  const key = keyFor("one-device", deviceHost);
  const headers = { "X-API-KEY": key };
  expect(await endOf(request(throughLiar()), key)).toEqual({ status: 403 });
  const probe = await service.call("POST", "/device/test-connection", request(throughLiar()), headers);
  expect(probe.status).toBe(403);
  expect(probe.body.message).toContain("connection_args.proxy_host");
  const { connection_args, ...shared } = request(throughLiar());
  const bulk = await service.call<{ failed: string[]; succeeded: unknown[] }>(
    "POST",
    "/device/bulk",
    { ...shared, devices: [connection_args] },
    headers,
  );
  expect(bulk.body.data).toMatchObject({ failed: [deviceHost], succeeded: [] });
  expect(liar.connections()).toBe(0);
});

test("a jump host learns no host key for the direct route, even if the key may reach it", async () => {
  const owner = keyFor("owner-of-liar", `${deviceHost},127.66.*`);
  expect(await endOf(request(throughLiar()), owner)).toMatchObject({ status: "finished" });
  const learnt = async () => {
    const trail = await service.call<{ action: string; host: string; detail: string }[]>(
      "GET",
      "/audit?limit=500",
    );
    return trail.body.data
      .filter(({ action }) => action === "hostkey.learn")
      .map(({ host, detail }) => `${host} ${detail.includes("through") ? "behind" : "direct"}`);
  };
  // Its own key belongs to a host that was dialled; the device's key it presented is not stored.
  expect(await learnt()).toEqual([`${liarHost} direct`]);

  expect(await endOf(request(throughLiar()))).toMatchObject({ status: "finished" });
  expect((await learnt()).sort()).toEqual([`${deviceHost} behind`, `${liarHost} direct`]);
  expect(impostor.commands()).toContain("show clock");
  expect(honest.commands()).toEqual([]);

  // The next honest job goes directly to the device, and the forged key is unknown.
  expect(await endOf(request())).toMatchObject({ status: "finished" });
  expect(await endOf(request(), keyFor("honest", "127.22.*"))).toMatchObject({ status: "finished" });
  expect(honest.commands()).toContain("show clock");
});

test("detects the known device on a new route", async () => {
  const other = await lyingJumpHost(impostor.port);
  try {
    const job = await endOf(request({ ...throughLiar(), proxy_port: other.port }));
    expect(job).toMatchObject({ status: "failed", result: { error: { type: "HostKeyMismatch" } } });
  } finally {
    other.stop();
  }
});

test("a key with a selector reaches its device only while it has the tag", async () => {
  const { device_type: platform, port, username, password } = request().connection_args;
  const device = { name: "edge", host: deviceHost, port, platform, driver: "netmiko", tags: ["mine"] };
  const write = (tags: string[]) =>
    service.call("POST", "/inventory/device", { devices: [{ ...device, tags }] });
  expect((await write(["mine"])).status).toBe(200);
  const key = keyFor("by-selector", "--select", "tag:mine");
  const asked = { device: "edge", connection_args: { username, password }, command: "show clock" };
  expect(await endOf(asked, key)).toMatchObject({ status: "finished", device: "edge" });
  expect(await endOf(request(throughLiar()), key)).toEqual({ status: 403 });
  expect(await endOf(request({ host: liarHost }), key)).toEqual({ status: 403 });
  await write([]);
  expect(await endOf(asked, key)).toEqual({ status: 422 });
  expect(await endOf(request(), key)).toEqual({ status: 403 });
});

test("rejects names that only look like listed addresses", async () => {
  const key = keyFor("pattern", "127.22.*");
  for (const host of ["127.22.0.1.nip.invalid", "127.22.evil.invalid", "localhost"])
    expect([host, await endOf(request({ host }), key)]).toEqual([host, { status: 403 }]);
});
