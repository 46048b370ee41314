/** A file that reserves disk space; deleting it lets running jobs be recorded when the disk is full. */
import { closeSync, existsSync, openSync, renameSync, rmSync, statfsSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";

export interface ReserveFile {
  /** Frees the space; false if there is none left to free. */
  release(): boolean;
  /** Reserves the space again; false unless twice that space is free. */
  restore(): boolean;
}

export const reserveFileName = "reserve";
/** Its name in earlier versions. */
const formerName = "ballast";
const bytes = 8 * 1024 * 1024;
/** Written in chunks: a buffer of the full size would stay allocated. */
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
        // Another process used the space: the disk still counts as full.
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
