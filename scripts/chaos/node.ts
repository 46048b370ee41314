/** A node of the service in its own process, which can be killed, frozen and restarted on the same data. */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { pause } from "../../src/base/time/deadline.ts";
import { freePort } from "../../src/testkit/port.ts";
import { programOf } from "../../src/testkit/service.ts";
import { afterDeath, endProcess } from "../testbed/janitor.ts";

export const apiKey = "chaos-admin-key-0123456789abcdef";
/** Of nodes on one server. */
export const sharedMasterKey = "c4".repeat(32);

export interface ChaosNode {
  readonly name: string;
  readonly url: string;
  readonly logFile: string;
  /** Starts the process without waiting for it. */
  spawn(): void;
  /** Resolves when it answers. @throws Error if it exits or does not answer in time. */
  up(): Promise<void>;
  /** Sends SIGKILL and waits for the process to end. */
  kill(): Promise<void>;
  freeze(): void;
  thaw(): void;
  running(): boolean;
  pid(): number | undefined;
  /** Sends SIGTERM; returns the exit code. */
  stop(): Promise<number | null>;
  /** Duration of the slowest start. */
  slowestStartMs(): number;
}

export interface NodeOptions {
  readonly name: string;
  readonly folder: string;
  /** URL of a libSQL server; default: a file. */
  readonly databaseUrl?: string | undefined;
  /** Path of the compiled binary; default: the source. */
  readonly binary?: string | undefined;
  readonly logLevel?: string;
  /** Additional settings. */
  readonly env?: Readonly<Record<string, string>>;
}

const startLimitMs = 180_000;

export async function createNode({
  name,
  folder,
  databaseUrl,
  binary,
  logLevel = "info",
  env = {},
}: NodeOptions): Promise<ChaosNode> {
  const dataDir = join(folder, name);
  mkdirSync(dataDir, { recursive: true });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const logFile = join(folder, `${name}.log`);
  const [program, ...begin] = programOf(binary === undefined ? {} : { binary });
  let child: ChildProcess | undefined;
  let exited: Promise<number | null> = Promise.resolve(null);
  let expected = false;
  let startedAt = 0;
  let slowestMs = 0;

  function spawnIt(): void {
    const output = openSync(logFile, "a");
    const started = spawn(program, [...begin, "serve"], {
      stdio: ["ignore", output, output],
      env: {
        PATH: process.env.PATH,
        HOME: dataDir,
        PATCHBAY_DATA_DIR: dataDir,
        PATCHBAY_LISTEN: `127.0.0.1:${port}`,
        PATCHBAY_API_KEY: apiKey,
        PATCHBAY_NODE: name,
        PATCHBAY_URL_ALLOW: "127.0.0.0/8",
        PATCHBAY_LOG_FORMAT: "json",
        PATCHBAY_LOG_LEVEL: logLevel,
        ...env,
        ...(databaseUrl === undefined
          ? {}
          : { PATCHBAY_DATABASE_URL: databaseUrl, PATCHBAY_MASTER_KEY: sharedMasterKey }),
      },
    });
    closeSync(output);
    const callOff = started.pid === undefined ? () => {} : afterDeath(endProcess(started.pid));
    expected = false;
    startedAt = performance.now();
    child = started;
    exited = new Promise((resolve) => {
      started.once("exit", (code) => {
        callOff();
        if (child === started) child = undefined;
        resolve(code);
      });
    });
  }

  async function up(): Promise<void> {
    while (performance.now() - startedAt < startLimitMs) {
      if (!child) {
        if (expected) return;
        throw new Error(`${name} ended by itself with ${await exited}: see ${logFile}`);
      }
      const answers = await fetch(`${url}/livez`, { signal: AbortSignal.timeout(2_000) }).then(
        (response) => response.ok,
        () => false,
      );
      if (answers) {
        slowestMs = Math.max(slowestMs, performance.now() - startedAt);
        return;
      }
      await pause(10);
    }
    throw new Error(`${name} does not answer after ${startLimitMs / 1000} s: see ${logFile}`);
  }

  function send(signal: NodeJS.Signals): void {
    child?.kill(signal);
  }

  return {
    name,
    url,
    logFile,
    spawn: spawnIt,
    up,
    async kill() {
      expected = true;
      send("SIGKILL");
      await exited;
    },
    freeze: () => send("SIGSTOP"),
    thaw: () => send("SIGCONT"),
    running: () => child !== undefined,
    pid: () => child?.pid,
    async stop() {
      expected = true;
      send("SIGCONT");
      send("SIGTERM");
      return exited;
    },
    slowestStartMs: () => slowestMs,
  };
}
