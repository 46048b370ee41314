/** Starts the whole service in its own process with an empty data directory, for benches over HTTP. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { freePort } from "../../src/testkit/port.ts";

const key = "bench-key-0123456789";

export interface BenchStart {
  /** Data directory, which is kept. Default: an empty temporary one. */
  readonly data?: string;
  /** Command line prefix for the service's own. */
  readonly launcher?: readonly string[];
}

export interface BenchService {
  readonly pid: number;
  readonly url: string;
  readonly key: string;
  /** Sends a JSON request with the API key. @param waitS `Prefer: wait` */
  call(method: string, path: string, body?: object, waitS?: number): Promise<Response>;
  stop(): Promise<void>;
}

/**
 * @param plugin source of an additional driver
 * @param settings environment variables
 */
export async function startService(
  plugin?: string,
  settings: Readonly<Record<string, string>> = {},
  { data: given, launcher = [] }: BenchStart = {},
): Promise<BenchService> {
  const data = given ?? mkdtempSync(join(tmpdir(), "bench-"));
  if (plugin !== undefined) {
    mkdirSync(join(data, "plugins"));
    writeFileSync(join(data, "plugins", "bench.ts"), plugin);
  }
  const listen = `127.0.0.1:${await freePort()}`;
  const child = Bun.spawn([...launcher, process.execPath, resolve("src/main.ts"), "serve"], {
    env: {
      PATH: process.env.PATH ?? "",
      PATCHBAY_DATA_DIR: data,
      PATCHBAY_LISTEN: listen,
      PATCHBAY_API_KEY: key,
      PATCHBAY_LOG_LEVEL: "error",
      ...profiler(),
      ...settings,
    },
    stdout: "ignore",
    stderr: "inherit",
  });
  async function stop(): Promise<void> {
    child.kill();
    await child.exited;
    if (given === undefined) rmSync(data, { recursive: true, force: true });
  }
  const up = () =>
    fetch(`http://${listen}/livez`).then(
      (answer) => answer.ok,
      () => false,
    );
  while (!(await up())) {
    if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}`);
    await Bun.sleep(5);
  }
  return {
    pid: child.pid,
    url: `http://${listen}`,
    key,
    call: (method, path, body, waitS) =>
      fetch(`http://${listen}${path}`, {
        method,
        headers: {
          "X-API-KEY": key,
          "Content-Type": "application/json",
          ...(waitS === undefined ? {} : { Prefer: `wait=${waitS}` }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    stop,
  };
}

/** The profiler settings of `bun run profile`, so that the service is profiled as well. */
function profiler(): Record<string, string> {
  const { BUN_OPTIONS, PROFILE_DIR } = process.env;
  return BUN_OPTIONS === undefined || PROFILE_DIR === undefined ? {} : { BUN_OPTIONS, PROFILE_DIR };
}
