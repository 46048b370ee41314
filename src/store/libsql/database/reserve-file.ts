/** A file that only takes space: giving it up lets running jobs be recorded when the disk is full. */
import { closeSync, existsSync, openSync, renameSync, rmSync, statfsSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";

export interface ReserveFile {
  /** Frees the space; false when there is none left to free. */
  release(): boolean;
  /** Takes it again; false while there is not room for it and as much again. */
  restore(): boolean;
}

export const reserveFileName = "reserve";
/** Its name in versions before. */
const formerName = "ballast";
const bytes = 8 * 1024 * 1024;
/** Written in pieces: a buffer of its size would stay with the process. */
const pieceBytes = 128 * 1024;

export function createReserveFile(directory: string): ReserveFile {
  const path = join(directory, reserveFileName);
  const former = join(directory, formerName);
  return {
    release() {
      if (!existsSync(path)) return false;
      rmSync(path, { force: true });
      return true;
    },
    restore() {
      if (existsSync(former)) renameSync(former, path);
      if (existsSync(path)) return true;
      const { bavail, bsize } = statfsSync(dirname(path));
      if (bavail * bsize < 2 * bytes) return false;
      try {
        fill(path);
        return true;
      } catch {
        // Somebody else took the room: it counts as full still.
        rmSync(path, { force: true });
        return false;
      }
    },
  };
}

function fill(path: string): void {
  const piece = Buffer.alloc(pieceBytes, 0x50);
  const file = openSync(path, "w", 0o600);
  try {
    for (let at = 0; at < bytes; ) at += writeSync(file, piece, 0, Math.min(pieceBytes, bytes - at));
  } finally {
    closeSync(file);
  }
}

export const noReserveFile: ReserveFile = { release: () => false, restore: () => true };
