/** scripts/run.mjs in a small project: what it installs, who waits for whom, and how what it starts ends. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, expect, test } from "vitest";
import { tempFolder } from "../../../src/testkit/service.ts";

/** Says when it is ready, ends 200 ms after the first signal, and says how many it got. */
const program = `
const got = [];
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"])
  process.on(signal, () => {
    got.push(signal);
    if (got.length === 1) setTimeout(() => (console.log("got", got.join(" ")), process.exit(0)), 200);
  });
console.log("ready", process.pid);
setInterval(() => {}, 60_000);
`;

let project: string;
let started: ChildProcess[];
beforeEach(() => {
  started = [];
  project = tempFolder("patchbay-launcher-");
  write("src/wait.ts", program);
  write("src/hello.ts", 'console.log("hello");');
  write("scripts/hello.ts", 'console.log("hello");');
  copyFileSync("scripts/run.mjs", join(project, "scripts/run.mjs"));
  for (const name of ["needed", "for-tests"]) {
    const script = name === "needed" ? { install: "touch ../../compiled" } : {};
    write(`packages/${name}/package.json`, JSON.stringify({ name, version: "1.0.0", scripts: script }));
  }
  const { engines, trustedDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
  const manifest = {
    name: "small",
    engines,
    trustedDependencies,
    scripts: { wait: "node scripts/run.mjs src/wait.ts" },
    dependencies: { needed: "file:./packages/needed" },
    devDependencies: { "for-tests": "file:./packages/for-tests" },
  };
  write("package.json", JSON.stringify(manifest));
  copyFileSync("bunfig.toml", join(project, "bunfig.toml"));
  spawnSync(process.execPath, ["install", "--lockfile-only"], { cwd: project });
  // What npx finds first: it asks no registry then.
  mkdirSync(join(project, "node_modules/.bin"), { recursive: true });
  symlinkSync(process.execPath, join(project, "node_modules/.bin/bun"));
});
afterEach(() => {
  for (const { pid } of started)
    try {
      if (pid) process.kill(-pid, "SIGKILL");
    } catch {
      // Nothing of it is left.
    }
  rmSync(project, { recursive: true, force: true });
});

test("installs what the program runs with, and for a script the rest, once", () => {
  expect(run("src/hello.ts").stderr).toContain("the packages that Patchbay runs with");
  expect([has("needed"), has("for-tests")]).toEqual([true, false]);
  expect(run("src/hello.ts")).toEqual({ stdout: "hello\n", stderr: "", status: 0 });
  expect(run("scripts/hello.ts").stderr).toContain("the packages for development");
  expect([has("needed"), has("for-tests")]).toEqual([true, true]);
  expect(run("scripts/hello.ts").stderr).toBe("");
  expect(run("src/hello.ts").stderr).toBe("");
});

test("keeps the packages for development when the lock file changes", () => {
  run("scripts/hello.ts");
  const lock = readFileSync(join(project, "bun.lock"), "utf8");
  write("bun.lock", lock.replace("\n", "\n\n"));
  expect(run("src/hello.ts").stderr).toContain("the packages for development");
  expect(has("for-tests")).toBe(true);
});

test("runs no install script, so compiles nothing", () => {
  run("scripts/hello.ts");
  expect(has("needed")).toBe(true);
  expect(existsSync(join(project, "node_modules/compiled"))).toBe(false);
  expect(existsSync(join(project, "compiled"))).toBe(false);
});

test("lets one of several that start at once install, and repairs what a killed one left", async () => {
  write("node_modules/.patchbay-installed", "unknown run");
  const all = await Promise.all(
    ["src/hello.ts", "src/hello.ts", "scripts/hello.ts", "src/hello.ts"].map(async (script) => {
      const child = start(["node", "scripts/run.mjs", script]);
      const text = { out: "", errors: "" };
      child.stdout?.on("data", (chunk) => (text.out += String(chunk)));
      child.stderr?.on("data", (chunk) => (text.errors += String(chunk)));
      await once(child, "close");
      return text;
    }),
  );
  expect(all.map(({ out }) => out)).toEqual(Array(4).fill("hello\n"));
  const notes = all.map(({ errors }) => errors).join("");
  expect(notes.match(/runs with/g)?.length ?? 0).toBeLessThanOrEqual(1);
  expect(notes.match(/for development/g)).toHaveLength(1);
});

test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("passes %s on, once", async (signal) => {
  const child = start(["node", "scripts/run.mjs", "src/wait.ts"]);
  const out = await ready(child);
  child.kill(signal);
  expect((await once(child, "close"))[0]).toBe(0);
  expect(out.text).toContain(`got ${signal}\n`);
});

// SIGINT comes from a terminal, to all of them: the next test.
test.each(["SIGTERM", "SIGHUP", "SIGKILL"] as const)("ends when npx gets %s", async (signal) => {
  const child = start(["npx", "-y", "bun", "run", "wait"]);
  const out = await ready(child);
  child.kill(signal);
  // Emitted when the last process that holds the pipe has ended.
  await once(child, "close");
  expect(out.text).toContain("got SIGTERM\n");
});

test("gets one SIGINT for one Ctrl-C", async () => {
  let text = "";
  const closed = Promise.withResolvers<void>();
  const child = Bun.spawn(["npx", "-y", "bun", "run", "wait"], {
    cwd: project,
    terminal: {
      data(terminal, data) {
        const wasReady = text.includes("ready");
        text += new TextDecoder().decode(data);
        if (!wasReady && text.includes("ready")) terminal.write("\x03");
      },
      exit: () => closed.resolve(),
    },
  });
  await Promise.all([child.exited, closed.promise]);
  expect(text).toMatch(/got SIGINT\r?\n/);
});

test("ends in good order when the launcher is killed", async () => {
  const child = start(["node", "scripts/run.mjs", "src/wait.ts"]);
  const out = await ready(child);
  child.kill("SIGKILL");
  await once(child, "close");
  expect(out.text).toContain("got SIGTERM\n");
});

test("stays when the shell that started it in the background ends", async () => {
  const child = start(["bash", "-c", "npx -y bun run wait & read -r line"]);
  const out = await ready(child);
  const [, pid] = /ready (\d+)/.exec(out.text) ?? [];
  child.stdin?.end();
  await once(child, "exit");
  const later = once(child, "close");
  process.kill(Number(pid), "SIGHUP");
  await later;
  expect(out.text).toContain("got SIGHUP\n");
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(project, path)), { recursive: true });
  writeFileSync(join(project, path), text);
}

function has(name: string): boolean {
  return existsSync(join(project, "node_modules", name, "package.json"));
}

function run(script: string) {
  const options = { cwd: project, encoding: "utf8" } as const;
  const { stdout, stderr, status } = spawnSync("node", ["scripts/run.mjs", script], options);
  return { stdout, stderr, status };
}

/** In a process group of its own, so that all of it can be ended. */
function start([program = "", ...args]: readonly string[]): ChildProcess {
  const child = spawn(program, args, { cwd: project, detached: true, stdio: "pipe" });
  started.push(child);
  return child;
}

async function ready(child: ChildProcess): Promise<{ text: string }> {
  const out = { text: "" };
  await new Promise<void>((done, fail) => {
    child.stdout?.on("data", (chunk) => {
      out.text += String(chunk);
      if (/ready \d+\n/.test(out.text)) done();
    });
    child.once("exit", () => fail(new Error(`ended too early: ${out.text}`)));
  });
  return out;
}
