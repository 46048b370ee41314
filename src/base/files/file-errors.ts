/** Failures of the file system in words: `ENOENT` says nothing to most people. */
import { messageOf } from "../errors.ts";

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "it does not exist",
  EACCES: "this account may not",
  EPERM: "this account may not",
  EISDIR: "it is a folder, not a file",
  ENOTDIR: "a part of its path is a file, not a folder",
  EEXIST: "it exists already",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota of this account is used up",
  EROFS: "the file system is read-only",
  ENAMETOOLONG: "its name is too long",
  ELOOP: "its links lead in a circle",
  EMFILE: "too many files are open",
  ENOTEMPTY: "the folder is not empty",
};

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

/** Why a file cannot be read, as the rest of a sentence; without a final period. */
export function readReason(error: unknown): string {
  return reasons[codeOf(error)] ?? messageOf(error);
}

/** Why a file cannot be written. */
export function writeReason(error: unknown): string {
  return codeOf(error) === "ENOENT" ? "its folder does not exist" : readReason(error);
}

/** A sentence that names the file; undefined if it is no failure of the file system. */
export function fileFailure(error: unknown): string | undefined {
  const reason = reasons[codeOf(error)];
  if (reason === undefined || !(error instanceof Error)) return undefined;
  const [path] = ["dest", "path"].flatMap((name) => {
    const value: unknown = Reflect.get(error, name);
    return typeof value === "string" && value !== "" ? [value] : [];
  });
  if (path === undefined) return undefined;
  const isMade = "syscall" in error && error.syscall === "mkdir";
  return isMade ? `${path} cannot be made: ${writeReason(error)}.` : `${path} cannot be used: ${reason}.`;
}
