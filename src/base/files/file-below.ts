/** Resolves files below the operator's folders; symbolic links are followed and checked. Lists the files of a folder. */
import { constants, readdirSync } from "node:fs";
import { lstat, open, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, resolve, sep } from "node:path";
import { outsideFolders } from "./open-folder.ts";

/**
 * Real path of `path` below one of the roots; symbolic links are followed and checked. A file to be written need not
 * exist, but its folder must. The message does not reveal whether the file exists.
 * @throws ServiceError Forbidden
 */
export function fileBelow(roots: readonly string[], path: string, use: "read" | "write"): Promise<string> {
  return below(roots, path, use, (real) => isPlainFile(real, use));
}

/**
 * The same for a folder.
 * @throws ServiceError Forbidden
 */
export function folderBelow(roots: readonly string[], path: string, use: "read" | "write"): Promise<string> {
  return below(roots, path, use, (real) => isFolder(real, use));
}

async function below(
  roots: readonly string[],
  path: string,
  use: "read" | "write",
  fits: (real: string) => Promise<boolean>,
): Promise<string> {
  if (path.includes("\0") || roots.length === 0) throw outsideFolders();
  for (const root of roots) {
    const base = await realpath(root).catch(() => undefined);
    if (base === undefined) continue;
    const absolute = isAbsolute(path) ? resolve(path) : join(base, path);
    const real = await realRead(absolute, use);
    if (real !== undefined && (real === base || real.startsWith(base + sep)) && (await fits(real)))
      return real;
  }
  throw outsideFolders();
}

async function realRead(path: string, use: "read" | "write"): Promise<string | undefined> {
  const existing = await realpath(path).catch(() => undefined);
  if (existing !== undefined || use === "read") return existing;
  const folder = await realpath(dirname(path)).catch(() => undefined);
  return folder && join(folder, basename(path));
}

async function isFolder(path: string, use: "read" | "write"): Promise<boolean> {
  const stat = await lstat(path).catch((error: NodeJS.ErrnoException) => error.code);
  return typeof stat === "object" ? stat.isDirectory() : use === "write" && stat === "ENOENT";
}

/** Excludes pipes and devices such as /dev/zero, which never end. */
async function isPlainFile(path: string, use: "read" | "write"): Promise<boolean> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(path, flags).catch((error: NodeJS.ErrnoException) => error.code);
  if (typeof handle === "string" || handle === undefined) return use === "write" && handle === "ENOENT";
  try {
    const stat = await handle.stat();
    return stat.isFile() && stat.nlink === 1;
  } finally {
    await handle.close();
  }
}

/**
 * Paths of the regular files in a folder and its folders. Links are left out: they could lead anywhere, and
 * `readdirSync` of Bun with `recursive` follows them.
 */
export function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesIn(path);
    return entry.isFile() ? [path] : [];
  });
}
