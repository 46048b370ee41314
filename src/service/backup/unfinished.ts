/** Marks an interrupted restore: its directory is not used as if complete, and the next restore starts over. */
import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { ServiceError } from "../../base/errors.ts";

const markName = "restore.unfinished";
const stagingName = "restore.new";

export const stagingOf = (directory: string) => join(directory, stagingName);

/** @param paths below the directory that are about to be created; folders end in `/` */
export function markUnfinished(directory: string, paths: readonly string[]): void {
  const handle = openSync(join(directory, markName), "w", 0o600);
  try {
    writeSync(handle, `${JSON.stringify(paths)}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

export function isUnfinished(directory: string): boolean {
  return readMark(directory) !== undefined;
}

/** @throws ServiceError Unavailable */
export function requireFinished(directory: string): void {
  if (!isUnfinished(directory)) return;
  const text = `A restore into ${directory} was interrupted: run \`patchbay restore\` again, or empty the directory.`;
  throw new ServiceError("Unavailable", text);
}

/** Removes what a restore has created. */
export function undoUnfinished(directory: string): void {
  const targets = pathsOf(readMark(directory))
    .map((path) => ({ target: resolve(directory, path), isFolder: path.endsWith("/") }))
    .filter(({ target }) => isInside(target, resolve(directory)));
  for (const { target, isFolder } of targets) if (!isFolder) rmSync(target, { force: true });
  // Deepest first.
  const folders = targets.filter(({ isFolder }) => isFolder).map(({ target }) => target);
  for (const folder of folders.sort((a, b) => b.length - a.length)) removeEmpty(folder);
  rmSync(stagingOf(directory), { recursive: true, force: true });
  rmSync(join(directory, markName), { force: true });
}

/** Compares real paths: root must not delete anything through a link that the directory's owner created. */
function isInside(target: string, directory: string): boolean {
  if (!target.startsWith(directory + sep)) return false;
  const folder = dirname(target);
  try {
    return realpathSync(folder) === join(realpathSync(directory), relative(directory, folder));
  } catch {
    // The folder does not exist, so nothing is in it.
    return false;
  }
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // It was not created yet, or someone has put something there since.
  }
}

/** The restore is complete: keeps its files. */
export function markFinished(directory: string): void {
  rmSync(stagingOf(directory), { recursive: true, force: true });
  rmSync(join(directory, markName), { force: true });
}

function readMark(directory: string): string | undefined {
  try {
    return readFileSync(join(directory, markName), "utf8");
  } catch {
    return undefined;
  }
}

/** An incomplete mark: nothing was created by then. */
function pathsOf(mark: string | undefined): string[] {
  try {
    const paths: unknown = JSON.parse(mark ?? "[]");
    return Array.isArray(paths) ? paths.filter((path) => typeof path === "string") : [];
  } catch {
    return [];
  }
}
