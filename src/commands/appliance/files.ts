/** Installs files of the service, atomically and idempotently. */
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { PlannedFile } from "../../service/appliance/layout.ts";

export type Done = "made" | "changed" | "unchanged" | "kept";

/** @param group the group of the service account, if it exists. */
export function placeFile(root: string, file: PlannedFile, group: number | undefined): Done {
  const path = join(root, file.path);
  const before = existsSync(path) ? readFileSync(path, "utf8") : undefined;
  const finish = (placement: Done) => {
    chmodSync(path, file.mode);
    if (file.forService === true && group !== undefined) chownSync(path, 0, group);
    return placement;
  };
  if (before !== undefined && file.keep === true)
    return before === file.content ? finish("unchanged") : "kept";
  if (before === file.content) return finish("unchanged");
  writeWhole(path, (fresh) => writeFileSync(fresh, file.content, { mode: file.mode }));
  return finish(before === undefined ? "made" : "changed");
}

export function placeProgram(root: string, from: string, to: string): Done {
  const path = join(root, to);
  const exists = existsSync(path);
  if (exists && readFileSync(path).equals(readFileSync(from))) return "unchanged";
  writeWhole(path, (fresh) => {
    copyFileSync(from, fresh);
    chmodSync(fresh, 0o755);
  });
  return exists ? "changed" : "made";
}

/** Writes a new file and renames it, which also replaces a running program safely. */
function writeWhole(path: string, write: (fresh: string) => void): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  const fresh = `${path}.new`;
  rmSync(fresh, { force: true });
  write(fresh);
  renameSync(fresh, path);
}

/** @returns whether the file existed. */
export function remove(root: string, path: string): boolean {
  const at = join(root, path);
  if (lstatSync(at, { throwIfNoEntry: false }) === undefined) return false;
  rmSync(at, { recursive: true });
  return true;
}
