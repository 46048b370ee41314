/** Files for database copies: they contain encrypted secrets and plain outputs, so only the owner may access them. */
import { closeSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { messageOf, ServiceError } from "../../base/errors.ts";

const pieceBytes = 1024 * 1024;

/** @throws ServiceError Validation: it exists already or cannot be created */
export function makePrivateFile(file: string): void {
  closeSync(openNew(file));
}

/**
 * Copies into the newly created file, even if its name is replaced meanwhile; complete or not at all.
 * @throws as `makePrivateFile`
 */
export function copyPrivately(source: string, file: string): void {
  const from = openSync(source, "r");
  try {
    const to = openNew(file);
    try {
      const piece = Buffer.alloc(pieceBytes);
      for (let size = readSync(from, piece); size > 0; size = readSync(from, piece))
        for (let at = 0; at < size; ) at += writeSync(to, piece, at, size - at);
    } catch (error) {
      rmSync(file, { force: true });
      throw error;
    } finally {
      closeSync(to);
    }
  } finally {
    closeSync(from);
  }
}

function openNew(file: string): number {
  try {
    return openSync(file, "wx", 0o600);
  } catch (error) {
    const why = reasons[codeOf(error)];
    // The file itself may be a temporary one that the operator never named.
    const where = why === undefined ? `at ${file}: ${messageOf(error)}` : `in ${dirname(file)}: ${why}`;
    throw new ServiceError("Validation", `The copy cannot be written ${where}.`);
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such folder",
  ENOTDIR: "that is not a folder",
  EACCES: "this account may not write there",
  EPERM: "this account may not write there",
  EROFS: "it is read-only",
  ENOSPC: "its disk is full",
};

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
