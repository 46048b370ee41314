/**
 * The folder beside its target in which a backup works. A killed backup leaves it behind, with files of the size of the
 * database: the next backup removes it. A lock tells such a leftover from a backup that still runs, or is stopped.
 */
import { randomBytes } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { messageOf, ServiceError } from "../../base/errors.ts";
import { type FileLock, takeLock } from "../../store/libsql/database/file/file-lock.ts";

export interface WorkingFolder {
  /** For the copy of the database. */
  readonly snapshot: string;
  /** For the archive until it is complete. */
  readonly partial: string;
  /** Removes it. */
  close(): void;
}

export interface Leftovers {
  readonly backups: number;
  readonly bytes: number;
}

const folderName = /^\.patchbay-backup-[0-9a-f]{16}$/;
const snapshotName = "database";
const partialName = "archive";
const lockName = "lock";
/** All that a backup puts there. */
const fileName = /^(?:archive|(?:database|lock)(?:-wal|-shm|-journal)?)$/;

/** @throws ServiceError Validation: it cannot be created there */
export function makeWorkingFolder(beside: string): WorkingFolder {
  const path = join(beside, `.patchbay-backup-${randomBytes(8).toString("hex")}`);
  let lock: FileLock | undefined;
  try {
    // It gets its name once it is locked, so that nobody takes it for a leftover before.
    mkdirSync(`${path}.new`, { mode: 0o700 });
    lock = takeLock(join(`${path}.new`, lockName));
    renameSync(`${path}.new`, path);
  } catch (error) {
    lock?.release();
    rmSync(`${path}.new`, { recursive: true, force: true });
    throw new ServiceError("Validation", `The backup cannot be made in ${beside}: ${messageOf(error)}.`);
  }
  return {
    snapshot: join(path, snapshotName),
    partial: join(path, partialName),
    close() {
      lock?.release();
      rmSync(path, { recursive: true, force: true });
    },
  };
}

/** Removes what killed backups have left: only folders of this account that nobody has locked. */
export function removeLeftovers(beside: string): Leftovers {
  const found = namesIn(beside)
    .filter((name) => folderName.test(name))
    .map((name) => bytesRemoved(join(beside, name)));
  const removed = found.filter((bytes) => bytes !== undefined);
  return { backups: removed.length, bytes: removed.reduce((sum, bytes) => sum + bytes, 0) };
}

/** @returns undefined if the folder stays */
function bytesRemoved(folder: string): number | undefined {
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  const isOurs = stat?.isDirectory() === true && stat.uid === (process.geteuid?.() ?? stat.uid);
  const names = isOurs ? namesIn(folder) : [];
  if (!names.includes(lockName) || !names.every((name) => fileName.test(name))) return undefined;
  try {
    const lock = takeLock(join(folder, lockName));
    if (lock === undefined) return undefined;
    const files = names.map((name) => join(folder, name));
    const bytes = files.reduce((sum, file) => sum + lstatSync(file).size, 0);
    for (const file of files) rmSync(file, { force: true });
    lock.release();
    rmSync(join(folder, `${lockName}-journal`), { force: true });
    rmdirSync(folder);
    return bytes;
  } catch {
    // Another backup removes it at the same time.
    return undefined;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
