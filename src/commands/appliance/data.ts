/** The database around an upgrade: a copy before it, and the copy back in its place after a failed one. */
import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, renameSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { ServiceError } from "../../base/errors.ts";
import type { Config } from "../../config/config.ts";
import { identity } from "../../service/appliance/identity.ts";
import { giveToOwner } from "../../service/owner.ts";
import type { Program } from "../../service/program.ts";
import { databaseName } from "../../service/settings.ts";

const folderName = "backups";

export function hasDatabase({ values }: Config): boolean {
  return values.database_url !== undefined || existsSync(join(values.data_dir, databaseName));
}

/** @returns its file; undefined where the database is on a server, or not there yet. */
export function backupBefore(config: Config, self: Program, version: string): string | undefined {
  const { data_dir, database_url } = config.values;
  if (database_url !== undefined || !hasDatabase(config)) return undefined;
  const folder = join(data_dir, folderName);
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) {
    mkdirSync(folder, { mode: 0o700 });
    giveToOwner(data_dir, [folder]);
  }
  requireFolder(folder);
  const stamp = new Date()
    .toISOString()
    .replaceAll(/[^0-9]/g, "")
    .slice(0, 17);
  const file = join(folder, `before-upgrade-from-${version}-${stamp}.backup`);
  asOwner(config, self, ["backup", "--only-database", file]);
  return file;
}

/** @returns where the database lies now that stood there. */
export function putBack(config: Config, self: Program, backup: string): string {
  const path = join(config.values.data_dir, databaseName);
  requireFolder(dirname(backup));
  const kept = `${backup.replace(/\.backup$/, "")}-of-the-new-version.db`;
  for (const part of ["", "-wal", "-shm"]) if (existsSync(path + part)) renameSync(path + part, kept + part);
  asOwner(config, self, ["restore", backup]);
  return kept;
}

/** @throws ServiceError Conflict: the account of the service could lead root elsewhere by a link */
export function requireFolder(folder: string): void {
  if (lstatSync(folder).isDirectory()) return;
  throw new ServiceError("Conflict", `${folder} is no folder of its own: move it away, then try again.`);
}

/** What the store makes belongs to the service: a process of its account does it. */
function asOwner({ values }: Config, self: Program, command: string[]): void {
  const { uid, gid } = statSync(values.data_dir);
  const program = identity().compiled ? [] : [self.mainPath];
  const key = values.master_key?.reveal();
  const done = spawnSync(process.execPath, [...program, ...command, "--data-dir", values.data_dir], {
    encoding: "utf8",
    // No settings file: the account of the service may not be allowed to read that of the folder we are in.
    cwd: values.data_dir,
    env: { ...(key === undefined ? {} : { PATCHBAY_MASTER_KEY: key }) },
    ...(process.getuid?.() === 0 ? { uid, gid } : {}),
  });
  if (done.status === 0) return;
  const why = (done.stderr || done.error?.message || "").trim();
  throw new ServiceError("Unavailable", `The database could not be copied (${command.join(" ")}): ${why}`);
}
