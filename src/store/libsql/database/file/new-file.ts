/**
 * Creates the database file before SQLite would, so that other users cannot read it. Never opens an existing file:
 * closing any descriptor of it drops the locks of this process, and another process could then corrupt the database.
 */
import { randomUUID } from "node:crypto";
import { closeSync, existsSync, fsyncSync, linkSync, openSync, rmSync, writeSync } from "node:fs";
import { blankDatabase } from "./blank.ts";

/** @param blank a database image with the schema; without one the file is empty and migrations create the schema */
export function makeDatabaseFile(file: string, blank = blankDatabase): void {
  if (!existsSync(file) && (blank === undefined || !linkedBlank(file, blank()))) makeEmptyFile(file);
}

/** A database without a schema, unless there is a file. */
export function makeEmptyFile(file: string): void {
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error) || error.code !== "EEXIST") throw error;
  }
}

/**
 * The file gets its name only once it is completely on disk. False if this fails (full disk, no hard links) or another
 * process was first; then an empty file is created, and SQLite reports the problem.
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
