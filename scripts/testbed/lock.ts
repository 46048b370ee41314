/** A lock across processes: test files run in parallel and share the machine's users and packages. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

const waitMs = 50;
const waitAtMostMs = 300_000;

/** Creating a folder is atomic, so it serves as the lock. A lock whose owner is gone is taken over. */
export function withLock<T>(name: string, work: () => T): T {
  const folder = join(tmpdir(), `patchbay-testbed-${name}.lock`);
  const owner = join(folder, "pid");
  const startedAt = performance.now();
  for (;;) {
    try {
      mkdirSync(folder);
      break;
    } catch (error) {
      if (!isCode(error, "EEXIST") || performance.now() - startedAt > waitAtMostMs) throw error;
      if (ownerIsGone(owner)) rmSync(folder, { recursive: true, force: true });
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, waitMs);
    }
  }
  try {
    writeFileSync(owner, String(process.pid));
    return work();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
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
