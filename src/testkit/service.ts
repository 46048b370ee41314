/** Starts the service in a child process, as a user does, and talks to it over HTTP. */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { JobRecord } from "../api/jobs/job.ts";
import { pause } from "../base/time/deadline.ts";
import { listensOn } from "./listening.ts";
import { keepNative, lendNative } from "./native-part.ts";
import { freePort } from "./port.ts";

export const adminKey = "test-admin-key-0123456789abcdef";

export interface Answer<T = unknown> {
  status: number;
  headers: Headers;
  body: { code: number; message: string; data: T };
}

export interface Service {
  readonly url: string;
  /** Its admin key. */
  readonly key: string;
  readonly dataDir: string;
  readonly child: ChildProcess;
  /** The output of the process so far. */
  output(): string;
  call<T = unknown>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer<T>>;
  /** Submits one operation and waits for its end. */
  run(body: object): Promise<JobRecord>;
  job(id: string): Promise<JobRecord>;
  ended(id: string): Promise<JobRecord>;
  /** Sends SIGTERM; returns the exit code. */
  stop(): Promise<number | null>;
  close(): Promise<void>;
  kill(signal?: NodeJS.Signals): Promise<void>;
}

export interface ServiceOptions {
  dataDir?: string;
  port?: number;
  env?: Record<string, string>;
  /** The compiled binary; default: the one in TEST_PROGRAM, else the source tree of this module, else `patchbay` on the PATH. */
  binary?: string;
  /** Runs the source with this runtime, also if there is a TEST_PROGRAM; default: the one in TEST_RUNTIME, or Bun. */
  runtime?: "bun" | "deno";
  /** Plugin folders, as in PATCHBAY_PLUGINS. */
  plugins?: readonly string[];
  /** `env` enables HTTPS; the certificate is not verified. */
  https?: boolean;
  /** Path of the Unix socket that `env` configures. */
  unix?: string;
}

export function tempFolder(name = "patchbay-"): string {
  return mkdtempSync(join(tmpdir(), name));
}

const started = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of started) child.kill("SIGKILL");
});

/** Output of a start that must fail: one line and exit code 1. */
export function refusal(dataDir: string, more: Record<string, string> = {}, command = ["serve"]): string {
  const [program, ...first] = programOf({});
  const { status, stdout, stderr } = spawnSync(program, [...first, ...command], {
    encoding: "utf8",
    timeout: 120_000,
    env: {
      PATH: process.env.PATH,
      HOME: dataDir,
      DENO_DIR: denoDir,
      PATCHBAY_LISTEN: "127.0.0.1:0",
      PATCHBAY_DATA_DIR: dataDir,
      PATCHBAY_LOG_LEVEL: "error",
      ...more,
    },
  });
  const text = (stdout + stderr).trim();
  if (status !== 1 || text.includes("\n")) throw new Error(`ended with ${status}:\n${text}`);
  return text;
}

/** The command that runs Patchbay: the compiled program or the source. */
export function programOf(options: ServiceOptions = {}): [string, ...string[]] {
  const command = plainProgramOf(options);
  return engine.length === 0 ? command : ["/usr/bin/env", ...engine, ...command];
}

/** Environment of Bun, such as when it compiles, for the programs that tests start: `NAME=value`, separated by blanks. */
export const engineVariable = "TEST_ENGINE";
const engine = (process.env[engineVariable] ?? "").split(" ").filter(Boolean);

function plainProgramOf({ binary, runtime }: ServiceOptions): [string, ...string[]] {
  if (binary !== undefined) return [binary];
  const { TEST_RUNTIME: asked, TEST_PROGRAM: built } = process.env;
  if (runtime === undefined && asked === undefined && built !== undefined) return [built];
  const main = fileURLToPath(new URL("../main.ts", import.meta.url));
  if (!existsSync(main)) return ["patchbay"];
  if ((runtime ?? asked) !== "deno") return [process.execPath, main];
  return [denoProgram(), "run", "-A", main];
}

/** The Deno version that the project pins. */
export function denoProgram(): string {
  const system =
    process.platform === "linux" ? `linux-${process.arch}-glibc` : `${process.platform}-${process.arch}`;
  return createRequire(import.meta.url).resolve(`@deno/${system}/deno`);
}

/** Shared compile cache of Deno for all tests. */
const denoDir = process.env.DENO_DIR ?? join(tmpdir(), "patchbay-deno");

