/** A file that reserves disk space; deleting it lets running jobs be recorded when the disk is full. */
import {
  closeSync,
  existsSync,
  openSync,
  renameSync,
  rmSync,
  statfsSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { messageOf } from "../../../../base/errors.ts";

export interface ReserveFile {
  /** Frees the space; false if there is none left to free. */
  release(): boolean;
  /** Reserves the space again; false unless twice that space is free. */
  restore(): boolean;
  /** Why the directory cannot be written, unless it is for lack of space. */
  obstacle(): string | undefined;
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
      try {
        if (!existsSync(path)) return false;
        rmSync(path, { force: true });
        return true;
      } catch {
        return false;
      }
    },
    restore() {
      try {
        if (existsSync(former)) renameSync(former, path);
        if (existsSync(path)) return true;
        const { bavail, bsize } = statfsSync(dirname(path));
        if (bavail * bsize < 2 * bytes) return false;
        fill(path);
        return true;
      } catch {
        // Another process used the space: the disk still counts as full.
        removed(path);
        return false;
      }
    },
    obstacle() {
      const probe = join(directory, `.writable-${process.pid}`);
      try {
        writeFileSync(probe, "");
        return undefined;
      } catch (error) {
        const code = error instanceof Error && "code" in error ? error.code : undefined;
        return code === "ENOSPC" || code === "EDQUOT" ? undefined : messageOf(error);
      } finally {
        removed(probe);
      }
    },
  };
}

function removed(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The directory cannot be written at all.
  }
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

export const noReserveFile: ReserveFile = {
  release: () => false,
  restore: () => true,
  obstacle: () => undefined,
};
