/** What `bun run build` makes besides the program: the Debian package, the Containerfile, the man page. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { version } from "../../../src/base/version.ts";
import { freePort } from "../../../src/testkit/port.ts";
import { type Machine, startMachine } from "../../support/machine.ts";
import { binary } from "../binary.ts";

// Programs are built and started here, on a machine that may be busy.
vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 });
const able = process.getuid?.() === 0 && process.platform === "linux";
const hasDpkg = existsSync("/usr/bin/dpkg-deb");
const architecture = process.arch === "x64" ? "amd64" : "arm64";
const path = resolve(`dist/patchbay_${version}_${architecture}.deb`);

let machine: Machine;
beforeAll(async () => {
  if (!able) return;
  mkdirSync("dist", { recursive: true });
  execFileSync(process.execPath, ["scripts/build-binary.ts", `--built=${await binary()}`], { stdio: "pipe" });
  machine = await startMachine();
});
afterAll(async () => {
  if (!able) return;
  machine.run("systemctl", "stop", "patchbay.service");
  await machine.stop();
});

test.runIf(able)("the checksums match the files", () => {
  const { status, stdout } = spawnSync("sha256sum", ["-c", "SHA256SUMS"], { cwd: "dist", encoding: "utf8" });
  expect(stdout).toContain("patchbay: OK");
  expect(status).toBe(0);
});

test.runIf(able && existsSync("/usr/bin/man"))("the man page is valid and covers every command", () => {
  const env = { PATH: "/usr/bin:/bin", LC_ALL: "C.UTF-8", MANWIDTH: "100" };
  const { stdout, stderr } = spawnSync("man", ["-l", "--warnings", "dist/patchbay.1"], {
    encoding: "utf8",
    env,
  });
  expect(stderr).toBe("");
  for (const part of ["patchbay serve", "patchbay key add", "--dry-run", "ENVIRONMENT"])
    expect(stdout).toContain(part);
});

test.runIf(able && hasDpkg)("installs the package, removes its service, and purges its data", async () => {
  const port = await freePort();
  // As an operator who has already created a settings file.
  machine.run("mkdir", "-p", "/etc/patchbay");
  machine.run("sh", "-c", `echo 'listen = "127.0.0.1:${port}"' > /etc/patchbay/patchbay.toml`);
  // The fake systemctl finds the unit where the package installs it.
  machine.run("ln", "-s", "/lib/systemd/system/patchbay.service", "/etc/systemd/system/patchbay.service");
  const installed = machine.run("dpkg", "-i", "--force-depends", "--force-confold", path);
  expect(installed).toMatchObject({ status: 0 });
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
  expect(answer.status).toBe(200);
  expect(machine.calls()).toEqual(["daemon-reload", "enable patchbay.service", "restart patchbay.service"]);
  expect(machine.run("patchbay", "version").text).toContain(version);
  expect(machine.run("dpkg", "-r", "patchbay")).toMatchObject({ status: 0 });
  expect(await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => "gone")).toBe("gone");
  expect(machine.run("ls", "/var/lib/patchbay/patchbay.db", "/etc/patchbay/patchbay.toml").status).toBe(0);
  expect(machine.run("dpkg", "-P", "patchbay")).toMatchObject({ status: 0 });
  expect(machine.run("ls", "/var/lib/patchbay").status).not.toBe(0);
});

test.runIf(able)("the steps of the Containerfile produce a healthy service without root", async () => {
  const text = readFileSync("dist/Containerfile", "utf8");
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  const steps = lines.map((line): [string, string] => {
    const at = line.indexOf(" ");
    return [line.slice(0, at), line.slice(at + 1)];
  });
  const known = /^(FROM|COPY|RUN|USER|WORKDIR|VOLUME|ENV|EXPOSE|STOPSIGNAL|HEALTHCHECK|ENTRYPOINT|CMD)$/;
  expect(steps.filter(([name]) => !known.test(name))).toEqual([]);
  const one = (name: string) => steps.find(([step]) => step === name)?.[1] ?? "";
  const words = (list: string): string[] => JSON.parse(list.slice(list.indexOf("[")));
  machine.run("cp", resolve("dist/patchbay"), one("COPY").split(" ")[1] ?? "");
  expect(machine.run("sh", "-c", one("RUN"))).toMatchObject({ status: 0 });
  expect(one("USER")).toBe("patchbay");
  const listen = `PATCHBAY_LISTEN=127.0.0.1:${await freePort()}`;
  const place = ["env", "-C", one("WORKDIR"), ...one("ENV").split(" "), listen];
  const within = ["setpriv", "--reuid", "patchbay", "--regid", "patchbay", "--clear-groups", ...place];
  const isHealthy = () => machine.run(...within, ...words(one("HEALTHCHECK"))).status;
  expect(isHealthy()).toBe(1);
  const child = spawn(
    "nsenter",
    [...machine.within, ...within, ...words(one("ENTRYPOINT")), ...words(one("CMD"))],
    {
      stdio: "ignore",
    },
  );
  const ended = once(child, "exit");
  await expect.poll(isHealthy).toBe(0);
  child.kill("SIGTERM");
  expect((await ended)[0]).toBe(0);
});
