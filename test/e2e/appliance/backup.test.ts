/** One archive of a whole data directory: taken under load, restored whole or not at all, nothing pushed twice. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { JobRecord } from "../../../src/api/jobs/job.ts";
import { tarEnd, tarHeader, tarPadding } from "../../../src/backup/tar.ts";
import { programOf, refusal, type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { sampled } from "../../support/sampled.ts";
import { type SimulatedDevice, simulated } from "../devices.ts";

const [program, ...begin] = programOf();

// Key derivation is slow by design, and the machine may be busy.
vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 });

const folder = tempFolder();
const dir = (name: string) => join(folder, name);
const words = dir("passphrase");
/** Without the folder into which the compiled program unpacks its native part. */
const filesIn = (name: string) => readdirSync(dir(name)).filter((one) => one !== "native");
let device: SimulatedDevice;
let first: Service;
let sealedSaid: string;
let openSaid: string;
const from = ["--data-dir", dir("first")];
const withKey = ["--master-key-file", join(dir("first"), "master.key")];

function patchbay(...args: string[]) {
  const done = spawnSync(program, [...begin, ...args], {
    encoding: "utf8",
    env: { PATH: process.env.PATH, HOME: folder },
  });
  return { status: done.status, text: done.stdout + done.stderr };
}
const restore = (from: string, to: string, ...more: string[]) =>
  patchbay("restore", from, "--data-dir", dir(to), "--passphrase-file", words, ...more);

function push(marker: number) {
  const { port, username, password, secret } = device;
  const connection_args = { device_type: "cisco_ios", host: "127.0.0.1", port, username, password, secret };
  const config = ["interface Loopback1", ` description marker-${marker}`];
  return { driver: "netmiko", connection_args, config, options: { queue_strategy: "fifo" } };
}
const entered = () =>
  device
    .commands()
    .filter((line) => line.includes("marker-"))
    .map((line) => line.trim())
    .sort();

