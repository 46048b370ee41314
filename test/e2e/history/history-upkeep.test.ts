/** The history of configurations beside its texts: webhooks, metrics, doctor, backups, retention. */
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { VersionRecord } from "../../../src/api/history/history.ts";
import { loadConfig } from "../../../src/config/config.ts";
import { examine } from "../../../src/service/doctor/doctor.ts";
import { openConnection } from "../../../src/store/libsql/database/connect.ts";
import { type Receiver, startReceiver } from "../../../src/testkit/receiver.ts";
import { programOf, type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { type SimulatedDevice, simulated } from "../devices.ts";

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const login = { username: "admin", password: "canary-login-9", secret: "canary-enable-9" };
const env = { PATCHBAY_URL_ALLOW: "127.0.0.1", PATCHBAY_METRICS_DEVICES: "5" };
const folder = tempFolder();
const dataDir = join(folder, "first");
let service: Service;
let device: SimulatedDevice;
let receiver: Receiver;

beforeAll(async () => {
  device = await simulated("arista_eos", login);
  receiver = await startReceiver(204);
  service = await startService({ dataDir, env });
  await service.call("PUT", "/credential/lab", login);
  const place = { host: "127.0.0.1", driver: "netmiko", platform: "arista_eos" };
  const credential = { name: "file", ref: "lab" };
  await service.call("POST", "/inventory/device", {
    devices: [
      { name: "leaf-1", ...place, port: device.port, credential },
      { name: "lost", ...place, port: 1, credential },
    ],
  });
  await service.call("POST", "/webhook", {
    ...{ name: "noc", events: ["history.changed", "history.failed"], difference: true },
    config: { url: receiver.url },
  });
  await take("leaf-1");
  await take("lost");
});
afterAll(async () => {
  await service.close();
  await device.stop();
  receiver.close();
  rmSync(folder, { recursive: true, force: true });
});

const take = (name: string) => service.call("POST", "/history/take", { device: name }, { Prefer: "wait=60" });
const push = (line: string) =>
  service.call(
    "POST",
    "/device/execute",
    { device: "leaf-1", config: `interface Ethernet1\n ${line}` },
    {
      Prefer: "wait=60",
    },
  );
const versions = async (from = service) =>
  (await from.call<VersionRecord[]>("GET", "/history/device/leaf-1")).body.data ?? [];
const rawText = async (from: Service) =>
  (await from.call<{ text: string }>("GET", "/history/device/leaf-1/latest?secrets=true")).body.data.text;

async function findings(from: string) {
  const config = loadConfig({ environment: { PATCHBAY_DATA_DIR: from } });
  const all = await examine(config, [], { mainPath: resolve("src/main.ts"), threadEntry: "" });
  return all.filter(({ check }) => check === "configurations").map(({ state, text }) => `${state}: ${text}`);
}

test("a push is told with its lines, and counted, as is a device that cannot be read", async () => {
  await push("description told to the chat");
  await receiver.got(1);
  const message = JSON.parse(receiver.received[0]?.body ?? "{}");
  expect(message).toMatchObject({
    event: "history.changed",
    history: { device: "leaf-1", version: 2, source: "push", who: expect.any(String) },
  });
  expect(message.difference).toContain("+   description told to the chat\n");
  expect(JSON.stringify(message)).not.toContain("canary");
  const metrics = await fetch(`${service.url}/metrics`, { headers: { "X-API-KEY": service.key } });
  const lines = (await metrics.text()).split("\n");
  expect(lines).toEqual(
    expect.arrayContaining([
      'patchbay_history_takes_total{outcome="changed"} 2',
      'patchbay_history_takes_total{outcome="failed"} 1',
      "patchbay_history_failed_devices 1",
      expect.stringMatching(/^patchbay_history_good_age_seconds\{device="leaf-1"\} /),
    ]),
  );
});

test("doctor names devices that could not be read, and how much there is", async () => {
  expect(await findings(dataDir)).toEqual([
    expect.stringMatching(/^ok: \d+ versions of 2 devices, \d+ MiB/),
    "warn: that of lost was never read: ConnectionRefused",
  ]);
});

test("versions beyond the settings are deleted, the newest good one is not", async () => {
  await service.call("POST", "/device/execute", {
    ...{ device: "leaf-1", config: "snmp-server community canary-community-9 ro" },
  });
  await expect.poll(async () => (await versions()).length, { timeout: 60_000 }).toBe(3);
  for (const word of ["one", "two", "three"]) {
    const before = (await versions()).length;
    await push(`description ${word}`);
    await expect.poll(async () => (await versions()).length, { timeout: 60_000 }).toBe(before + 1);
  }
  const [newest, second] = await versions();
  await service.stop();
  service = await startService({ dataDir, env: { ...env, PATCHBAY_HISTORY_VERSIONS: "2" } });
  await expect.poll(async () => (await versions()).length, { timeout: 60_000 }).toBe(2);
  expect((await versions()).map(({ version }) => version)).toEqual([newest?.version, second?.version]);
});

test("a restored backup has the texts with their secrets, also once all is sealed with another master key", async () => {
  const text = await rawText(service);
  expect(text).toContain("description three");
  expect(text).toContain("canary-community-9");
  const [program, ...begin] = programOf();
  const patchbay = (...args: string[]) =>
    spawnSync(program, [...begin, ...args], {
      encoding: "utf8",
      env: { PATH: process.env.PATH, HOME: folder },
    });
  const words = join(folder, "passphrase");
  writeFileSync(words, "correct horse battery\n");
  const archive = join(folder, "archive");
  const restored = join(folder, "restored");
  const made = patchbay("backup", archive, "--data-dir", dataDir, "--passphrase-file", words);
  expect([made.status, made.stderr]).toEqual([0, expect.any(String)]);
  expect(patchbay("restore", archive, "--data-dir", restored, "--passphrase-file", words).status).toBe(0);
  const copy = await startService({ dataDir: restored });
  expect(await rawText(copy)).toBe(text);
  await copy.stop();
  expect(patchbay("key", "rotate-master", "--data-dir", restored).status).toBe(0);
  const rotated = await startService({ dataDir: restored });
  await expect.poll(() => rotated.output(), { timeout: 60_000 }).toContain("rotation.done");
  await rotated.stop();
  const file = join(restored, "master.key");
  const [newKey = ""] = readFileSync(file, "utf8").trim().split(/\s+/);
  writeFileSync(file, `${newKey}\n`);
  const later = await startService({ dataDir: restored });
  expect(await rawText(later)).toBe(text);
  await later.stop();
});

test("doctor names a version whose text is damaged", async () => {
  await service.stop();
  const link = await openConnection({ at: join(dataDir, "patchbay.db"), shared: false });
  await link.batch([{ sql: "update config_texts set body = x'00ff'", args: {} }]);
  link.close();
  expect(await findings(dataDir)).toContainEqual(
    expect.stringMatching(/^fail: version \d+ of leaf-1 is damaged and cannot be read$/),
  );
});
