/** Files that commands write: never over an existing one unasked, and never half. */
import { createWriteStream, existsSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ServiceError } from "../../base/errors.ts";
import { writeReason } from "../../base/files/file-errors.ts";

export interface OverwriteFlag {
  readonly overwrite?: boolean;
}

export const overwriteHint = "replace files that exist";

/** Readable by the owner only: outputs may be confidential. */
const mode = 0o600;

/** Called before the work whose result goes there. @throws ServiceError Validation: the file exists */
export function requireNew(file: string | undefined, { overwrite }: OverwriteFlag): void {
  if (file === undefined || overwrite === true || !existsSync(file)) return;
  throw new ServiceError("Validation", `${file} exists: use another name, or --overwrite to replace it.`);
}

/** @throws ServiceError Validation: it is not empty */
export function requireEmptyFolder(folder: string | undefined, { overwrite }: OverwriteFlag): void {
  if (folder === undefined || overwrite === true || !hasFiles(folder)) return;
  const text = `${folder} is not empty: use another folder, or --overwrite to replace files in it.`;
  throw new ServiceError("Validation", text);
}

function hasFiles(folder: string): boolean {
  try {
    return readdirSync(folder).length > 0;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return false;
    throw notWritten(folder, error);
  }
}

/** @throws ServiceError Validation: it exists, or cannot be written */
export function writeOutput(file: string, text: string, flags: OverwriteFlag): void {
  requireNew(file, flags);
  const part = `${file}.part`;
  try {
    writeFileSync(part, text, { mode });
    renameSync(part, file);
  } catch (error) {
    rmSync(part, { force: true });
    throw notWritten(file, error);
  }
}

/** No partial file remains. @throws ServiceError Unavailable: the stream broke off, or the file cannot be written */
export async function streamOutput(file: string, body: AsyncIterable<Uint8Array>): Promise<void> {
  const part = `${file}.part`;
  try {
    await pipeline(Readable.from(body), createWriteStream(part, { mode }));
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw new ServiceError("Unavailable", `${file}: ${writeReason(error)}. Nothing was written.`);
  }
}

function notWritten(file: string, error: unknown): ServiceError {
  return new ServiceError("Validation", `${file} cannot be written: ${writeReason(error)}.`);
}
