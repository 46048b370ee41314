/** Shared helpers of the SSH tests: a target for a started server, in-memory host keys, a scope with cleanup. */
import { randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { ServiceError } from "../../../src/base/errors.ts";
import { secret } from "../../../src/base/secrets/secret.ts";
import { createDeadline, pause, type TimeLimit } from "../../../src/base/time/deadline.ts";
import { createSsh, type Ssh } from "../../../src/device/ssh/connect.ts";
import type { Connection } from "../../../src/device/ssh/connection.ts";
import type { HostKeyStore } from "../../../src/device/ssh/login/target.ts";
import type { HostKey, SshTarget } from "../../../src/plugin/kit/ssh.ts";

export function memoryOfHostKeys(): HostKeyStore & { all: Map<string, HostKey[]> } {
  const all = new Map<string, HostKey[]>();
  return {
    all,
    knownKeys: (host, port) => all.get(`${host}:${port}`) ?? [],
    learn(host, port, key) {
      all.set(`${host}:${port}`, [...(all.get(`${host}:${port}`) ?? []), key]);
    },
  };
}

export function scopeOf(ms = 900_000): TimeLimit & { abort(reason: ServiceError): void } {
  const deadline = createDeadline(ms, () => new ServiceError("JobTimeout", "the test's scope is over"));
  return { signal: deadline.signal, remaining: deadline.remaining, abort: deadline.abort };
}

export interface Reachable {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
}

export function targetOf(server: Reachable, changes: Partial<SshTarget> = {}): SshTarget {
  return {
    host: server.host,
    port: server.port,
    username: server.user,
    password: secret(server.password),
    connectTimeoutMs: 60_000,
    profile: "modern",
    hostKeyPolicy: "auto_add",
    ...changes,
  };
}

/** A target with key authentication only. */
export function withoutPassword(target: SshTarget): SshTarget {
  const { password: _, ...rest } = target;
  return rest;
}

export function newSsh(): Ssh {
  return createSsh({ hostKeys: memoryOfHostKeys() });
}

export async function withConnection<T>(
  target: SshTarget,
  work: (connection: Connection, scope: TimeLimit) => Promise<T>,
  ssh = newSsh(),
): Promise<T> {
  const scope = scopeOf();
  const connection = await ssh.connect(target, scope);
  try {
    return await work(connection, scope);
  } finally {
    await connection.close();
  }
}

/** The ServiceError of a rejected promise. */
export async function failure(promise: Promise<unknown>): Promise<ServiceError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error("nothing failed");
}

/** A folder for the files of one test file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "patchbay-test-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Collects a stream's text, and waits for a match. */
export function textOf(stream: { onData(listener: (chunk: Uint8Array) => void): void }) {
  let text = "";
  let wake = () => {};
  stream.onData((chunk) => {
    text += Buffer.from(chunk).toString("latin1");
    wake();
  });
  return {
    text: () => text,
    async has(pattern: RegExp) {
      while (!pattern.test(text)) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

/** A command that runs for a minute, and a check that the server on this machine has started it. */
export function marker(): { readonly command: string; seen(): Promise<void> } {
  const file = join(tmpdir(), `patchbay-begun-${randomUUID()}`);
  return {
    command: `touch ${file}; sleep 60`,
    async seen() {
      while (!existsSync(file)) await pause(10);
      rmSync(file);
    },
  };
}

/** Process ids on this machine whose arguments contain a text. */
export function runningWith(text: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => argumentsOf(pid).includes(text));
}

/** Separated by blanks. Returns an empty string for an ended or zombie process. */
function argumentsOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}
