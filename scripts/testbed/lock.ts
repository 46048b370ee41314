/** A lock across processes: test files run in parallel and share the machine's users and packages. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { pause } from "../../src/base/time/deadline.ts";

const waitMs = 50;
const waitAtMostMs = 300_000;

export function withLock<T>(name: string, work: () => T): T {
  const lock = lockOf(name);
  while (!lock.take()) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, waitMs);
  try {
    return work();
  } finally {
    lock.free();
  }
}

/** For work that others of this process wait for as well. */
export async function withLockMeanwhile<T>(name: string, work: () => Promise<T>): Promise<T> {
  const lock = lockOf(name);
  while (!lock.take()) await pause(waitMs);
  try {
    return await work();
  } finally {
    lock.free();
  }
}

/** Creating a folder is atomic, so it serves as the lock. A lock whose owner is gone is taken over. */
function lockOf(name: string) {
  const folder = join(tmpdir(), `patchbay-testbed-${name}.lock`);
  const owner = join(folder, "pid");
  const startedAt = performance.now();
  const free = () => rmSync(folder, { recursive: true, force: true });
  return {
    free,
    take(): boolean {
      try {
        mkdirSync(folder);
      } catch (error) {
        if (!isCode(error, "EEXIST") || performance.now() - startedAt > waitAtMostMs) throw error;
        if (ownerIsGone(owner)) free();
        return false;
      }
      writeFileSync(owner, String(process.pid));
      return true;
    },
  };
}

function ownerIsGone(owner: string): boolean {
  try {
    process.kill(Number(readFileSync(owner, "utf8")), 0);
    return false;
  } catch (error) {
    return isCode(error, "ESRCH");
  }
}

const isCode = (error: unknown, code: string) =>
  error instanceof Error && "code" in error && error.code === code;
