/** Which parts of a data directory belong in an archive, and where they are restored to. */
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { ArchivePart } from "../../backup/write.ts";
import { databaseName } from "../settings.ts";

/** Below the data directory. */
const folders = ["plugins", "templates", "library", "files"] as const;
/** Keys and secrets: only in an encrypted archive. */
const secrets = ["master.key", "keys", "tls"] as const;

export interface FoundParts {
  readonly parts: readonly ArchivePart[];
  /** Existing files that were left out. */
  readonly leftOut: readonly string[];
}

export interface PartsWanted {
  readonly sealed: boolean;
  readonly files: boolean;
  readonly onlyDatabase: boolean;
}

/** @param snapshot a complete copy of the database */
export function findParts(directory: string, snapshot: string, parted: PartsWanted): FoundParts {
  const { sealed, files, onlyDatabase } = parted;
  const parts: ArchivePart[] = [{ path: databaseName, file: snapshot }];
  const leftOut: string[] = [];
  for (const name of [...folders, ...secrets]) {
    const wanted = !onlyDatabase && (isSecret(name) ? sealed : name !== "files" || files);
    const found = filesOf(directory, name, leftOut);
    if (wanted) parts.push(...found);
    else if (found.length > 0) leftOut.push(name);
  }
  return { parts, leftOut };
}

function isSecret(name: string): boolean {
  return secrets.some((secret) => secret === name);
}

/** Links are listed, not followed. */
function filesOf(directory: string, path: string, leftOut: string[]): ArchivePart[] {
  const file = join(directory, path);
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return [];
  if (stat.isFile()) return [{ path, file, mayGo: true }];
  if (stat.isDirectory())
    return readdirSync(file)
      .sort()
      .flatMap((name) => filesOf(directory, `${path}/${name}`, leftOut));
  leftOut.push(path);
  return [];
}

const tops: readonly string[] = [databaseName, ...folders, ...secrets];

/** Whether an archive may restore this path: only what a backup contains. */
export function isPart(path: string): boolean {
  const [top = "", ...rest] = path.split("/");
  const isFile = top === databaseName || top === "master.key";
  return tops.includes(top) && isFile === (rest.length === 0);
}
