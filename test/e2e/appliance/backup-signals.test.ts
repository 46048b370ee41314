/** Backups and services that are killed or stopped in the middle: whole or nothing, and nothing left behind for good. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import Libsql from "libsql";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { checkArchive } from "../../../src/backup/read.ts";
import { pause } from "../../../src/base/time/deadline.ts";
import { programOf, type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { sampled } from "../../support/sampled.ts";

vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 });

const folder = tempFolder();
const data = join(folder, "data");
const to = join(folder, "backups");
const mib = 1024 * 1024;
let service: Service;

beforeAll(async () => {
  await (await startService({ dataDir: data })).stop();
  // Large enough for a signal to arrive while it is copied and packed.
  const database = new Libsql(join(data, "patchbay.db"));
  const add = database.prepare("insert into meta (key, value) values (?, ?)");
  for (let n = 0; n < 20; n++) add.run(`filler-${n}`, randomBytes(mib / 2).toString("hex"));
  database.close();
  mkdirSync(join(data, "files"), { recursive: true });
  writeFileSync(join(data, "files", "image.bin"), randomBytes(6 * mib));
  service = await startService({ dataDir: data });
});
afterAll(async () => {
  await service?.stop();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to);
});

const [program, ...begin] = programOf();
const args = (name: string) => [...begin, "backup", join(to, name), "--data-dir", data];
const env = { PATH: process.env.PATH, HOME: folder };

function made(name: string): string {
  const { status, stdout, stderr } = spawnSync(program, args(name), { encoding: "utf8", env });
  expect([status, stderr]).toEqual([0, ""]);
  return stdout;
}

const working = () => readdirSync(to).filter((name) => name.startsWith(".patchbay-backup-"));

type Phase = "database" | "archive";

/** Sends the signal as soon as the backup has written a megabyte of that file. */
async function signalled(name: string, phase: Phase, signal: NodeJS.Signals): Promise<ChildProcess> {
  const child = spawn(program, args(name), { env, stdio: "ignore" });
  for (;;) {
    expect(child.exitCode, "it ended too early").toBe(null);
    const sizes = working().map((one) => statSync(join(to, one, phase), { throwIfNoEntry: false })?.size);
    if (sizes.some((size = 0) => size > mib)) break;
    await pause(1);
  }
  child.kill(signal);
  return child;
}

async function continued(child: ChildProcess): Promise<unknown> {
  const ended = once(child, "exit");
  child.kill("SIGCONT");
  return (await ended)[0];
}

async function accepts(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    const answer = await service.call<{ id: string }>("POST", "/device/execute", {
      driver: "netmiko",
      connection_args: { device_type: "cisco_ios", host: "192.0.2.1", username: "u", password: "p" },
      command: `show ${"x".repeat(1_000)}`,
      options: { not_before: new Date(Date.now() + 3_600_000).toISOString(), ttl: 7_200 },
    });
    expect(answer.status).toBe(201);
    ids.push(answer.body.data.id);
  }
  return ids;
}

/** In a plain run one of them. */
const phases = sampled(["database", "archive"] as const, 1, () => "a file");

test.each(phases)("killed while it writes the %s: the next one removes what is left", async (phase) => {
  const child = await signalled("a.tar.gz", phase, "SIGKILL");
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  expect(working()).toHaveLength(1);
  mkdirSync(join(to, ".patchbay-backup-0123456789abcdef"));
  writeFileSync(join(to, ".patchbay-backup-0123456789abcdef", "notes"), "of somebody else");
  expect(made("b.tar.gz")).toMatch(/^Removed what interrupted backups had left \(backups: 1, \d+ MiB\)\./);
  expect(readdirSync(to).sort()).toEqual([".patchbay-backup-0123456789abcdef", "b.tar.gz"]);
  await checkArchive(join(to, "b.tar.gz"), undefined);
});

test.each(phases)(
  "stopped while it writes the %s: another backup leaves it alone, the service goes on, and it ends whole",
  async (phase) => {
    const child = await signalled("a.tar.gz", phase, "SIGSTOP");
    await accepts(50);
    expect(made("b.tar.gz")).not.toContain("Removed");
    // Longer than any write of the service or the backup may take.
    await pause(12_000);
    const ids = await accepts(50);
    for (const id of ids) expect((await service.job(id)).id).toBe(id);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    expect(await continued(child)).toBe(0);
    expect(readdirSync(to).sort()).toEqual(["a.tar.gz", "b.tar.gz"]);
    await checkArchive(join(to, "a.tar.gz"), undefined);
  },
);

test("the service is stopped during a backup for longer than its lease: both end whole", async () => {
  const child = spawn(program, args("a.tar.gz"), { env, stdio: "ignore" });
  const ended = once(child, "exit");
  while (working().length === 0) await pause(1);
  service.child.kill("SIGSTOP");
  await pause(32_000);
  const [code] = await ended;
  service.child.kill("SIGCONT");
  expect(readdirSync(to)).toEqual(code === 0 ? ["a.tar.gz"] : []);
  if (code === 0) await checkArchive(join(to, "a.tar.gz"), undefined);
  await expect.poll(async () => (await fetch(`${service.url}/readyz`)).status, { timeout: 60_000 }).toBe(200);
  await accepts(5);
});
