/** One process owns a data directory: a lock of the operating system, which ends with the process however it ends. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import Libsql from "libsql";
import { ServiceError } from "../../../base/errors.ts";
import type { Ownership } from "../../port.ts";
import { faultOf } from "./faults.ts";
import { requireWritable } from "./writable.ts";

/**
 * Holds the exclusive lock of a small SQLite file: the one file lock that works the same on every system we run on
 * without native code of our own.
 * @throws ServiceError Unavailable when another process has it, or when the directory can not be written.
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
        // libSQL closes a connection only when it is collected: the end of the transaction gives the lock back.
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
    // Between its lock and its pid file the other process has not written it yet.
    return "(unknown)";
  }
}
