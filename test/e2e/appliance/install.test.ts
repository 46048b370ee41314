/**
 * The compiled program installs itself as a service, is upgraded, downgraded and removed, in an isolated
 * environment.
 */
import { createHash } from "node:crypto";
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { migrations } from "../../../migrations/index.ts";
import { freePort } from "../../../src/testkit/port.ts";
import { tempFolder } from "../../../src/testkit/service.ts";
import { type Machine, startMachine } from "../../support/machine.ts";
import { binary } from "../binary.ts";

// Programs are built and started here, on a machine that may be busy.
vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 });
const able = process.getuid?.() === 0 && process.platform === "linux";
const installed = "/usr/local/bin/patchbay";
const settings = "/etc/patchbay/patchbay.toml";
const unit = "/etc/systemd/system/patchbay.service";

let machine: Machine;
let program: string;
let folder: string;
let port: number;
beforeAll(async () => {
  if (!able) return;
  folder = tempFolder();
  port = await freePort();
  machine = await startMachine();
  program = await binary();
});
afterAll(async () => {
  if (!able) return;
  machine.run("systemctl", "stop", "patchbay.service");
  await machine.stop();
  rmSync(folder, { recursive: true, force: true });
});

const sumOf = (path: string) => createHash("sha256").update(readFileSync(path)).digest("hex");
const answers = async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.status;

/** A program that reports `version`, knows these migrations, and never becomes ready. */
function pretender(version: string, schema: readonly string[]): string {
  const path = join(folder, `pretender-${version}`);
  const said = { name: "patchbay", version, api: "0.2", schema, target: "", runtime: "", compiled: true };
  const text = `#!/bin/sh\n[ "$1" = version ] && { echo '${JSON.stringify(said)}'; exit; }\nexit 7\n`;
  writeFileSync(path, text, { mode: 0o755 });
  return path;
}

test.runIf(able)("--dry-run prints everything and changes nothing", () => {
  const { status, text } = machine.run(program, "install", "--dry-run");
  expect(status).toBe(0);
  for (const part of [installed, unit, settings, "NoNewPrivileges=yes", "#listen = ", "systemctl enable"])
    expect(text).toContain(part);
  expect(machine.run("ls", "/etc/patchbay", installed).status).not.toBe(0);
});

