// Runs a script of this project with the pinned Bun, on a machine that has Node and npm only:
// installs the dependencies first when the lock file is newer than what is installed.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const stamp = join(root, "node_modules", ".patchbay-lock");
const lockHash = createHash("sha256")
  .update(readFileSync(join(root, "bun.lock")))
  .digest("hex");
const [script, ...args] = process.argv.slice(2);
if (!script) {
  console.error("usage: node scripts/run.mjs <script.ts> [arguments]");
  process.exit(2);
}

/** Installs exactly what the lock file names, once for each state of the lock file. */
function install() {
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lockHash) return;
  const bun = process.env.npm_execpath?.includes("bun") ? process.env.npm_execpath : null;
  const command = bun
    ? [bun, "install", "--frozen-lockfile"]
    : ["npx", "-y", "bun", "install", "--frozen-lockfile"];
  const done = spawnSync(command[0], command.slice(1), { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  if (done.status !== 0) {
    console.error("The dependencies could not be installed: is the npm registry reachable from here?");
    process.exit(done.status ?? 1);
  }
  writeFileSync(stamp, lockHash);
}

/** The Bun that package.json pins: another version may lie in the path of the caller. */
function pinnedBun() {
  const want = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).engines.bun;
  const path = join(root, "node_modules", "bun", "bin", "bun.exe");
  const got = existsSync(path) ? spawnSync(path, ["--version"]).stdout?.toString().trim() : undefined;
  if (got === want) return path;
  console.error(
    `Bun ${want} did not come with the dependencies (found ${got ?? "none"}): remove node_modules and try again.`,
  );
  process.exit(1);
}

install();
const child = spawn(pinnedBun(), [join(root, script), ...args], { stdio: "inherit" });
// Without this a SIGTERM to this process would leave the service running as an orphan.
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
