/** Whether anything can be written into a data directory; told before something is made there. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
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