test.runIf(able)(
  "creates an account, files with their permissions, and a unit that systemd accepts",
  async () => {
    expect(machine.run(program, "install", "--no-start").text).toContain("made       /var/lib/patchbay");
    const account = /^patchbay:x:(\d+):(\d+):.*:\/var\/lib\/patchbay:.*nologin$/m.exec(
      machine.read("/etc/passwd"),
    );
    const data = statSync(machine.path("/var/lib/patchbay"));
    expect([data.uid, data.mode & 0o777]).toEqual([Number(account?.[1]), 0o700]);
    const file = statSync(machine.path(settings));
    expect([file.uid, file.gid, file.mode & 0o777]).toEqual([0, Number(account?.[2]), 0o640]);
    expect(statSync(machine.path("/etc/patchbay/secrets.env")).mode & 0o777).toBe(0o600);
    expect(machine.run("systemd-analyze", "verify", unit).text).not.toContain("patchbay.service");
    // A key that root creates before the first start must not lock out the service: all files belong to its
    // account.
    const early = machine.run(installed, "key", "add", "early", "--data-dir", "/var/lib/patchbay");
    expect(early).toMatchObject({ status: 0 });
    const strangers = machine.run("find", "/var/lib/patchbay", "!", "-user", "patchbay");
    expect(strangers).toMatchObject({ status: 0, text: "" });
    // Every line of the settings file is valid once uncommented.
    const plain = machine.read(settings).replaceAll(/^#(\w+ = .+)$/gm, "$1");
    writeFileSync(join(folder, "all.toml"), plain.replace(/^\[plugins.*/gm, "#"));
    writeFileSync(
      machine.path(settings),
      machine.read(settings).replace(/^#listen = .*/m, `listen = "127.0.0.1:${port}"`),
    );
    const checked = machine.run(
      program,
      "config",
      "--config",
      join(folder, "all.toml"),
      "--data-dir",
      folder,
    );
    expect(checked.text).toContain("listen");
    expect(checked.status).toBe(0);
  },
);

test.runIf(able)(
  "a second install keeps the operator's changes, and the service starts and answers",
  async () => {
    const { status, text } = machine.run(program, "install");
    expect({ status, text }).toMatchObject({ status: 0 });
    expect(text).toContain(`kept       ${settings}`);
    expect(text).toContain(`unchanged  ${installed}`);
    expect(text).toContain(`unchanged  ${unit}`);
    expect(await answers()).toBe(200);
    const key = machine.run(
      installed,
      "key",
      "add",
      "admin",
      "--scope",
      "admin",
      "--data-dir",
      "/var/lib/patchbay",
    );
    expect(key.status).toBe(0);
  },
);

test.runIf(able)("a wrong checksum or a foreign program changes nothing", async () => {
  const before = sumOf(machine.path(installed));
  const wrong = machine.run(installed, "upgrade", program, "--sha256", "0".repeat(64));
  expect(wrong.status).toBe(1);
  expect(wrong.text).toContain("nothing was changed");
  expect(machine.run(installed, "upgrade", program).text).toContain("SHA256SUMS");
  writeFileSync(join(folder, "other"), "#!/bin/sh\nexit 0\n");
  const other = machine.run(
    installed,
    "upgrade",
    join(folder, "other"),
    "--sha256",
    sumOf(join(folder, "other")),
  );
  expect(other.text).toContain("is not a Patchbay");
  const older = pretender(
    "0.1.0",
    migrations.slice(0, 1).map(({ name }) => name),
  );
  const refused = machine.run(installed, "upgrade", older, "--sha256", sumOf(older));
  expect(refused).toMatchObject({ status: 1 });
  expect(refused.text).toContain("does not support the database");
  expect(refused.text.split("\n")).toHaveLength(1);
  expect(sumOf(machine.path(installed))).toBe(before);
  expect(await answers()).toBe(200);
});

test.runIf(able)(
  "rolls back a version that does not become ready, with its database if that was migrated",
  async () => {
    const before = sumOf(machine.path(installed));
    const names = migrations.map(({ name }) => name);
    for (const [version, schema] of [
      ["9.0.0", names] as const,
      ["9.1.0", [...names, "9999_later"]] as const,
    ]) {
      const bad = pretender(version, schema);
      const { status, text } = machine.run(
        installed,
        "upgrade",
        bad,
        "--sha256",
        sumOf(bad),
        "--wait",
        "600",
      );
      expect({ status, text }).toMatchObject({ status: 1 });
      expect(text).toContain(`${version} was not ready`);
      expect(text).toContain("and runs");
      expect(sumOf(machine.path(installed))).toBe(before);
      expect(await answers()).toBe(200);
    }
    expect(machine.run("sh", "-c", "ls /var/lib/patchbay/backups").text).toMatch(/of-the-new-version\.db/);
  },
);

test.runIf(able)(
  "upgrades with SHA256SUMS after a backup; uninstall keeps the data until --purge",
  async () => {
    writeFileSync(join(folder, "SHA256SUMS"), `${sumOf(program)}  patchbay\n`);
    machine.run("cp", program, join(folder, "patchbay"));
    const { status, text } = machine.run(installed, "upgrade", join(folder, "patchbay"), "--wait", "600");
    expect({ status, text }).toMatchObject({ status: 0 });
    expect(text).toContain("It is ready.");
    expect(await answers()).toBe(200);
    expect(statSync(machine.path(`${installed}.previous`)).size).toBeGreaterThan(1_000_000);
    expect(machine.run(installed, "uninstall").status).toBe(0);
    expect(await answers()).toBeUndefined();
    expect(machine.run("ls", installed, unit).status).not.toBe(0);
    expect(machine.run("ls", "/var/lib/patchbay/patchbay.db", settings).status).toBe(0);
    expect(machine.run(program, "uninstall", "--purge").status).toBe(0);
    expect(machine.run("ls", "/var/lib/patchbay").status).not.toBe(0);
    expect(machine.read("/etc/passwd")).not.toContain("patchbay:");
  },
);
