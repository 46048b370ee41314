/** Backs the database up before an upgrade, and restores it after a failed one. */
import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, renameSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { ServiceError } from "../../base/errors.ts";
import type { Config } from "../../config/config.ts";
import { identity } from "../../service/appliance/identity.ts";
import type { Program } from "../../service/program.ts";
import { databaseName } from "../../service/settings.ts";
import { giveToOwner } from "../../service/storage/owner.ts";

const folderName = "backups";

export function hasDatabase({ values }: Config): boolean {
  return values.database_url !== undefined || existsSync(join(values.data_dir, databaseName));
}

/** @returns the backup file; undefined if the database is on a server or does not exist yet. */
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

/** @returns the path the replaced database was moved to. */
export function putBack(config: Config, self: Program, backup: string): string {
  const path = join(config.values.data_dir, databaseName);
  requireFolder(dirname(backup));
  const keptPath = `${backup.replace(/\.backup$/, "")}-of-the-new-version.db`;
  for (const suffix of ["", "-wal", "-shm"])
    if (existsSync(path + suffix)) renameSync(path + suffix, keptPath + suffix);
  asOwner(config, self, ["restore", backup]);
  return keptPath;
}

/** @throws ServiceError Conflict: the service account could redirect root by a symlink */
export function requireFolder(folder: string): void {
  if (lstatSync(folder).isDirectory()) return;
  throw new ServiceError(
    "Conflict",
    `${folder} is not a directory of its own: move it away, then try again.`,
  );
}

/** Runs a command as the service account, so that created files belong to it. */
function asOwner({ values }: Config, self: Program, command: string[]): void {
  const { uid, gid } = statSync(values.data_dir);
  const program = identity().compiled ? [] : [self.mainPath];
  const key = values.master_key?.reveal();
  const result = spawnSync(process.execPath, [...program, ...command, "--data-dir", values.data_dir], {
    encoding: "utf8",
    // Passes no settings file: the service account may not be able to read the one of the current folder.
    cwd: values.data_dir,
    env: { ...(key === undefined ? {} : { PATCHBAY_MASTER_KEY: key }) },
    ...(process.getuid?.() === 0 ? { uid, gid } : {}),
  });
  if (result.status === 0) return;
  const why = (result.stderr || result.error?.message || "").trim();
  throw new ServiceError("Unavailable", `The database could not be copied (${command.join(" ")}): ${why}`);
}
