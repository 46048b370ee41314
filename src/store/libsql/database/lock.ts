/** Ensures that one process owns a data directory. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ServiceError } from "../../../base/errors.ts";
import type { Ownership } from "../../port.ts";
import { takeLock } from "./file-lock.ts";
import { describedIn, ownDescription } from "./holder.ts";
import { requireWritable } from "./writable.ts";

const lockName = "patchbay.lock";
const pidName = "patchbay.pid";

/** What owning a directory leaves in it. */
export const ownerFiles = [lockName, pidName] as const;

/** @throws ServiceError Unavailable if another process owns it, which is named, or if it is not writable */
export async function ownDirectory(directory: string): Promise<Ownership> {
  requireWritable(directory);
  const pidFile = join(directory, pidName);
  const lock = takeLock(join(directory, lockName));
  if (lock === undefined)
    throw new ServiceError(
      "Unavailable",
      `The data directory is in use by ${describedIn(pidFile)}: ${directory}. Stop that process first, or give another directory (PATCHBAY_DATA_DIR).`,
    );
  try {
    writeFileSync(pidFile, ownDescription());
  } catch (error) {
    lock.release();
    throw error;
  }
  return lock;
}
