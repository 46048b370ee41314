/** A folder opened by descriptor: what was checked is what is used, even if links change meanwhile (no TOCTOU race). */
import { constants, type Dirent, type Stats } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readdir, readlink, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import process from "node:process";
import { ServiceError } from "../errors.ts";

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_TRUNC } = constants;

export interface OpenFolder {
  /** Path of an entry in this folder; for calls that do not follow a link in the last component. */
  at(name: string): string;
  /**
   * Opens a regular file; rejects links, devices, pipes and files with several hard links.
   * @throws the error of the system, or Forbidden
   */
  open(name: string, flags: number, mode?: number): Promise<FileHandle>;
  /** Undefined if no such entry exists. */
  look(name: string): Promise<Stats | undefined>;
  list(): Promise<Dirent[]>;
  /** A subfolder, created if `make` is set. Does not follow links. */
  folder(name: string, make?: boolean): Promise<OpenFolder>;
  close(): Promise<void>;
}

export const outsideFolders = () => new ServiceError("Forbidden", "The path is outside the allowed folders.");

/**
 * The folder that contains a file, and the file's name in it.
 * @param roots folders of the operator; absent: anywhere.
 * @throws ServiceError Forbidden: it is outside the roots, possibly through links
 */
export async function openFolderOf(
  path: string,
  roots: readonly string[] | undefined,
): Promise<{ folder: OpenFolder; name: string }> {
  const absolute = resolve(path);
  if (path.includes("\0") || absolute === "/") throw outsideFolders();
  return { folder: await openFolder(dirname(absolute), roots), name: basename(absolute) };
}

/** @throws ServiceError Forbidden */
export async function openFolder(path: string, roots: readonly string[] | undefined): Promise<OpenFolder> {
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined) throw outsideFolders();
  const handle = await openHandle(real);
  try {
    if (roots !== undefined && !(await isBelow((await placeOf(handle)) ?? real, roots)))
      throw outsideFolders();
    return toOpenFolder(handle, real);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function openHandle(path: string): Promise<FileHandle> {
  return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
}

/** Current path of an open folder: from /proc on Linux, elsewhere the path it was opened with. */
function placeOf({ fd }: FileHandle): Promise<string | undefined> {
  return readlink(`/proc/self/fd/${fd}`).catch(() => undefined);
}

async function isBelow(real: string, roots: readonly string[]): Promise<boolean> {
  for (const root of roots) {
    const base = await realpath(root).catch(() => undefined);
    if (base !== undefined && (real === base || real.startsWith(base + sep))) return true;
  }
  return false;
}

function toOpenFolder(handle: FileHandle, real: string): OpenFolder {
  const base = process.platform === "linux" ? `/proc/self/fd/${handle.fd}` : real;
  const at = (name: string) => {
    if (!isEntryName(name)) throw outsideFolders();
    return join(base, name);
  };
  return {
    at,
    async open(name, flags, mode) {
      const file = await open(at(name), (flags & ~O_TRUNC) | O_NOFOLLOW | O_NONBLOCK, mode);
      try {
        const stat = await file.stat();
        if (!stat.isFile() || stat.nlink !== 1) throw outsideFolders();
        // Truncates only after the check: the opened file may turn out not to be ours.
        if ((flags & O_TRUNC) !== 0) await file.truncate();
        return file;
      } catch (error) {
        await file.close();
        throw error;
      }
    },
    look: (name) => lstat(at(name)).catch(undefinedIfMissing),
    list: () => readdir(base, { withFileTypes: true }),
    async folder(name, make = false) {
      if (make) await mkdir(at(name), 0o700).catch(unlessThere);
      return toOpenFolder(await openHandle(at(name)), join(real, name));
    },
    close: () => handle.close(),
  };
}

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}

function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST") throw error;
}

/** Whether a name is a single path component that stays in its folder. */
export function isEntryName(name: string): boolean {
  return (
    name !== "" && name !== "." && name !== ".." && !/[/\0]/.test(name) && Buffer.byteLength(name) <= 255
  );
}
