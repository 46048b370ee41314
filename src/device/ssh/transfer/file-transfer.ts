/** A file transfer as the host runs it: the driver's options, the allowed folders, and progress reports. */
import { createHash } from "node:crypto";
import { ServiceError } from "../../../base/errors.ts";
import type { TimeLimit } from "../../../base/time/deadline.ts";
import type { TransferOptions } from "../../../plugin/kit/ssh.ts";
import type { Transport } from "../transport.ts";
import type { Sftp } from "./sftp.ts";

export interface FileTransfer extends TransferOptions {
  readonly onProgress?: (movedBytes: number, totalBytes: number) => void;
  /** Local folders it may access; absent: any. */
  readonly roots?: readonly string[];
  /**
   * Called before data is written on this host.
   * @throws ServiceError if there is no space for it
   */
  readonly take?: (bytes: number, entries?: number) => void;
  /** Called with what the server could not do, once per message. */
  readonly onWarning?: (message: string) => void;
}

/** Shared parameters of all SFTP transfers. */
export interface Moving {
  readonly transport: Transport;
  readonly sftp: Sftp;
  readonly options: FileTransfer;
  readonly limit: TimeLimit;
  warn(message: string): void;
  /** Bytes of one file in flight. */
  readonly bytesAtOnce?: number;
}

/**
 * The temporary name of a file until it is complete. It is derived from the source's size and time at the start: a
 * later transfer of the same file finds the part, and one of another file does not write into it.
 */
export function partName(name: string, source: { readonly size: number; readonly mtimeS: number }): string {
  const tag = createHash("sha256")
    .update(`${name}\0${source.size}\0${Math.trunc(source.mtimeS)}`)
    .digest("hex")
    .slice(0, 12);
  return `.${Buffer.from(name)
    .subarray(0, 200)
    .toString("utf8")
    .replace(/\ufffd+$/, "")}.${tag}.part`;
}

/** The name of a replaced file until the new one has its own; the same for each transfer, so that the next one finds it. */
export function asideName(name: string): string {
  return partName(name, { size: 0, mtimeS: 0 }).replace(/part$/, "old");
}

export function mismatch(side: "local" | "remote", problem: string): ServiceError {
  const message = `The transfer cannot be resumed: the ${side} file ${problem}`;
  return new ServiceError("DriverError", message, { reason: "ResumeMismatch" });
}

export function exists(side: "Local" | "Remote", path: string): ServiceError {
  return new ServiceError("DriverError", `${side} file ${path} exists (overwrite is false)`, {
    reason: "Exists",
  });
}

const words: Readonly<Record<string, string>> = {
  ENOENT: "no such file or folder (ENOENT)",
  EACCES: "permission denied (EACCES)",
  ENOSPC: "no space left on the disk of this service (ENOSPC)",
  EDQUOT: "the disk quota of this service is used up (EDQUOT)",
  EISDIR: "is a folder (EISDIR)",
  ENOTDIR: "is not a folder (ENOTDIR)",
  ELOOP: "is a symbolic link (ELOOP)",
};

/** The system's error for a local file, without the path by which it was opened. */
export function localError(path: string, error: unknown): unknown {
  if (error instanceof ServiceError || !(error instanceof Error)) return error;
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  if (code === undefined) return error;
  return new ServiceError("DriverError", `Local file ${path}: ${words[code] ?? code}`, undefined, {
    cause: error,
  });
}

export function differs(path: string): ServiceError {
  const message = `Remote file ${path} has a different SHA-256 than computed here: it changed in the meantime, or was damaged in transit or on disk`;
  return new ServiceError("DriverError", message, { reason: "HashMismatch" });
}
