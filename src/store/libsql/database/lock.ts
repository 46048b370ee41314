/** Ensures that one process owns a data directory, with an OS file lock that is released however the process ends. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import Libsql from "libsql";
import { ServiceError } from "../../../base/errors.ts";
import type { Ownership } from "../../port.ts";
import { faultOf } from "./faults.ts";
import { requireWritable } from "./writable.ts";

/**
 * Holds the exclusive lock of a small SQLite file: the only file lock that works the same on every supported system
 * without native code of our own.
 * @throws ServiceError Unavailable if another process has it, or if the directory is not writable
 */
export async function ownDirectory(directory: string): Promise<Ownership> {
  requireWritable(directory);
  const pidFile = join(directory, "patchbay.pid");
  const database = new Libsql(join(directory, "patchbay.lock"), { timeout: 0 });
  try {
    database.exec("begin immediate");
    database.exec("create table if not exists owner (pid integer)");
    writeFileSync(pidFile, `${process.pid}\n`);
    return {
      release() {
        // libSQL closes a connection only when it is garbage collected; ending the transaction releases the lock.
        if (database.open) database.exec("rollback");
        database.close();
      },
    };
  } catch (error) {
    database.close();
    if (faultOf(error) !== "busy") throw error;
    throw new ServiceError(
      "Unavailable",
      `The data directory is in use by pid ${ownerOf(pidFile)}: ${directory}`,
    );
  }
}

function ownerOf(pidFile: string): string {
  try {
    return readFileSync(pidFile, "utf8").trim();
  } catch {
    // The other process has locked the directory but not written its pid file yet.
    return "(unknown)";
  }
}
