/** Files of copies: they hold sealed secrets and plain outputs, and are made for their owner only. */
import { closeSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { messageOf, ServiceError } from "../base/errors.ts";

const pieceBytes = 1024 * 1024;

/** @throws ServiceError Validation: it is there already, or can not be made */
export function makePrivateFile(file: string): void {
  closeSync(openNew(file));
}

/** Into the file that was just made, whatever has its name by then; whole or not at all. @throws as `makePrivateFile` */
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
    const why = messageOf(error);
    throw new ServiceError("Validation", `The copy can not be made at ${file}: ${why}.`);
  }
}
