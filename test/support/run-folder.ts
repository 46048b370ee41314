/** Runs before and after all test files: where they and what they start put their folders, which goes with the run. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

/** Set by who has made one for this run: `scripts/test.ts`. */
const madeBefore = "TEST_RUN_FOLDER";

export function setup(): (() => void) | undefined {
  if (process.env[madeBefore] !== undefined) return undefined;
  const { folder, temporary } = makeRunFolder();
  process.env.TMPDIR = temporary;
  process.env[madeBefore] = folder;
  return () => removeRunFolder(folder);
}

/** Short: a unix socket's path below it must fit into 107 bytes. Open to each user of this machine as /tmp is. */
export function makeRunFolder(): { readonly folder: string; readonly temporary: string } {
  const folder = mkdtempSync(join(tmpdir(), "pb-"));
  const temporary = join(folder, "t");
  mkdirSync(temporary);
  chmodSync(folder, 0o755);
  chmodSync(temporary, 0o1777);
  return { folder, temporary };
}

/** What a run's processes are told of its folder. */
export function environmentOf({
  folder,
  temporary,
}: ReturnType<typeof makeRunFolder>): Record<string, string> {
  return { TMPDIR: temporary, [madeBefore]: folder };
}

/** Says what would not go, as a mount left by a test, or a folder that somebody still writes into. */
export function removeRunFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true });
  } catch (error) {
    console.warn(`${folder} stays: ${String(error)}`);
  }
}
