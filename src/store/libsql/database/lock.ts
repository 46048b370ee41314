/** One process owns a data directory: a lock of the operating system, which ends with the process however it ends. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { createClient } from "@libsql/client";
import { ServiceError } from "../../../base/errors.ts";
import type { Ownership } from "../../port.ts";
import { faultOf } from "./faults.ts";

/**
 * Holds the exclusive lock of a small SQLite file: the one file lock that works the same on every system we run on
 * without native code of our own.
 * @throws ServiceError Unavailable when another process has it, or when the directory can not be written.
 */
export async function ownDirectory(directory: string): Promise<Ownership> {
  requireWritable(directory);
  const pidFile = join(directory, "patchbay.pid");
  const client = createClient({
    url: pathToFileURL(join(directory, "patchbay.lock")).href,
    timeout: 0,
    concurrency: 1,
  });
  try {
    const held = await client.transaction("write");
    await held.execute("create table if not exists owner (pid integer)");
    writeFileSync(pidFile, `${process.pid}\n`);
    return {
      release() {
        held.close();
        client.close();
      },
    };
  } catch (error) {
    client.close();
    if (faultOf(error) !== "busy") throw error;
    throw new ServiceError(
      "Unavailable",
      `The data directory is in use by pid ${ownerOf(pidFile)}: ${directory}`,
    );
  }
}

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
    const why = error instanceof Error ? error.message : String(error);
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

function ownerOf(pidFile: string): string {
  try {
    return readFileSync(pidFile, "utf8").trim();
  } catch {
    // Between its lock and its pid file the other process has not written it yet.
    return "(unknown)";
  }
}
