/** Ensures that one process owns a data directory. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ServiceError } from "../../../../base/errors.ts";
import type { Ownership } from "../../../port.ts";
import { type FileLock, takeLock } from "./file-lock.ts";
import { describedIn, ownDescription } from "./holder.ts";
import { requireWritable } from "./writable.ts";

const lockName = "patchbay.lock";
const pidName = "patchbay.pid";

/** What owning a directory leaves in it. */
export const ownerFiles = [lockName, pidName] as const;

/**
 * For a command beside the service, before it upgrades the database.
 * @throws ServiceError Unavailable if a process owns the directory: it would work with a schema that it does not know
 */
export function ownForUpgrade(directory: string): FileLock {
  const lock = takeLock(join(directory, lockName));
  if (lock !== undefined) return lock;
  const holder = describedIn(join(directory, pidName));
  throw new ServiceError(
    "Unavailable",
    `The database is of an earlier version, and in use by ${holder}. Restart that service with this version of the program first, or run the command with the service's own. Nothing was changed.`,
  );
}

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
