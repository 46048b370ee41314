/** Starts the real service for an attack, with an attacker's key and another key. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import * as v from "valibot";
import { programOf } from "../../src/testkit/service.ts";
import { apiKey, createNode } from "../chaos/node.ts";
import { createServer, serverKinds } from "../chaos/server.ts";
import { storedMasterKey, storeJobs } from "../testbed/stored-jobs.ts";
import { writeDrivers } from "./driver.ts";

export interface Answer {
  readonly status: number;
  readonly retryAfter: number | undefined;
  readonly text: string;
}

export interface Caller {
  readonly key: string;
  /** @throws Error if the connection is closed. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** The response with its body unread. */
  open(path: string, init?: RequestInit): Promise<Response>;
}

export interface AbusedService {
  readonly pid: number;
  readonly port: number;
  readonly url: string;
  readonly attacker: Caller;
  readonly other: Caller;
  stop(): Promise<void>;
}

export interface ServiceOptions {
  readonly binary?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Ended jobs in its store. */
  readonly stored: number;
  /** Where its store is; default: a file. */
  readonly store?: AbusedStore | undefined;
}

export const abusedStores = ["file", ...serverKinds] as const;
export type AbusedStore = (typeof abusedStores)[number];

export async function startAbused({
  binary,
  env,
  stored,
  store = "file",
}: ServiceOptions): Promise<AbusedService> {
  const folder = mkdtempSync(join(tmpdir(), "patchbay-abuse-"));
  const dataDir = join(folder, "abused");
  mkdirSync(dataDir, { mode: 0o700 });
  writeDrivers(dataDir);
  const server = store === "file" ? undefined : await createServer(folder, store);
  if (stored > 0) await storeJobs(dataDir, stored, server?.url);
  const database: Record<string, string> = server === undefined ? {} : { PATCHBAY_DATABASE_URL: server.url };
  const settings = { PATCHBAY_MASTER_KEY: storedMasterKey, ...database, ...env };
  const node = await createNode({ name: "abused", folder, binary, logLevel: "error", env: settings });
  node.spawn();
  await node.up();
  const attackerKey = makeKey(dataDir, binary, database);
  return {
    pid: node.pid() ?? 0,
    port: Number(new URL(node.url).port),
    url: node.url,
    attacker: callerOf(node.url, attackerKey),
    other: callerOf(node.url, apiKey),
    async stop() {
      await node.kill();
      await server?.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const created = v.object({ data: v.object({ key: v.string() }) });

/** The same service with another attacker, whose limits are still free. */
export async function withNextAttacker(service: AbusedService, name: string): Promise<AbusedService> {
  const { status, text } = await service.other.call("POST", "/key", { name, scope: "operate" });
  if (status !== 201) throw new Error(`no key for ${name}: ${status} ${text.slice(0, 200)}`);
  const { key } = v.parse(created, JSON.parse(text)).data;
  return { ...service, attacker: callerOf(service.url, key) };
}

/** Creates a key next to the running service, as an operator does. */
function makeKey(
  dataDir: string,
  binary: string | undefined,
  database: Readonly<Record<string, string>>,
): string {
  const [program, ...first] = programOf(binary === undefined ? {} : { binary });
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: dataDir,
    PATCHBAY_DATA_DIR: dataDir,
    PATCHBAY_MASTER_KEY: storedMasterKey,
    ...database,
  };
  return execFileSync(program, [...first, "key", "add", "attacker", "--scope", "operate"], {
    env,
    stdio: ["ignore", "pipe", "ignore"],
  })
    .toString()
    .trim();
}

function callerOf(url: string, key: string): Caller {
  const open = (path: string, init: RequestInit = {}) =>
    fetch(url + path, {
      ...init,
      headers: { "X-API-KEY": key, ...Object.fromEntries(new Headers(init.headers)) },
    });
  return {
    key,
    open,
    async call(method, path, body, headers = {}) {
      const response = await open(path, {
        method,
        headers: { ...(body === undefined ? {} : { "Content-Type": "application/json" }), ...headers },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      const retryAfter = response.headers.get("Retry-After");
      return {
        status: response.status,
        retryAfter: retryAfter === null ? undefined : Number(retryAfter),
        text: await response.text(),
      };
    },
  };
}

export function job(host: string, command: string, options: object = {}): object {
  return { driver: "noop", connection_args: { host }, command, options };
}

export function bulk(count: number, more: object = {}, from = 0): object {
  const devices = Array.from({ length: count }, (_, at) => ({ host: `h${from + at}` }));
  return { driver: "noop", connection_args: {}, command: "show", devices, ...more };
}

const list = v.object({ data: v.array(v.unknown()) });

/** Waits until no job is queued or running. */
export async function idle(caller: Caller): Promise<void> {
  for (const status of ["queued", "running"]) {
    for (;;) {
      const answer = await caller.call("GET", `/job?status=${status}&limit=1`);
      if (answer.status === 200 && v.parse(list, JSON.parse(answer.text)).data.length === 0) break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
