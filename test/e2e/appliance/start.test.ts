/** A service that cannot start says why and what to do in one sentence, without a stack trace. */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, expect, test } from "vitest";
import { refusal, startService, tempFolder } from "../../../src/testkit/service.ts";

/** Root can write anywhere, so a read-only mount is needed; CI runs as root. */
const mayMount = process.getuid?.() === 0 && process.platform === "linux";
let folder: string;
beforeEach(() => {
  folder = tempFolder();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const cannotWrite = (dataDir: string) =>
  expect.stringMatching(
    new RegExp(`^patchbay: The data directory ${dataDir} cannot be written: .*PATCHBAY_DATA_DIR`),
  );

test("rejects a data directory that is a file or below one", () => {
  const file = join(folder, "file");
  writeFileSync(file, "");
  expect(refusal(file)).toEqual(cannotWrite(file));
  expect(refusal(join(file, "data"))).toEqual(cannotWrite(join(file, "data")));
});

test.skipIf(!mayMount)("rejects a read-only data directory, empty or used", async () => {
  const place = join(folder, "mounted");
  mkdirSync(place);
  execFileSync("/bin/mount", ["-t", "tmpfs", "-o", "size=64m", "tmpfs", place]);
  const remount = (how: string) => execFileSync("/bin/mount", ["-o", `remount,${how}`, place]);
  try {
    remount("ro");
    expect(refusal(place)).toEqual(cannotWrite(place));
    expect(refusal(join(place, "new"))).toEqual(cannotWrite(join(place, "new")));
    remount("rw");
    const used = await startService({ dataDir: place });
    expect(await used.stop()).toBe(0);
    remount("ro");
    expect(refusal(place)).toEqual(cannotWrite(place));
    remount("rw");
    const again = await startService({ dataDir: place });
    expect(await again.stop()).toBe(0);
  } finally {
    execFileSync("/bin/umount", ["-l", place]);
  }
});

test("rejects a data directory owned by another process, and a damaged database", async () => {
  const dataDir = join(folder, "data");
  const first = await startService({ dataDir });
  const owner = `${first.child.pid} \\(patchbay serve, since \\d{4}-[^,]+Z, on ${hostname()}\\)`;
  expect(refusal(dataDir)).toMatch(
    new RegExp(
      `^patchbay: The data directory is in use by pid ${owner}: ${dataDir}\\. Stop that process first`,
    ),
  );
  expect((await first.call("GET", "/health")).status).toBe(200);
  expect(await first.stop()).toBe(0);
  const database = join(dataDir, "patchbay.db");
  truncateSync(database, 10_000);
  expect(refusal(dataDir)).toMatch(/^patchbay: .*patchbay\.db is damaged .*Restore a backup/);
});

test("rejects a master key that does not match the data", async () => {
  const dataDir = join(folder, "data");
  const first = await startService({ dataDir });
  expect(await first.stop()).toBe(0);
  expect(refusal(dataDir, { PATCHBAY_MASTER_KEY: "ab".repeat(32) })).toMatch(/^patchbay: .*master key/);
});

test("reports an unreachable database server", () => {
  expect(refusal(folder, { PATCHBAY_DATABASE_URL: "http://127.0.0.1:9" })).toMatch(/^patchbay: .*database/i);
});
