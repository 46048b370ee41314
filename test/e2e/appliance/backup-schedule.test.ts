/** Scheduled backups: taken during work, the oldest removed, failures reported. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { programOf, refusal, type Service, startService, tempFolder } from "../../../src/testkit/service.ts";

const [program, ...begin] = programOf();

const folder = tempFolder();
const kept = join(folder, "kept");
const data = join(folder, "data");
const words = join(folder, "passphrase");
const old = "patchbay-20250101T000000Z.tar.gz";
const leftover = `.${old}.0123abcd.partial`;
const env = {
  HOME: folder,
  PATCHBAY_BACKUP_CRON: "* * * * * *",
  PATCHBAY_BACKUP_FOLDER: kept,
  PATCHBAY_BACKUP_KEEP: "2",
  PATCHBAY_BACKUP_PASSPHRASE_FILE: words,
};
/** Key derivation is slow by design, and the machine may be busy. */
const patient = { timeout: 400_000 };
vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 });
let service: Service;
beforeAll(() => {
  mkdirSync(kept);
  // Leftovers of an aborted backup, and files of others.
  writeFileSync(join(kept, leftover), "x");
  writeFileSync(join(kept, old), "old");
  writeFileSync(words, "correct horse battery");
  writeFileSync(join(kept, "patchbay-of-mine.tar.gz"), "mine");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const archives = () => readdirSync(kept).filter((name) => /^patchbay-\d{8}T/.test(name));
const doctor = (backups: string) =>
  spawnSync(program, [...begin, "doctor", "--data-dir", data], {
    encoding: "utf8",
    env: { PATH: process.env.PATH, ...env, PATCHBAY_BACKUP_FOLDER: backups },
  }).stdout;
const metric = async (name: string) => {
  const text = await (
    await fetch(`${service.url}/metrics`, { headers: { "X-API-KEY": service.key } })
  ).text();
  return new RegExp(`^${name} (.*)$`, "m").exec(text)?.[1];
};

// It makes one each second, so it is stopped before the tests of others.
describe("a service", () => {
  beforeAll(async () => {
    service = await startService({ dataDir: data, env });
  });
  afterAll(() => service?.stop());

  test("makes backups, keeps the newest, and leaves other files alone", async () => {
    await expect.poll(() => archives().some((name) => name !== old), patient).toBe(true);
    await expect.poll(() => existsSync(join(kept, old)), patient).toBe(false);
    expect(archives().length).toBeLessThanOrEqual(3);
    expect(readdirSync(kept)).toContain("patchbay-of-mine.tar.gz");
    expect(readdirSync(kept)).not.toContain(leftover);
    await expect.poll(() => service.output().includes('"backup.done"'), patient).toBe(true);
    expect(Number(await metric("patchbay_backup_newest_timestamp_seconds"))).toBeGreaterThan(1_700_000_000);
    expect(await metric("patchbay_backup_failed")).toBe("0");
    expect(doctor(kept)).toMatch(/^ok {4}backups: the newest in/m);
  });

  test("reports a failed backup in log, metrics and doctor until one succeeds", async () => {
    writeFileSync(words, "short");
    await expect.poll(() => service.output().includes('"backup.failed"'), patient).toBe(true);
    await expect.poll(() => metric("patchbay_backup_failed"), patient).toBe("1");
    writeFileSync(words, "correct horse battery");
    await expect.poll(() => metric("patchbay_backup_failed"), patient).toBe("0");
    const failed = join(folder, "failed");
    mkdirSync(failed);
    writeFileSync(join(failed, "patchbay-backup.failed"), "2026-01-01T00:00:00Z the disk is full");
    expect(doctor(failed)).toMatch(
      /^FAIL {2}backups: the last one failed: 2026-01-01T00:00:00Z the disk is full/m,
    );
  });
});

test.each([
  [{ PATCHBAY_BACKUP_CRON: "every day" }, "PATCHBAY_BACKUP_CRON is not a cron expression"],
  [{ PATCHBAY_BACKUP_FOLDER: "" }, "PATCHBAY_BACKUP_FOLDER is not set"],
  [{ PATCHBAY_BACKUP_CRON: "" }, "PATCHBAY_BACKUP_CRON is not set"],
  [{ PATCHBAY_BACKUP_PASSPHRASE_FILE: "/nowhere" }, "PATCHBAY_BACKUP_PASSPHRASE_FILE: The passphrase file"],
  [{ PATCHBAY_DATABASE_URL: "http://127.0.0.1:1" }, "back up a database on a server there"],
])("serve rejects %j", (more, why) => {
  // The compiled program makes the folder first, for its native part of libSQL.
  const [bun, ...main] = programOf({ runtime: "bun" });
  const text = spawnSync(bun, [...main, "serve", "--data-dir", join(folder, "none")], {
    encoding: "utf8",
    env: { PATH: process.env.PATH, ...env, PATCHBAY_LISTEN: "127.0.0.1:0", ...more },
  }).stderr;
  expect(text).toContain(why);
  expect(existsSync(join(folder, "none"))).toBe(false);
});

test("does not start in a directory whose restore was interrupted", () => {
  const directory = join(folder, "cut");
  mkdirSync(directory);
  writeFileSync(join(directory, "restore.unfinished"), "[]");
  expect(refusal(directory)).toContain("was interrupted: run `patchbay restore` again");
});
