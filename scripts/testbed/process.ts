/** Starts a server on a free loopback port in its own folder, and stops exactly that process. */
import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { descendantsOf, listensOn } from "../../src/testkit/listening.ts";
import { freePort } from "../../src/testkit/port.ts";
import { afterDeath, endProcess, removeFolder } from "./janitor.ts";

export interface Running {
  readonly port: number;
  readonly pid: number;
  /** Its output so far. */
  log(): string;
  /** Waits until its output matches. */
  said(pattern: RegExp, withinMs?: number): Promise<void>;
  /** Its descendants, such as the sessions of sshd. */
  descendants(): number[];
  stop(): Promise<void>;
}

export interface Launch {
  readonly command: readonly string[];
  readonly env?: Record<string, string>;
  readonly cwd?: string;
}

/** A temporary folder. Other users may traverse it but not list it. */
export function makeFolder(name: string): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), `patchbay-${name}-`));
  chmodSync(path, 0o711);
  const callOff = afterDeath(removeFolder(path));
  const remove = () => {
    rmSync(path, { recursive: true, force: true });
    callOff();
  };
  return { path, remove };
}

export interface StartOptions {
  /** Default: a free port. */
  readonly port?: number | undefined;
}

/** @param launch takes the port; called again with another one if the first was taken meanwhile. */
export async function startServer(
  launch: (port: number) => Launch | Promise<Launch>,
  options: StartOptions = {},
): Promise<Running> {
  for (let attempt = 1; ; attempt++) {
    const port = options.port ?? (await freePort());
    const running = launchProcess(await launch(port), port);
    try {
      await running.answers();
      return running;
    } catch (error) {
      await running.stop();
      const wasTaken = /address already in use|bind|could not listen/i.test(running.log());
      if (!wasTaken || options.port !== undefined || attempt === attemptsAtMost) {
        throw new Error(`${error instanceof Error ? error.message : error}\n${running.log()}`);
      }
    }
  }
}

const attemptsAtMost = 5;

/** A process that does not listen on a port. */
export function launchProcess(launch: Launch, port = 0): Running & { answers(): Promise<void> } {
  const [program = "", ...args] = launch.command;
  const child = spawn(program, args, {
    env: { ...process.env, LC_ALL: "C", ...launch.env },
    ...(launch.cwd === undefined ? {} : { cwd: launch.cwd }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let log = "";
  const collect = (chunk: Buffer) => {
    log = (log + chunk.toString()).slice(-4_000_000);
  };
  child.stdout.on("data", collect);
  child.stderr.on("data", collect);
  child.on("error", (error) => {
    log += `${error.message}\n`;
  });
  const pid = child.pid ?? -1;
  if (child.pid !== undefined) child.once("exit", afterDeath(endProcess(child.pid)));
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
  const poll = async (isMet: () => boolean | Promise<boolean>, withinMs: number, what: string) => {
    for (const startedAt = performance.now(); !(await isMet()); ) {
      if (hasEnded())
        throw new Error(`${program} has ended (${child.exitCode ?? child.signalCode}): ${what}`);
      if (performance.now() - startedAt > withinMs)
        throw new Error(`${program}: ${what} not within ${withinMs} ms`);
      await sleep(10);
    }
  };
  return {
    port,
    pid,
    log: () => log,
    said: (pattern, withinMs = 60_000) => poll(() => pattern.test(log), withinMs, `saying ${pattern}`),
    answers: () =>
      poll(async () => (await canConnect(port)) && listensOn(pid, port), 10_000, `listening on ${port}`),
    descendants: () => descendantsOf(pid),
    stop: () => stopChild(child, hasEnded),
  };
}

async function stopChild(child: ChildProcess, hasEnded: () => boolean): Promise<void> {
  if (hasEnded()) return;
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.kill("SIGTERM");
  const last = setTimeout(() => child.kill("SIGKILL"), 3000);
  await ended;
  clearTimeout(last);
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

export const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Waits until a server has made its socket. */
export async function appears(path: string, server: Running): Promise<void> {
  for (const startedAt = performance.now(); !existsSync(path); await sleep(10))
    if (performance.now() - startedAt > 10_000) throw new Error(`${path} did not appear: ${server.log()}`);
}

/** Stops all threads of a process: on a busy machine they go on for a while after the signal. On Linux. */
export async function freezeProcess(pid: number): Promise<void> {
  process.kill(pid, "SIGSTOP");
  const stateOf = (thread: string) =>
    /^State:\s*(\w)/m.exec(readFileSync(`/proc/${pid}/task/${thread}/status`, "utf8"))?.[1];
  while (readdirSync(`/proc/${pid}/task`).some((thread) => stateOf(thread) !== "T")) await sleep(5);
}

/** Signals a process that we did not start; if it has already ended, this is not an error. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
