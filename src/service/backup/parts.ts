/** What of a data directory belongs into an archive, and where it comes back to. */
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { ArchivePart } from "../../backup/write.ts";
import { databaseName } from "../settings.ts";

/** Below the data directory. */
const folders = ["plugins", "templates", "library", "files"] as const;
/** What opens other things: only into an archive that is sealed itself. */
const secrets = ["master.key", "keys", "tls"] as const;

export interface FoundParts {
  readonly parts: readonly ArchivePart[];
  /** Names that are there and were left out. */
  readonly leftOut: readonly string[];
}

export interface PartsWanted {
  readonly sealed: boolean;
  readonly files: boolean;
  readonly onlyDatabase: boolean;
}

/** @param snapshot a whole copy of the database */
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

/** Links lead elsewhere: they are named, not followed. */
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

/** Whether an archive may bring this back: what we put into one, and nothing else of a data directory. */
export function isPart(path: string): boolean {
  const [top = "", ...rest] = path.split("/");
  const isFile = top === databaseName || top === "master.key";
  return tops.includes(top) && isFile === (rest.length === 0);
}
