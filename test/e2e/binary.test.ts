/** The compiled binary starts where the folder for temporary files may hold no programs, or can not be written. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, expect, test } from "vitest";
import { unpackNative } from "../../src/runtime/native.ts";
import { startService, tempFolder } from "../../src/testkit/service.ts";

const mayMount = process.getuid?.() === 0 && process.platform === "linux" && process.arch === "x64";
const binary = resolve("dist/patchbay");
let folder: string;
beforeEach(() => {
  folder = tempFolder();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test.skipIf(!mayMount)(
  "with /tmp mounted noexec, then read-only",
  async () => {
    execFileSync(process.execPath, ["scripts/build-binary.ts"], { stdio: "pipe" });
    const dataDir = join(folder, "data");
    const temporary = join(folder, "tmp");
    mkdirSync(temporary);
    const env = { TMPDIR: temporary, BUN_TMPDIR: temporary };
    execFileSync("/bin/mount", ["-t", "tmpfs", "-o", "noexec,size=64m", "tmpfs", temporary]);
    try {
      const first = await startService({ dataDir, binary, env });
      expect((await first.call("GET", "/health")).status).toBe(200);
      expect(await first.stop()).toBe(0);
      const kept = readdirSync(join(dataDir, "native"));
      expect(kept).toEqual([expect.stringMatching(/^libsql-[0-9a-f]{32}\.node$/)]);
      expect(readdirSync(temporary)).toEqual([]);
      execFileSync("/bin/mount", ["-o", "remount,ro,noexec", temporary]);
      const second = await startService({ dataDir, binary, env });
      expect(await second.stop()).toBe(0);
      // Nowhere at all: one sentence.
      writeFileSync(join(folder, "file"), "");
      const refused = spawnSync(binary, ["serve"], {
        encoding: "utf8",
        env: { ...env, PATCHBAY_DATA_DIR: join(folder, "file"), PATCHBAY_LISTEN: "127.0.0.1:0" },
      });
      expect(refused.status).toBe(1);
      expect(refused.stderr.trim().split("\n")).toHaveLength(1);
    } finally {
      execFileSync("/bin/umount", ["-l", temporary]);
    }
  },
  240_000,
);

test("the native part is checked by its hash, and that of another version goes", () => {
  const bytes = Buffer.from("a library");
  const path = unpackNative(folder, bytes);
  writeFileSync(join(folder, "native", "libsql-00.node"), "old");
  writeFileSync(path, "changed");
  expect(unpackNative(folder, bytes)).toBe(path);
  expect(readdirSync(join(folder, "native"))).toHaveLength(1);
  expect(execFileSync("cat", [path]).equals(bytes)).toBe(true);
  expect(existsSync(path)).toBe(true);
});
