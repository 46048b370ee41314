/**
 * Installs what the tests' real servers need (Debian, with root). Quiet, idempotent; leaves no service
 * running.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import process from "node:process";
import { isRoot, type Missing, type Server, servers, whyMissing } from "./catalogue.ts";
import { withLock } from "./lock.ts";

/** Returns what is still missing after the installation. */
export async function prepareTestbed(): Promise<readonly Missing[]> {
  const all: readonly Server[] = Object.values(servers);
  const wanted = all.filter(({ files }) => files.some((file) => !existsSync(file)));
  const failure =
    isRoot() && wanted.length > 0 ? installPackages(wanted.flatMap((one) => one.packages)) : undefined;
  return Object.entries(servers).flatMap(([key, { name, tests }]) => {
    const reason = whyMissing(key as keyof typeof servers);
    return reason === undefined ? [] : [{ name, tests, reason: failure ? `${reason} (${failure})` : reason }];
  });
}

/** @returns an error message in one line, if it failed. */
export function installPackages(packages: readonly string[]): string | undefined {
  if (!existsSync("/usr/bin/apt-get")) return "this system has no apt-get";
  return withLock("apt", () =>
    withoutServices(() => {
      const lists = aptGet(["update"]);
      const installed = aptGet(["install", "--yes", "--no-install-recommends", ...new Set(packages)]);
      return installed ?? (lists && !packagesPresent(packages) ? lists : undefined);
    }),
  );
}

function aptGet(args: readonly string[]): string | undefined {
  const run = spawnSync("apt-get", ["-qq", "-o", "DPkg::Lock::Timeout=300", ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive", LC_ALL: "C" },
    encoding: "utf8",
  });
  if (run.status === 0) return undefined;
  const said = `${run.stderr ?? ""}${run.stdout ?? ""}`.trim().split("\n");
  return `apt-get ${args[0]}: ${said.find((line) => line.startsWith("E:")) ?? said.at(-1) ?? "failed"}`;
}

function packagesPresent(packages: readonly string[]): boolean {
  return spawnSync("dpkg-query", ["--show", ...packages]).status === 0;
}

/** Debian starts installed services unless this file forbids it; an existing one is left alone. */
function withoutServices<T>(work: () => T): T {
  const policy = "/usr/sbin/policy-rc.d";
  if (existsSync(policy) && readFileSync(policy, "utf8").includes("exit 101")) return work();
  const isOurs = !existsSync(policy);
  if (isOurs) writeFileSync(policy, "#!/bin/sh\nexit 101\n", { mode: 0o755 });
  try {
    return work();
  } finally {
    if (isOurs) rmSync(policy);
  }
}

if (import.meta.main) {
  const missing = await prepareTestbed();
  for (const one of missing) console.log(`missing: ${one.name}: ${one.reason}`);
  if (missing.length === 0) console.log("All requirements of the tests are installed.");
  if (missing.length > 0 && process.env.CI === "true") process.exit(1);
}
