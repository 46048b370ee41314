/**
 * Detects that the files of an open database were deleted, moved, replaced or overwritten by someone else. SQLite goes
 * on writing to the files that it has open, and after a crash nobody finds what was written there.
 */
import { fstatSync, openSync, readSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";

/** `overwritten`: the database file is the same, its content was replaced in place. */
export type FileChange = "directory" | "database" | "log" | "index" | "overwritten";

export interface DatabaseFiles {
  /** Costs a few system calls; undefined while the files are those that were opened. */
  change(): FileChange | undefined;
  /** The opened database file has no name any more: it ends with this process. */
  deleted(): boolean;
  /** The WAL with this path is the one that was opened. */
  hasOwnLog(): boolean;
  /** After a new connection, which may have created another WAL. */
  renew(): void;
}

type Identity = Pick<Stats, "dev" | "ino">;

/** The part of SQLite's header that tells states of a database apart. */
const headerBytes = 44;
const magic = "SQLite format 3\0";
/** Offset of the change counter, which only grows. */
const counterAt = 24;

/**
 * By device and inode. Never closed: closing any descriptor of a database drops the locks that SQLite holds on it in
 * this process.
 */
const descriptors = new Map<string, number>();

/**
 * @param path of a database that this process has just opened
 * @param owned for as long as the process lives: also notices other content, and whether the file was deleted
 */
export function databaseFiles(path: string, owned: boolean): DatabaseFiles {
  const folder = identityOf(dirname(path));
  const database = identityOf(path);
  const descriptor = owned ? descriptorOf(path, database) : undefined;
  let log = identityOf(`${path}-wal`);
  let index = identityOf(`${path}-shm`);
  const header = Buffer.alloc(headerBytes);
  let counter = 0;

  /** A checkpoint may be writing the header at this moment. */
  function overwritten(): boolean {
    if (descriptor === undefined) return false;
    for (let tries = 0; tries < 3; tries++) {
      const read = readSync(descriptor, header, 0, headerBytes, 0);
      const found = header.readUInt32BE(counterAt);
      // A new database is empty until its first checkpoint.
      const isOurs =
        read === headerBytes
          ? header.toString("latin1", 0, magic.length) === magic && found >= counter
          : counter === 0;
      if (!isOurs) continue;
      if (read === headerBytes) counter = found;
      return false;
    }
    return true;
  }

  return {
    change() {
      // SQLite creates them with the first transaction.
      log ??= identityOf(`${path}-wal`);
      index ??= identityOf(`${path}-shm`);
      if (!isSame(path, database)) return isSame(dirname(path), folder) ? "database" : "directory";
      if (!isSame(`${path}-wal`, log)) return "log";
      if (!isSame(`${path}-shm`, index)) return "index";
      return overwritten() ? "overwritten" : undefined;
    },
    deleted: () => descriptor !== undefined && fstatSync(descriptor).nlink === 0,
    hasOwnLog: () => log !== undefined && isSame(`${path}-wal`, log),
    renew() {
      log = identityOf(`${path}-wal`);
      index = identityOf(`${path}-shm`);
    },
  };
}

function identityOf(path: string): Identity | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

/** @param known undefined: there was no such file, as on file systems without shared memory */
function isSame(path: string, known: Identity | undefined): boolean {
  if (known === undefined) return true;
  try {
    const found = identityOf(path);
    return found?.ino === known.ino && found.dev === known.dev;
  } catch {
    // A file system that does not answer says nothing about its files.
    return true;
  }
}

function descriptorOf(path: string, identity: Identity | undefined): number {
  const name = `${identity?.dev}:${identity?.ino}`;
  const descriptor = descriptors.get(name) ?? openSync(path, "r");
  descriptors.set(name, descriptor);
  return descriptor;
}
