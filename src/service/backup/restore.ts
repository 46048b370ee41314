/** Restores an archive into a data directory: unpacked to a staging folder, checked, then moved into place. */
import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, statfsSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Manifest } from "../../backup/manifest.ts";
import { readArchive } from "../../backup/read.ts";
import { refused, type TarEntry } from "../../backup/tar.ts";
import { writeAll } from "../../backup/write.ts";
import { ServiceError } from "../../base/errors.ts";
import type { Secret } from "../../base/secrets/secret.ts";
import { databaseName } from "../settings.ts";
import { requireWhole } from "./database.ts";
import { isPart } from "./parts.ts";
import { markUnfinished, stagingOf } from "./unfinished.ts";

/** Reserve for the file system, and for the store, which opens the unpacked database. */
const spareBytes = 64 * 1024 * 1024;

export interface PutBack {
  readonly manifest: Manifest;
  /** Created paths, folders first. */
  readonly made: readonly string[];
}

/**
 * Marks the directory as unfinished first.
 * @throws ServiceError: what was created must be removed
 */
export async function putBack(
  directory: string,
  file: string,
  passphrase: Secret | undefined,
): Promise<PutBack> {
  const staging = stagingOf(directory);
  markUnfinished(directory, []);
  mkdirSync(staging, { mode: 0o700 });
  const manifest = await unpack(file, passphrase, staging);
  const paths = manifest.entries.map(({ path }) => path);
  if (!paths.includes(databaseName)) throw refused("it contains no database");
  await requireWhole(join(staging, databaseName));
  const missing = paths.filter((path) => !isThere(directory, staging, path));
  const folders = [...new Set(missing.flatMap(foldersOf))].filter((path) => isMissing(directory, path));
  markUnfinished(directory, [
    ...missing,
    ...folders.map((path) => `${path}/`),
    ...[`${databaseName}-wal`, `${databaseName}-shm`],
  ]);
  for (const path of folders) mkdirSync(join(directory, path), { mode: 0o700 });
  const made = folders.map((path) => join(directory, path));
  // The database last: what it refers to then exists.
  for (const path of missing.sort((a, b) => Number(a === databaseName) - Number(b === databaseName))) {
    const target = join(directory, path);
    made.push(target);
    renameSync(join(staging, path), target);
  }
  rmSync(staging, { recursive: true, force: true });
  return { manifest, made };
}

async function unpack(file: string, passphrase: Secret | undefined, staging: string): Promise<Manifest> {
  const { bavail, bsize } = statfsSync(staging);
  let left = bavail * bsize - spareBytes;
  let current: { handle: FileHandle; path: string } | undefined;
  const begin = async ({ path, size, mode }: TarEntry) => {
    if (!isPart(path)) throw refused(`${JSON.stringify(path.slice(0, 200))} is not part of a data directory`);
    left -= size;
    if (left < 0)
      throw new ServiceError(
        "StorageFull",
        "There is not enough disk space for the contents of this archive.",
      );
    mkdirSync(dirname(join(staging, path)), { recursive: true, mode: 0o700 });
    // Never writable for others, whatever the archive says.
    const handle = await open(join(staging, path), "wx", (mode & 0o755) | 0o600);
    current = { handle, path };
    return handle;
  };
  try {
    return await readArchive(file, passphrase, async (entry, piece) => {
      const handle = current?.path === entry.path ? current.handle : await begin(entry);
      if (piece !== undefined) return writeAll(handle, piece);
      await handle.sync();
      await handle.close();
      current = undefined;
    });
  } finally {
    await current?.handle.close().catch(() => {});
  }
}

/**
 * @returns whether the identical file already exists.
 * @throws ServiceError Conflict: a different one exists
 */
function isThere(directory: string, staging: string, path: string): boolean {
  const target = join(directory, path);
  const stat = lstatSync(target, { throwIfNoEntry: false });
  if (stat === undefined || (path === databaseName && stat.size === 0)) return false;
  const isSame = stat.isFile() && readFileSync(target).equals(readFileSync(join(staging, path)));
  if (isSame) return true;
  const text = `${directory} already has another ${path}: restore into an empty directory, or move it away first.`;
  throw new ServiceError("Conflict", text);
}

/** Outermost first. */
function foldersOf(path: string): string[] {
  const steps = path.split("/").slice(0, -1);
  return steps.map((_, at) => steps.slice(0, at + 1).join("/"));
}

/** @throws ServiceError Conflict: it exists and is not a folder */
function isMissing(directory: string, path: string): boolean {
  const stat = lstatSync(join(directory, path), { throwIfNoEntry: false });
  if (stat === undefined || stat.isDirectory()) return stat === undefined;
  throw new ServiceError("Conflict", `${join(directory, path)} is not a folder: nothing was restored.`);
}
