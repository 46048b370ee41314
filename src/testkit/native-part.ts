/**
 * The native part of the compiled program, unpacked by the first service of a test run and linked into the data
 * directories of the others: unpacking is a fifth of the CPU time of a start. Each start verifies it all the same.
 */
import { linkSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";

/** Environment of tests: the folder that keeps it, on the file system of their data directories. */
export const nativeVariable = "TEST_NATIVE_FOLDER";

/** Into a data directory that is empty, before the start. */
export function lendNative(dataDir: string): void {
  quietly((kept) => {
    if (isOurs(dataDir) && readdirSync(dataDir).length === 0) link(kept, join(dataDir, "native"));
  });
}

/** From the data directory of a service that has started. */
export function keepNative(dataDir: string): void {
  quietly((kept) => link(join(dataDir, "native"), kept));
}

const isOurs = (path: string) => statSync(path).uid === process.getuid?.();

/** Only what this account wrote: another one could go on writing into it. */
function link(from: string, to: string): void {
  const names = readdirSync(from).filter((name) => name.endsWith(".node"));
  if (![from, ...names.map((name) => join(from, name))].every(isOurs)) return;
  mkdirSync(to, { recursive: true, mode: 0o755 });
  for (const name of names) linkSync(join(from, name), join(to, name));
}

/** What was not linked is unpacked. */
function quietly(work: (kept: string) => void): void {
  const kept = process.env[nativeVariable];
  if (kept === undefined) return;
  try {
    work(kept);
  } catch {
    // There is none, as when the source runs, or it is kept already.
  }
}
