/**
 * The files of the open database are no longer in their place: saves what the connection still reads, so that it is
 * found after a restart, and says what happened and what to do.
 */
import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { messageOf } from "../../../../base/errors.ts";
import type { DatabaseFiles, FileChange } from "./database-files.ts";

/** What a connection to the opened files can still do. */
export interface OpenDatabase {
  readonly path: string;
  readonly files: DatabaseFiles;
  /** @throws if not everything could be written to the database file and fsynced */
  writeLogIntoFile(): void;
  script(sql: string): void;
}

export const displacedCode = "STORE_DISPLACED";

/** The message is for operators and callers: it names no path. */
export function displaced(open: OpenDatabase, change: FileChange, saves: boolean): Error {
  const name = basename(open.path);
  const what: Record<FileChange, string> = {
    directory: "The data directory was moved, deleted or replaced",
    database: `${name} was moved, deleted or replaced`,
    log: `${name}-wal was moved, deleted or replaced`,
    index: `${name}-shm was moved, deleted or replaced`,
    overwritten: `${name} was overwritten`,
  };
  const saved = saves ? ` ${savedText(open, change)}` : "";
  const text = `${what[change]} while it was in use: nothing more is stored.${saved}`;
  return Object.assign(new Error(text), { code: displacedCode });
}

function savedText(open: OpenDatabase, change: FileChange): string {
  const backup = "put a backup in its place (`patchbay restore`), and start the service again";
  if (change === "overwritten") {
    const aside = setAside(open, open.files.hasOwnLog());
    return `What was stored before is gone${aside}. Stop the service, ${backup}.`;
  }
  try {
    open.writeLogIntoFile();
    if (!open.files.deleted()) {
      if (change === "log" || change === "index")
        return `Everything stored until then is in ${basename(open.path)}${setAside(open, false)}. Restart the service.`;
      return "Everything stored until then is in the moved database: put it back, and start the service again.";
    }
  } catch {
    // Another process reads the old log: a copy needs no lock that it holds.
  }
  if (change === "directory")
    return `What was stored until then can be read until the service stops (export jobs and inventory). Then ${backup}.`;
  return copied(open);
}

/** A complete copy, which gets the name of the database if that is free. */
function copied(open: OpenDatabase): string {
  const copy = `${open.path}.saved-${timeName()}`;
  const named = basename(open.path);
  try {
    closeSync(openSync(copy, "wx", 0o600));
    open.script(`vacuum into '${copy.replaceAll("'", "''")}'`);
    synced(copy);
    if (statSync(open.path, { throwIfNoEntry: false }) === undefined) {
      // The log of the deleted file does not fit the copy.
      setAside(open, true);
      rmSync(`${open.path}-shm`, { force: true });
      linkSync(copy, open.path);
      rmSync(copy);
      synced(dirname(open.path));
      return `Everything stored until then is in a new ${named}. Restart the service.`;
    }
    synced(dirname(open.path));
    return `Everything stored until then is in ${basename(copy)}: stop the service, keep one of the two as ${named}, remove ${named}-wal and ${named}-shm, and start it.`;
  } catch (error) {
    rmSync(copy, { force: true });
    return `What was stored until then could not be saved (${messageOf(error)}): it can be read until the service stops.`;
  }
}

/** SQLite would apply a log to any database that it lies beside. */
function setAside({ path, files }: OpenDatabase, ownToo: boolean): string {
  const log = `${path}-wal`;
  const stat = statSync(log, { throwIfNoEntry: false });
  if (stat === undefined || stat.size === 0 || (files.hasOwnLog() && !ownToo)) return "";
  const aside = `${log}.old-${timeName()}`;
  renameSync(log, aside);
  return `, its log is kept as ${basename(aside)}`;
}

const timeName = () => new Date().toISOString().replaceAll(/[-:]|\.\d+/g, "");

function synced(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