beforeAll(async () => {
  device = await simulated("cisco_ios");
  writeFileSync(words, "correct horse battery\n");
  first = await startService({ dataDir: dir("first"), env: { PATCHBAY_SLOTS: "4", HOME: folder } });
  for (const [name, text] of [
    ["plugins/note.txt", "a plugin"],
    ["templates/site/base.j2", "hostname {{ name }}"],
    ["library/ntc/index", "a set"],
    ["files/image.bin", "x".repeat(100_000)],
    ["keys/id_lab", "canary-private-key"],
    ["tls/key.pem", "canary-tls-key"],
  ] as const) {
    mkdirSync(join(dir("first"), name, ".."), { recursive: true });
    writeFileSync(join(dir("first"), name), text, { mode: 0o600 });
  }
  await first.call("PUT", "/credential/lab", { username: "ops", password: "canary-kept" });
  await first.call("PUT", "/inventory/device/sw1", { host: "10.1.0.1", vars: { rack: 7 } });
  sealedSaid = patchbay("backup", dir("sealed"), ...from, "--passphrase-file", words).text;
  openSaid = patchbay("backup", dir("open"), ...from, "--no-files").text;
});
afterAll(async () => {
  await first?.stop();
  await device?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test("a backup made while jobs run restores every job and pushes none twice", async () => {
  const answered: string[] = [];
  let enough = false;
  const load = (async () => {
    for (let n = 0; !enough && n < 300; n++) {
      const answer = await first.call<{ id: string }>("POST", "/device/execute", push(n));
      expect(answer.status).toBe(201);
      answered.push(answer.body.data.id);
    }
  })();
  await expect.poll(() => entered().length, { timeout: 300_000 }).toBeGreaterThan(5);
  const known = [...answered];
  const child = spawn(
    program,
    [...begin, "backup", dir("loaded.age"), "--data-dir", dir("first"), "--passphrase-file", words],
    { env: { PATH: process.env.PATH, HOME: folder }, stdio: "ignore" },
  );
  expect((await once(child, "exit"))[0]).toBe(0);
  enough = true;
  await load;
  // The original finishes its work.
  for (const id of answered) expect(["finished", "failed"]).toContain((await first.ended(id)).status);
  const pushed = entered();
  expect(new Set(pushed).size).toBe(pushed.length);

  expect(restore(dir("loaded.age"), "second").text).toContain("Restored into");
  const second = await startService({ dataDir: dir("second"), env: { HOME: folder } });
  for (const id of known) expect((await second.job(id)).id).toBe(id);
  const held = await second.call<JobRecord[]>("GET", "/job?status=held&limit=500");
  expect(held.body.data.every(({ status }) => status === "held")).toBe(true);
  expect((await second.call<JobRecord[]>("GET", "/job?status=running")).body.data).toEqual([]);
  const credentials = await second.call<{ ref: string }[]>("GET", "/credential");
  expect(credentials.body.data.map(({ ref }) => ref)).toEqual(["lab"]);
  const device = await second.call("GET", "/inventory/device/sw1");
  expect(device.body.data).toMatchObject({ host: "10.1.0.1", vars: { rack: 7 }, revision: 1 });
  expect(await second.stop()).toBe(0);
  expect(entered()).toEqual(pushed);
});

test("a sealed archive restores everything; an unsealed one contains no key", async () => {
  expect(sealedSaid).toContain("holds the master key");
  expect(openSaid).toMatch(/Left out: files, master.key, keys, tls/);
  const listed = spawnSync("tar", ["-tzf", dir("open")], { encoding: "utf8" })
    .stdout.trim()
    .split("\n");
  expect(listed.sort()).toEqual(
    [
      "library/ntc/index",
      "manifest.json",
      "patchbay.db",
      "plugins/note.txt",
      "templates/site/base.j2",
    ].sort(),
  );
  expect(readFileSync(dir("sealed"), "latin1")).not.toContain("marker");
  expect(statSync(dir("open")).mode & 0o777).toBe(0o600);

  expect(restore(dir("sealed"), "whole").status).toBe(0);
  for (const name of ["master.key", "plugins/note.txt", "files/image.bin", "keys/id_lab", "tls/key.pem"]) {
    expect(readFileSync(join(dir("whole"), name)).equals(readFileSync(join(dir("first"), name)))).toBe(true);
    expect(statSync(join(dir("whole"), name)).mode & 0o077).toBe(0);
  }
  expect(readdirSync(dir("whole")).filter((name) => name.startsWith("restore"))).toEqual([]);
  expect(restore(dir("open"), "no-key").text).toContain("--master-key-file");
  expect(filesIn("no-key")).toEqual([]);
  expect(restore(dir("open"), "with-key", ...withKey).status).toBe(0);
});

test("restores only the database beside existing files", () => {
  const only = patchbay("backup", dir("only"), ...from, "--only-database");
  expect(only.text).toContain("Left out: plugins, templates, library, files, master.key, keys, tls.");
  mkdirSync(join(dir("beside"), "plugins"), { recursive: true });
  writeFileSync(join(dir("beside"), "plugins", "note.txt"), "another one");
  expect(restore(dir("only"), "beside", ...withKey).status).toBe(0);
  expect(readFileSync(join(dir("beside"), "plugins", "note.txt"), "utf8")).toBe("another one");
});

test("refuses a used or running directory and leaves it unchanged", () => {
  const before = readdirSync(join(dir("first"), "files"));
  // Not the sealed one: to derive its key takes a second.
  expect(restore(dir("open"), "first", ...withKey).text).toContain(`in use by pid ${first.child.pid}`);
  expect(readdirSync(join(dir("first"), "files"))).toEqual(before);
  mkdirSync(join(dir("own"), "plugins"), { recursive: true });
  writeFileSync(join(dir("own"), "plugins", "note.txt"), "another one");
  expect(restore(dir("open"), "own", ...withKey).text).toContain("already has another plugins/note.txt");
  expect(filesIn("own")).toEqual(["plugins"]);
  expect(readFileSync(join(dir("own"), "plugins", "note.txt"), "utf8")).toBe("another one");
  writeFileSync(dir("wrong"), "another passphrase\n");
  const wrong = patchbay("restore", dir("sealed"), "--data-dir", dir("x"), "--passphrase-file", dir("wrong"));
  expect(wrong.text).toContain("The passphrase does not open this archive");
  expect(filesIn("x")).toEqual([]);
});

test("does not unpack foreign files or more than the disk can hold", () => {
  const hostile = (path: string, size: number) => {
    const header = tarHeader({ path, size, mode: 0o644 });
    writeFileSync(dir("hostile"), gzipSync(Buffer.concat([header, Buffer.from("x"), tarPadding(1), tarEnd])));
    return restore(dir("hostile"), "hostile-to").text;
  };
  expect(hostile("home.id", 1)).toContain("is not part of a data directory");
  expect(hostile("master.key/x", 1)).toContain("is not part of a data directory");
  expect(hostile("../outside", 1)).toContain("leaves the archive");
  expect(hostile("files/bomb", 9e14)).toContain("There is not enough disk space");
  expect(filesIn("hostile-to")).toEqual([]);
  expect(existsSync(dir("outside"))).toBe(false);
});

test("a partial master key of an interrupted restore does not block the next restore", () => {
  mkdirSync(dir("half"));
  writeFileSync(join(dir("half"), "master.key"), "0123");
  expect(restore(dir("open"), "half", ...withKey).text).toContain("Restored into");
});

test("a killed restore leaves a refused or empty directory, and the next restore succeeds", async () => {
  // At ever later points.
  const signs = [
    { sign: "restore.unfinished", kind: "its marker" },
    { sign: "restore.new", kind: "unpacked files" },
    { sign: "restore.new/patchbay.db", kind: "unpacked files" },
    { sign: "plugins", kind: "files in place" },
    { sign: "master.key", kind: "files in place" },
    { sign: "patchbay.db", kind: "files in place" },
  ];
  for (const { sign } of sampled(signs, 3, ({ kind }) => kind)) {
    const to = `killed-${signs.findIndex((one) => one.sign === sign)}`;
    const child = spawn(program, [...begin, "restore", dir("open"), "--data-dir", dir(to), ...withKey], {
      env: { PATH: process.env.PATH, HOME: folder },
      stdio: "ignore",
    });
    const exited = once(child, "exit");
    await Promise.race([
      exited,
      (async () => {
        while (child.exitCode === null && !existsSync(join(dir(to), sign))) await new Promise(setImmediate);
      })(),
    ]);
    child.kill("SIGKILL");
    await exited;
    if (existsSync(join(dir(to), "restore.unfinished")))
      expect(refusal(dir(to), { PATCHBAY_API_KEY: first.key })).toContain(
        "was interrupted: run `patchbay restore` again",
      );
    const again = restore(dir("open"), to, ...withKey).text;
    expect(again).toMatch(/Restored into|There is a database already/);
    expect(existsSync(join(dir(to), "restore.unfinished"))).toBe(false);
    expect(readFileSync(join(dir(to), "plugins/note.txt"), "utf8")).toBe("a plugin");
  }
});
