/** Whether anything can be written into a data directory, and whether it was used; told before something is made there. */
import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { messageOf, ServiceError } from "../../../base/errors.ts";

/**
 * Makes the directory if it is not there.
 * @throws ServiceError Unavailable with a text for the operator when nothing can be written there.
 */
export function requireWritable(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    // Not the lock file itself: closing any descriptor of it would drop the lock this process holds.
    const probe = join(directory, `.writable-${process.pid}`);
    writeFileSync(probe, "");
    rmSync(probe);
  } catch (error) {
    const why = messageOf(error);
    const todo =
      "Let the account that runs patchbay write there, or set PATCHBAY_DATA_DIR to another directory";
    throw new ServiceError(
      "Unavailable",
      `The data directory ${directory} can not be written: ${why}. ${todo}.`,
      undefined,
      { cause: error },
    );
  }
}

/** Names the directory from its first start on. */
export const homeFile = "home.id";

/** Whether a service had it before, also where its database is gone. */
export function isUsed(directory: string, databaseName: string): boolean {
  const database = statSync(join(directory, databaseName), { throwIfNoEntry: false });
  return (database?.size ?? 0) > 0 || existsSync(join(directory, homeFile));
}
