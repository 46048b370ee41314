// Runs a script of this project with the pinned Bun, on a machine that has Node and npm only: installs first
// what the script needs, when the lock file says something else than what is installed.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { constants } from "node:os";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

/** The program runs with few packages; tests, checks and builds need the others too. */
const sets = {
  run: { name: "the packages that Patchbay runs with (20 MB)", options: ["--production"], holds: ["run"] },
  develop: { name: "the packages for development (200 MB)", options: [], holds: ["run", "develop"] },
};

const startedIn = process.cwd();
const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const modules = join(root, "node_modules");
const stamp = join(modules, ".patchbay-installed");
const [script, ...args] = process.argv.slice(2);
if (!script) {
  console.error("usage: node scripts/run.mjs <script.ts> [arguments]");
  process.exit(2);
}

const wanted = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).engines.bun;
const lockHash = createHash("sha256")
  .update(readFileSync(join(root, "bun.lock")))
  .digest("hex");
const launchers = launchersOf(process.ppid);
const bun = pinnedBun();
await install(script.startsWith("src/") ? "run" : "develop");
run();

/** The Bun that package.json pins: the installed one, the caller's if it is that version, or one from npm. */
function pinnedBun() {
  const installed = join(modules, ".bin", "bun");
  const caller = process.env.npm_execpath ?? "";
  for (const program of [installed, basename(caller).startsWith("bun") ? caller : "bun", "bun"]) {
    const path = pathIfWanted(program, []);
    if (!path) continue;
    // npx looks here first, so it neither asks the registry nor takes a newer version from now on.
    if (program !== installed) link(path, installed);
    return path;
  }
  console.error(`Fetching Bun ${wanted} …`);
  const path = pathIfWanted("npx", ["-y", `bun@${wanted}`]);
  if (!path) fail(`Bun ${wanted} could not be fetched: is the npm registry reachable from here?`);
  link(path, installed);
  return path;
}

function pathIfWanted(program, before) {
  const ask = [...before, "-p", "`${Bun.version} ${process.execPath}`"];
  // Outside of the checkout: inside, npx would take an installed Bun of another version.
  const { stdout } = spawnSync(program, ask, {
    cwd: "/",
    stdio: ["ignore", "pipe", "ignore"],
    encoding: "utf8",
  });
  const [version, path] = (stdout ?? "").trim().split(/ (.*)/);
  return version === wanted ? path : undefined;
}

function link(path, installed) {
  mkdirSync(dirname(installed), { recursive: true });
  rmSync(installed, { force: true });
  symlinkSync(path, installed);
}

/** Installs what the lock file names, once for each state of it; what was installed for development stays. */
async function install(set) {
  const isDone = () => {
    const [hash, installed] = existsSync(stamp) ? readFileSync(stamp, "utf8").split(" ") : [];
    if (sets[installed]?.holds.includes("develop")) set = "develop";
    return hash === lockHash && Boolean(sets[installed]?.holds.includes(set));
  };
  if (isDone()) return;
  const release = await lock();
  if (isDone()) return release();
  const { name, options } = sets[set];
  console.error(`Installing ${name} …`);
  const child = spawn(bun, ["install", "--frozen-lockfile", "--no-progress", ...options], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const code = await new Promise((done) => child.on("exit", done));
  // A new file: the old one may be a hard link that copies of this checkout share.
  rmSync(stamp, { force: true });
  if (code === 0) writeFileSync(stamp, `${lockHash} ${set}`);
  release();
  if (code !== 0) fail("The packages could not be installed: is the npm registry reachable from here?");
}

/**
 * Of several that start at once, as in the README's tour, one installs and the others wait for it. The lock is a
 * socket, which ends with its process.
 */
async function lock() {
  mkdirSync(modules, { recursive: true });
  // Relative, because the path of a socket may have 107 characters only.
  process.chdir(modules);
  const path = process.platform === "win32" ? `\\\\.\\pipe\\patchbay-${lockHash}` : ".patchbay-install";
  for (;;) {
    const server = createServer().unref();
    const error = await new Promise((done) => server.once("error", done).listen(path, () => done(undefined)));
    if (!error) {
      const waiting = new Set();
      // One that waits may be killed meanwhile.
      server.on("connection", (socket) => waiting.add(socket.on("error", () => waiting.delete(socket))));
      return () => {
        server.close();
        for (const socket of waiting) socket.destroy();
      };
    }
    if (error.code !== "EADDRINUSE") throw error;
    const refused = await new Promise((done) => {
      const holder = connect(path).resume();
      holder.once("error", ({ code }) => done(code === "ECONNREFUSED"));
      holder.once("close", () => done(false));
    });
    // Its process was killed while it installed.
    if (refused) rmSync(path, { force: true });
  }
}

function run() {
  const child = spawn(bun, [join(root, script), ...args], { cwd: startedIn, stdio: "inherit" });
  let isStopping = false;
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"])
    process.on(signal, () => {
      if (signal !== "SIGHUP") isStopping = true;
      // Ctrl-C reaches the whole process group: a second one would end a service at once that is draining.
      if (signal === "SIGINT" && process.stdin.isTTY) return;
      child.kill(signal);
    });
  const guard = guardOf(child);
  const watch = setInterval(() => {
    if (launchers.every(isAlive)) return;
    clearInterval(watch);
    if (!isStopping) child.kill("SIGTERM");
  }, 250);
  child.on("exit", (code, signal) => {
    guard?.kill("SIGKILL");
    process.exit(code ?? 128 + (constants.signals[signal] ?? 0));
  });
}

/** Stops the child when this process is killed: then its pipe to the guard ends. */
function guardOf(child) {
  if (process.platform === "win32") return undefined;
  const wait = `trap "" TERM INT HUP; read -r line; kill -TERM ${child.pid}`;
  return spawn("sh", ["-c", wait], { stdio: ["pipe", "ignore", "ignore"] });
}

/**
 * The processes between npx and this one. npx passes a signal to its shell only, which ends without passing it on;
 * nothing but looking tells a grandchild. A shell counts only below npm: another may end and leave us running.
 */
function launchersOf(parent) {
  const found = [];
  let known = 0;
  for (let pid = parent; pid > 1; ) {
    const { command, above } = processOf(pid);
    const isNpm = /^np[mx] |\/np[mx](-cli\.js)? /.test(command);
    const isBun = /^(?:\S*\/)?bun(?:\.exe)? /.test(command);
    if (!isNpm && !isBun && !/^(?:\S*\/)?sh -c /.test(command)) break;
    found.push(pid);
    if (isNpm || isBun) known = found.length;
    if (isNpm) break;
    pid = above;
  }
  return found.slice(0, known);
}

function processOf(pid) {
  if (process.platform === "linux") {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      return { command: `${command} `, above: Number(statusOf(pid, "PPid")) };
    } catch {
      // It ended in between.
      return { command: "", above: 0 };
    }
  }
  const { stdout } = spawnSync("ps", ["-o", "ppid=,args=", "-p", String(pid)], { encoding: "utf8" });
  const [, above, command] = /^\s*(\d+)\s+(.*)/.exec(stdout ?? "") ?? [];
  return { command: `${command ?? ""} `, above: Number(above ?? 0) };
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    // In a container without an init process, one that has ended may stay as a zombie.
    return process.platform !== "linux" || statusOf(pid, "State") !== "Z";
  } catch (error) {
    return error.code === "EPERM";
  }
}

function statusOf(pid, field) {
  return new RegExp(`^${field}:\\s*(\\w+)`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
