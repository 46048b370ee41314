/** Copies of a data directory push nothing without permission: two real services, counted on the device. */
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pause } from "../../../src/base/time/deadline.ts";
import { programOf, type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { namedFaults } from "../../../src/testkit/simulator/faults.ts";
import { type SimulatedDevice, simulated } from "../devices.ts";

const [program, ...begin] = programOf();

const pushes = 6;
const slow = 120_000;
let folder: string;
let device: SimulatedDevice;
let silent: SimulatedDevice;
let first: Service;
let original: string[];
/** When run from source, Bun keeps a cache below HOME, which is not part of the data. */
let oneSlot: Record<string, string>;
const dir = (name: string) => join(folder, name);

/** The service is running: a file may disappear between listing and copying. */
const copyOf = (from: string, to: string) => spawnSync("cp", ["-r", dir(from), dir(to)]);

function patchbay(...args: string[]) {
  const done = spawnSync(program, [...begin, ...args], {
    encoding: "utf8",
    timeout: 120_000,
    env: { PATH: process.env.PATH, HOME: folder },
  });
  return { status: done.status, text: done.stdout + done.stderr };
}

function submission(to: SimulatedDevice, config: string[]) {
  const { port, username, password, secret } = to;
  const connection_args = { device_type: "cisco_ios", host: "127.0.0.1", port, username, password, secret };
  return { driver: "netmiko", connection_args, config, options: { queue_strategy: "fifo" } };
}

/** How often each of our lines was entered. */
const entered = () =>
  device
    .commands()
    .filter((line) => line.includes("marker-"))
    .sort();

async function held(service: Service) {
  return (await service.call<{ id: string; status: string }[]>("GET", "/job?status=held")).body.data;
}

beforeAll(async () => {
  folder = tempFolder();
  oneSlot = { PATCHBAY_SLOTS: "1", HOME: folder };
  device = await simulated("cisco_ios");
  silent = await simulated("cisco_ios", { faults: namedFaults.stall });
  first = await startService({ dataDir: dir("first"), env: oneSlot });
  const blocker = await first.call<{ id: string }>("POST", "/device/execute", submission(silent, ["x"]));
  while ((await first.job(blocker.body.data.id)).status !== "running") await pause(20);
  for (let n = 0; n < pushes; n++) {
    const config = ["interface Loopback1", ` description marker-${n}`];
    expect((await first.call("POST", "/device/execute", submission(device, config))).status).toBe(201);
  }
  copyOf("first", "copied");
  const told = patchbay("backup", dir("backup.db"), "--data-dir", dir("first"));
  expect(told.text).toContain("It is sealed with the master key");
  // The original continues and pushes all of them.
  await first.call("DELETE", `/job?id=${blocker.body.data.id}&force=true`);
  while (entered().length < pushes) await pause(20);
  original = entered();
  expect(original).toHaveLength(pushes);
}, slow);
afterAll(async () => {
  await first?.stop();
  await device?.stop();
  await silent?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test(
  "a copied directory holds its queued jobs, reports it, and pushes nothing twice",
  async () => {
    const copy = await startService({ dataDir: dir("copied"), env: oneSlot });
    expect(copy.output()).toContain("store.copied");
    const jobs = await held(copy);
    expect(jobs.map(({ status }) => status)).toEqual(Array(pushes + 1).fill("held"));
    // Clients that do not know the status see held jobs as queued.
    const queued = await copy.call<{ status: string; held?: true }[]>("GET", "/job?status=queued");
    expect(queued.body.data.map(({ status, held: waits }) => [status, waits])).toEqual(
      Array(pushes + 1).fill(["queued", true]),
    );
    const [oldest] = jobs.slice(-2);
    const [newest] = jobs;
    expect((await copy.call("DELETE", `/job?id=${newest?.id}`)).body.data).toEqual([newest?.id]);
    expect(entered()).toEqual(original);
    // Release one explicitly.
    expect((await copy.call("POST", `/job/release?id=${oldest?.id}`)).body.data).toEqual([oldest?.id]);
    expect((await copy.ended(oldest?.id ?? "")).status).toBe("finished");
    expect(entered()).toHaveLength(pushes + 1);
    expect((await copy.call("POST", `/job/release?id=${oldest?.id}`)).body.code).toBe(-1);
    expect((await copy.call("POST", "/job/release")).status).toBe(422);
    expect(await copy.stop()).toBe(0);
    expect(await held(first)).toEqual([]);
  },
  slow,
);

test(
  "a restore holds queued jobs; --run-queued runs them",
  async () => {
    const restore = (name: string, ...more: string[]) =>
      patchbay("restore", dir("backup.db"), "--data-dir", dir(name), ...more);
    expect(statSync(dir("backup.db")).mode & 0o077).toBe(0);
    expect(patchbay("backup", dir("backup.db"), "--data-dir", dir("first"))).toMatchObject({ status: 1 });
    expect(restore("restored")).toMatchObject({
      status: 1,
      text: expect.stringContaining("--master-key-file"),
    });
    expect(existsSync(join(dir("restored"), "patchbay.db"))).toBe(false);
    const key = ["--master-key-file", join(dir("first"), "master.key")];
    expect(restore("restored", ...key).text).toContain(`${pushes + 1} jobs that had not started are held`);
    expect(restore("restored", ...key)).toMatchObject({
      status: 1,
      text: expect.stringContaining("There is a database already"),
    });
    const before = entered().length;
    const service = await startService({ dataDir: dir("restored"), env: oneSlot });
    expect(await held(service)).toHaveLength(pushes + 1);
    expect(entered()).toHaveLength(before);
    expect(await service.stop()).toBe(0);

    expect(restore("again", ...key, "--run-queued").text).toContain(
      `${pushes + 1} jobs that had not started are queued`,
    );
    const again = await startService({ dataDir: dir("again"), env: { ...oneSlot, PATCHBAY_SLOTS: "5" } });
    expect(await held(again)).toEqual([]);
    while (entered().length < before + pushes) await pause(20);
    await again.call("DELETE", "/job?host=127.0.0.1&force=true");
    await again.stop();
  },
  slow,
);

test(
  "restores a copied directory with its own key; a damaged or foreign one leaves nothing behind",
  () => {
    copyOf("first", "source");
    const done = patchbay("restore", dir("source"), "--data-dir", dir("from-folder"));
    expect(done.text).toContain("Restored into");
    expect(statSync(join(dir("from-folder"), "master.key")).mode & 0o077).toBe(0);
    mkdirSync(dir("foreign"));
    copyFileSync(join("/etc", "hostname"), dir("nonsense"));
    const wrong = patchbay(
      "restore",
      dir("nonsense"),
      "--data-dir",
      dir("foreign"),
      "--master-key-file",
      join(dir("first"), "master.key"),
    );
    expect(wrong).toMatchObject({ status: 1, text: expect.stringContaining("damaged") });
    expect(existsSync(join(dir("foreign"), "patchbay.db"))).toBe(false);
    expect(existsSync(join(dir("foreign"), "master.key"))).toBe(false);
    expect(patchbay("restore", "/nowhere", "--data-dir", dir("foreign")).text).toContain(
      "There is no backup",
    );
    expect(patchbay("backup", dir("x"), "--data-dir", dir("nothing")).text).toContain("There is no database");
    expect(existsSync(dir("nothing"))).toBe(false);
  },
  slow,
);
