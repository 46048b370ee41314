/** A command that finds the store in use says which process has it, and what to do. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { pause } from "../../../src/base/time/deadline.ts";
import { programOf, type Service, startService, tempFolder } from "../../../src/testkit/service.ts";

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const [program, ...begin] = programOf();
const folder = tempFolder();
const data = join(folder, "data");
const backup = join(folder, "backup.tar.gz");
const env = { PATH: process.env.PATH, HOME: folder };
const withKey = ["--master-key-file", join(data, "master.key")];

function patchbay(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(program, [...begin, ...args], {
    encoding: "utf8",
    env,
  });
  return { status, text: stdout + stderr };
}

beforeAll(async () => {
  mkdirSync(join(data, "files"), { recursive: true });
  writeFileSync(join(data, "files", "image.bin"), randomBytes(40 * 1024 * 1024));
  await (await startService({ dataDir: data })).stop();
  expect(patchbay("backup", backup, "--data-dir", data).status).toBe(0);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const since = "since \\d{4}-\\d\\d-\\d\\dT[^,]+Z";

async function withLock(work: (holder: ChildProcess) => void): Promise<void> {
  const script = `import Libsql from "libsql";
const database = new Libsql(${JSON.stringify(join(data, "patchbay.db"))});
database.exec("begin immediate");
console.log("mine");
setInterval(() => database.open, 1000);`;
  const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  try {
    work(child);
  } finally {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
}

test.skipIf(process.platform !== "linux")("a database that another process has locked", async () => {
  await withLock(({ pid }) => {
    const told = new RegExp(
      `patchbay\\.db is locked by pid ${pid} \\([^,]+, ${since}, on ${hostname()}\\)\\. Wait until that process`,
    );
    for (const command of [
      ["key", "list"],
      ["credential", "list"],
      ["backup", join(folder, "b")],
      ["doctor"],
    ]) {
      const { status, text } = patchbay(...command, "--data-dir", data);
      expect([command, status, text]).toEqual([command, 1, expect.stringMatching(told)]);
    }
  });
  expect(existsSync(join(folder, "b"))).toBe(false);
  await withLock((holder) => {
    holder.kill("SIGSTOP");
    const { text } = patchbay("key", "list", "--data-dir", data);
    expect(text).toContain(`stopped by a signal: kill -CONT ${holder.pid} continues it`);
  });
});

test("a directory whose service runs is not restored into", async () => {
  const service: Service = await startService({ dataDir: data });
  try {
    const { status, text } = patchbay("restore", backup, "--data-dir", data, ...withKey);
    expect([status, text]).toEqual([
      1,
      expect.stringContaining(`in use by pid ${service.child.pid} (patchbay serve`),
    ]);
  } finally {
    await service.stop();
  }
});

test("a restore leaves the files of another that still runs, or is stopped", async () => {
  const target = join(folder, "restored");
  const args = [...begin, "restore", backup, "--data-dir", target, ...withKey];
  const first = spawn(program, args, { env, stdio: "ignore" });
  while (!existsSync(join(target, "restore.new"))) await pause(1);
  first.kill("SIGSTOP");
  const { status, text } = patchbay("restore", backup, "--data-dir", target, ...withKey);
  expect([status, text]).toEqual([
    1,
    expect.stringContaining(`in use by pid ${first.pid} (patchbay restore`),
  ]);
  const ended = once(first, "exit");
  first.kill("SIGCONT");
  expect(await ended).toEqual([0, null]);
  expect(existsSync(join(target, "files", "image.bin"))).toBe(true);
});

test("a killed restore is told by the next, which succeeds", async () => {
  const target = join(folder, "killed");
  const args = [...begin, "restore", backup, "--data-dir", target, ...withKey];
  const first = spawn(program, args, { env, stdio: "ignore" });
  while (!existsSync(join(target, "restore.new"))) await pause(1);
  first.kill("SIGKILL");
  await once(first, "exit");
  const { status, text } = patchbay("restore", backup, "--data-dir", target, ...withKey);
  expect([status, text]).toEqual([
    0,
    expect.stringMatching(/^Removed what an interrupted restore had left\./),
  ]);
});
