/** `config` rejects what `serve` rejects, with the same message; a weak key causes a warning. */
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, expect, test } from "vitest";
import { programOf, tempFolder } from "../../src/testkit/service.ts";

const [program, ...begin] = programOf();

let folder: string;
beforeEach(() => {
  folder = tempFolder();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function run(command: string, env: Record<string, string>) {
  const dataDir = join(folder, "data");
  return spawnSync(program, [...begin, ...command.split(" ")], {
    encoding: "utf8",
    timeout: 120_000,
    env: { PATH: process.env.PATH, PATCHBAY_DATA_DIR: dataDir, PATCHBAY_LISTEN: "127.0.0.1:0", ...env },
  });
}

const wrong: [string, () => Record<string, string>, string][] = [
  [
    "a missing plugin folder",
    () => ({ PATCHBAY_PLUGINS: "/nowhere" }),
    "PATCHBAY_PLUGINS: there is no folder /nowhere",
  ],
  [
    "a missing key folder",
    () => ({ PATCHBAY_KEY_ROOTS: `${folder}:/nowhere` }),
    "PATCHBAY_KEY_ROOTS: there is no folder",
  ],
  [
    "a missing known_hosts file",
    () => ({ PATCHBAY_KNOWN_HOSTS: "/nowhere/known_hosts" }),
    "PATCHBAY_KNOWN_HOSTS: there is no file",
  ],
  ["a database URL without TLS", () => ({ PATCHBAY_DATABASE_URL: "http://192.0.2.1" }), "needs TLS"],
  ["an invalid CIDR range", () => ({ PATCHBAY_URL_DENY: "127.0.0.0/88" }), "is not a CIDR range"],
  ["an invalid port", () => ({ PATCHBAY_LISTEN: "127.0.0.1:99999" }), "the port must be at most 65535"],
  ["a short master key", () => ({ PATCHBAY_MASTER_KEY: "short" }), "must be 32 bytes"],
  [
    "a data directory that is a file",
    () => ({ PATCHBAY_DATA_DIR: join(folder, "file") }),
    "cannot be written",
  ],
  ["an invalid master key file", () => ({ PATCHBAY_DATA_DIR: join(folder, "bad") }), "must be 32 bytes"],
];

test.each(wrong)("config and serve reject %s with the same message", (_, env, why) => {
  writeFileSync(join(folder, "file"), "");
  mkdirSync(join(folder, "bad"));
  writeFileSync(join(folder, "bad", "master.key"), "nonsense\n");
  const [checked, served] = [run("config", env()), run("serve", env())];
  expect(checked.stderr).toContain(why);
  expect(checked.stdout).toBe("");
  expect(served.stderr).toBe(checked.stderr);
  expect([checked.status, served.status]).toEqual([1, 1]);
  expect(served.stderr).not.toContain("    at ");
});

test("a guessable API key causes a warning, and an invalid host pattern is rejected", () => {
  expect(run("config", { PATCHBAY_API_KEY: "a" }).stderr).toContain("PATCHBAY_API_KEY has only 1 characters");
  const added = run("key add k --hosts 10.0.0.0/99", {});
  expect(added.stderr).toContain('--hosts: "10.0.0.0/99" is not a CIDR range');
  expect(added.status).toBe(1);
});
