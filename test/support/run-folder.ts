/**
 * Global setup and teardown: the folder for temporary files of all tests and their processes, removed with
 * the run.
 */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

/** Set if the folder was already created for this run: by `scripts/test.ts`. */
export const runFolderVariable = "TEST_RUN_FOLDER";

export function setup(): (() => void) | undefined {
  if (process.env[runFolderVariable] !== undefined) return undefined;
  const { folder, temporary } = makeRunFolder();
  process.env.TMPDIR = temporary;
  process.env[runFolderVariable] = folder;
  return () => removeRunFolder(folder);
}

/** Short, because the path of a Unix socket below it must fit into 107 bytes. World-writable like /tmp. */
export function makeRunFolder(): { readonly folder: string; readonly temporary: string } {
  const folder = mkdtempSync(join(tmpdir(), "pb-"));
  const temporary = join(folder, "t");
  mkdirSync(temporary);
  chmodSync(folder, 0o755);
  chmodSync(temporary, 0o1777);
  return { folder, temporary };
}

/** Environment variables that point a run's processes to its folder. */
export function environmentOf({
  folder,
  temporary,
}: ReturnType<typeof makeRunFolder>): Record<string, string> {
  return { TMPDIR: temporary, [runFolderVariable]: folder };
}

/**
 * Ends the processes that tests left running, as those of a killed worker: they have the run's folder in their
 * environment or arguments. On Linux.
 * @returns their commands
 */
export function endLeftOver(folder: string): string[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc").flatMap((entry) => {
    const pid = Number(entry);
    if (!(pid > 1) || pid === process.pid) return [];
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
      const environment = readFileSync(`/proc/${pid}/environ`, "utf8");
      if (!`${command} ${environment}`.includes(folder)) return [];
      process.kill(pid, "SIGKILL");
      return [command];
    } catch {
      // It has ended, or belongs to another user.
      return [];
    }
  });
}

/** Reports what could not be removed, such as a mount left by a test, or a folder still being written to. */
export function removeRunFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true });
  } catch (error) {
    console.warn(`${folder} stays: ${String(error)}`);
  }
}
