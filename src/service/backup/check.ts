/** Validates the settings of scheduled backups. */
import { accessSync, constants, existsSync } from "node:fs";
import { cronProblem } from "../../backup/schedule.ts";
import { ServiceError } from "../../base/errors.ts";
import type { Config } from "../../config/config.ts";
import { passphraseIn } from "./passphrase.ts";

/** One sentence each. */
export function backupProblems({ values, origins }: Config): string[] {
  const { backup_cron, backup_folder, backup_passphrase_file, database_url } = values;
  if (backup_cron === undefined) {
    const set = origins.backup_folder !== "default" || origins.backup_passphrase_file !== "default";
    return set ? ["PATCHBAY_BACKUP_CRON is not set: without it no backups are made"] : [];
  }
  const problem = cronProblem(backup_cron);
  return [
    ...(problem === undefined ? [] : [`PATCHBAY_BACKUP_CRON ${problem}`]),
    ...(backup_folder === undefined ? ["PATCHBAY_BACKUP_FOLDER is not set: backups need a folder"] : []),
    ...(backup_folder === undefined ? [] : folderProblem(backup_folder)),
    ...(database_url ? ["PATCHBAY_BACKUP_CRON: back up a database on a libSQL server there"] : []),
    ...passphraseProblem(backup_passphrase_file),
  ];
}

/** The folder is created if it is missing. */
function folderProblem(folder: string): string[] {
  try {
    if (existsSync(folder)) accessSync(folder, constants.W_OK);
    return [];
  } catch {
    return [`PATCHBAY_BACKUP_FOLDER: ${folder} is not writable`];
  }
}

function passphraseProblem(file: string | undefined): string[] {
  if (file === undefined) return [];
  try {
    passphraseIn(file);
    return [];
  } catch (error) {
    if (error instanceof ServiceError) return [`PATCHBAY_BACKUP_PASSPHRASE_FILE: ${error.message}`];
    throw error;
  }
}
