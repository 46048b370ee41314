/** Every command of docs/guides/security.md runs as written, in order, on the test's own data directory. */
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { programOf, tempFolder } from "../../../src/testkit/service.ts";
import { selfSigned } from "../../support/certificates.ts";

vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 });
const page = readFileSync("docs/guides/security.md", "utf8");
const commands = [...page.matchAll(/^```bash\n(.*?)^```$/gms)].flatMap(([, block = ""]) =>
  block.trim().split("\n"),
);
const folder = tempFolder();
const env = { PATH: process.env.PATH, HOME: folder, PATCHBAY_DATA_DIR: join(folder, "data") };

function shell(command: string) {
  const patchbay = `patchbay() { "${programOf().join('" "')}" "$@"; }`;
  const done = spawnSync("bash", ["-c", `${patchbay}; ${command}`], { encoding: "utf8", cwd: folder, env });
  return { status: done.status, text: done.stdout + done.stderr };
}

beforeAll(async () => {
  writeFileSync(join(folder, "berlin-core.json"), '{"username": "ops", "password": "canary-berlin"}');
  writeFileSync(join(folder, "backup.passphrase"), "correct horse battery");
  writeFileSync(join(folder, "branch.pem"), (await selfSigned("branch")).cert);
  expect(shell("patchbay key add first --scope admin").status).toBe(0);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("documents commands for keys, credentials, backups and inspection", () => {
  expect(commands.length).toBeGreaterThan(8);
  expect(page).not.toMatch(/^```(?!bash$|$)/m);
});

test.each(commands)("%s", (command) => {
  const { status, text } = shell(command);
  // Its findings depend on the machine; only the check itself matters.
  if (command === "patchbay doctor") expect(text).toMatch(/^ok {4}database: /m);
  else expect([command, status, text]).toEqual([command, 0, text]);
  expect(text).not.toContain("canary");
});