export async function startService(options: ServiceOptions = {}): Promise<Service> {
  for (let attempt = 1; ; attempt++) {
    const port = options.port ?? (await freePort());
    try {
      return await startOn(port, options);
    } catch (error) {
      // Another test may have taken the port between the check and the start.
      const wasTaken = error instanceof Error && /in use/i.test(error.message);
      if (!wasTaken || options.port !== undefined || attempt === attemptsAtMost) throw error;
    }
  }
}

const attemptsAtMost = 5;
/** Between two requests for a job that runs. */
const longestPollMs = 100;

async function startOn(port: number, options: ServiceOptions): Promise<Service> {
  const dataDir = options.dataDir ?? tempFolder();
  lendNative(dataDir);
  const [program, ...first] = plainProgramOf(options);
  const child = spawn(program, [...first, "serve"], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...Object.fromEntries(engine.map((option) => option.split("=", 2))),
      PATH: process.env.PATH,
      HOME: dataDir,
      DENO_DIR: denoDir,
      PATCHBAY_DATA_DIR: dataDir,
      PATCHBAY_LISTEN: `127.0.0.1:${port}`,
      PATCHBAY_API_KEY: adminKey,
      PATCHBAY_LOG_FORMAT: "json",
      PATCHBAY_LOG_LEVEL: "debug",
      ...(options.plugins === undefined ? {} : { PATCHBAY_PLUGINS: options.plugins.join(":") }),
      ...options.env,
    },
  });
  started.add(child);
  let text = "";
  child.stdout?.on("data", (chunk: Buffer) => (text += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const exited = once(child, "exit").then(([code]) => {
    started.delete(child);
    return typeof code === "number" ? code : null;
  });
  const url = `${options.https === true ? "https" : "http"}://127.0.0.1:${port}`;
  const via = {
    ...(options.unix === undefined ? {} : { unix: options.unix }),
    ...(options.https === true ? { tls: { rejectUnauthorized: false } } : {}),
  };
  const isOurs = () => options.unix !== undefined || listensOn(child.pid ?? -1, port);
  await answering(url, via, { exited, isOurs, output: () => text });
  keepNative(dataDir);

  async function call<T>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<T>> {
    const response = await fetch(url + path, {
      ...via,
      method,
      // A test may wait for as long as the service keeps an idle connection: only a GET is sent once more.
      keepalive: method === "GET",
      headers: {
        "X-API-KEY": adminKey,
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const answer = (await response.json()) as Answer<T>["body"];
    return { status: response.status, headers: response.headers, body: answer };
  }

  async function job(id: string): Promise<JobRecord> {
    const answer = await call<JobRecord[]>("GET", `/job?id=${id}`);
    const record = answer.body.data[0];
    if (!record) throw new Error(`no job ${id}: ${JSON.stringify(answer.body)}`);
    return record;
  }

  async function ended(id: string): Promise<JobRecord> {
    for (let waitMs = 10; ; waitMs = Math.min(2 * waitMs, longestPollMs)) {
      const record = await job(id);
      if (record.status !== "queued" && record.status !== "running") return record;
      await pause(waitMs);
    }
  }

  async function stop(): Promise<number | null> {
    child.kill("SIGTERM");
    const code = await exited;
    if (!options.dataDir) rmSync(dataDir, { recursive: true, force: true });
    return code;
  }

  return {
    url,
    key: adminKey,
    dataDir,
    child,
    output: () => text,
    call,
    job,
    ended,
    async run(body) {
      // The service tells the end of the job: asking for it all the time takes more CPU than many a job.
      const answer = await call<{ id: string }>("POST", "/device/execute", body, { Prefer: "wait=60" });
      if (answer.status !== 201)
        throw new Error(`submission failed: ${answer.status} ${JSON.stringify(answer.body)}`);
      return ended(answer.body.data.id);
    },
    stop,
    async close() {
      await stop();
    },
    async kill(signal = "SIGKILL") {
      child.kill(signal);
      if (signal === "SIGKILL") await exited;
    },
  };
}

async function answering(
  url: string,
  via: { unix?: string; tls?: { rejectUnauthorized: boolean } },
  { exited, isOurs, output }: { exited: Promise<number | null>; isOurs: () => boolean; output: () => string },
): Promise<void> {
  let code: number | null | undefined;
  void exited.then((value) => (code = value));
  for (let tries = 0; tries < 6000; tries++) {
    if (code !== undefined) throw new Error(`the service ended with ${code}:\n${output()}`);
    const ready = await fetch(`${url}/livez`, via).then(
      (response) => response.ok,
      () => false,
    );
    if (ready && isOurs()) return;
    await pause(20);
  }
  throw new Error(`the service did not answer:\n${output()}`);
}
