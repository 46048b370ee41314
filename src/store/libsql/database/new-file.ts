/**
 * Makes the database file where there is none, before SQLite would: nobody else on the machine can read it. An existing
 * file is never opened here: closing any descriptor of it drops the locks this process holds, and another process then
 * damages the database.
 */
import { randomUUID } from "node:crypto";
import { closeSync, existsSync, fsyncSync, linkSync, openSync, rmSync, writeSync } from "node:fs";
import { blankDatabase } from "./blank.ts";

/** @param blank a database with its schema; without one the file is empty and the schema comes by migrations. */
export function makeDatabaseFile(file: string, blank = blankDatabase): void {
  if (existsSync(file) || (blank !== undefined && linkedBlank(file, blank()))) return;
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error) || error.code !== "EEXIST") throw error;
  }
}

/**
 * The file has its name only once all of it is on the disk. False where that does not succeed (a full disk, no hard
 * links) or another process was first: the file is made empty then, and what is wrong is told by SQLite.
 */
function linkedBlank(file: string, bytes: Uint8Array): boolean {
  const fresh = `${file}.${randomUUID()}`;
  try {
    const descriptor = openSync(fresh, "wx", 0o600);
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    linkSync(fresh, file);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(fresh, { force: true });
  }
}
