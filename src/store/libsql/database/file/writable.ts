/** Checks that a data directory is writable, and whether it was used before, before anything is created in it. */
import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { messageOf, ServiceError } from "../../../../base/errors.ts";

/**
 * Creates the directory if it does not exist.
 * @throws ServiceError Unavailable with a message for the operator if it is not writable
 */
export function requireWritable(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    // Does not open the lock file itself: closing any descriptor of it would drop the lock of this process.
    const probe = join(directory, `.writable-${process.pid}`);
    writeFileSync(probe, "");
    rmSync(probe);
  } catch (error) {
    const why = messageOf(error);
    const todo =
      "Make it writable for the account that runs patchbay, or set PATCHBAY_DATA_DIR to another directory";
    throw new ServiceError(
      "Unavailable",
      `The data directory ${directory} cannot be written: ${why}. ${todo}.`,
      undefined,
      { cause: error },
    );
  }
}

/** Holds the id of the directory; created on the first start. */
export const homeFile = "home.id";

/** Whether a service has used the directory before, even if its database is gone. */
export function isUsed(directory: string, databaseName: string): boolean {
  const database = statSync(join(directory, databaseName), { throwIfNoEntry: false });
  return (database?.size ?? 0) > 0 || existsSync(join(directory, homeFile));
}
