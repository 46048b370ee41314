/** A restore that was cut off leaves a mark: its directory is not taken for one that is whole, and the next one begins anew. */
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

/** @param paths below the directory: what is about to be put there, before the first of them is; folders end in `/` */
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
  const text = `A restore into ${directory} was cut off: run \`patchbay restore\` again, or empty the directory.`;
  throw new ServiceError("Unavailable", text);
}

/** Takes away what a restore has put there. */
export function undoUnfinished(directory: string): void {
  const targets = pathsOf(readMark(directory))
    .map((path) => ({ target: resolve(directory, path), isFolder: path.endsWith("/") }))
    .filter(({ target }) => isInside(target, resolve(directory)));
  for (const { target, isFolder } of targets) if (!isFolder) rmSync(target, { force: true });
  // The deepest first.
  const folders = targets.filter(({ isFolder }) => isFolder).map(({ target }) => target);
  for (const folder of folders.sort((a, b) => b.length - a.length)) removeEmpty(folder);
  rmSync(stagingOf(directory), { recursive: true, force: true });
  rmSync(join(directory, markName), { force: true });
}

/** By its real place: root takes nothing away through a link that the owner of the directory has put there. */
function isInside(target: string, directory: string): boolean {
  if (!target.startsWith(directory + sep)) return false;
  const folder = dirname(target);
  try {
    return realpathSync(folder) === join(realpathSync(directory), relative(directory, folder));
  } catch {
    // There is no such folder, and nothing in it.
    return false;
  }
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // It was not made yet, or somebody has put something there since.
  }
}

/** All that it has put there is whole, and stays. */
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

/** Cut off while it was written: nothing was put there by then. */
function pathsOf(mark: string | undefined): string[] {
  try {
    const paths: unknown = JSON.parse(mark ?? "[]");
    return Array.isArray(paths) ? paths.filter((path) => typeof path === "string") : [];
  } catch {
    return [];
  }
}
