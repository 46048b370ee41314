/**
 * Checks that whatever settings refer to exists and is consistent; `serve` and `config` use the same checks and
 * messages.
 */
import { accessSync, constants, existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { cronProblem } from "../backup/schedule.ts";
import { messageOf, ServiceError } from "../base/errors.ts";
import { type Config, envName } from "../config/config.ts";
import { readSyslogUrl } from "../ledger/places.ts";
import { readProviders } from "../oidc/settings.ts";
import { targetOf } from "../store/libsql/database/connect.ts";
import { requireWritable } from "../store/libsql/database/file/writable.ts";
import { addressOf, isPostgres } from "../store/postgres/database/address.ts";
import { passphraseIn } from "./backup/passphrase.ts";
import { requireFinished } from "./backup/unfinished.ts";
import { databaseName } from "./settings.ts";
import { findMasterKeys, masterKeyFile } from "./storage/master-key.ts";
import { tlsProblems } from "./tls/tls.ts";

const folderSettings = ["plugins", "template_roots", "transfer_roots", "key_roots"] as const;

/** @throws ServiceError Validation, Unavailable with what to do. Creates nothing. */
export function checkSettings(config: Config): void {
  const { values, origins } = config;
  const problems = folderSettings
    // Default folders are below the data directory and need not exist.
    .filter((name) => origins[name] !== "default")
    .flatMap((name) => values[name].map((folder) => ({ name, folder })))
    .filter(({ folder }) => statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    .map(({ name, folder }) => `${envName(name)}: there is no folder ${folder}`);
  problems.push(
    ...values.known_hosts
      .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile() !== true)
      .map((file) => `${envName("known_hosts")}: there is no file ${file}`),
  );
  problems.push(
    ...tlsProblems(config),
    ...backupProblems(config),
    ...readProviders(config).problems,
    ...ledgerProblems(config),
  );
  if (values.socket_group !== undefined && groupNumber(values.socket_group) === undefined)
    problems.push(`${envName("socket_group")}: there is no group ${values.socket_group}`);
  if (problems.length > 0) {
    throw new ServiceError(
      "Validation",
      `The configuration is not valid.\n${problems.map((problem) => `  ${problem}`).join("\n")}`,
    );
  }
  const { database_url, database_token } = values;
  if (database_url !== undefined && isPostgres(database_url)) addressOf(database_url, database_token);
  else targetOf(join(values.data_dir, databaseName), database_url, database_token);
  if (existsSync(values.data_dir)) {
    requireWritable(values.data_dir);
    // Before the master key: an interrupted restore may have left only part of it.
    requireFinished(values.data_dir);
  }
  if (values.master_key || existsSync(masterKeyFile(config))) findMasterKeys(config);
}

function ledgerProblems({ values }: Config): string[] {
  if (values.ledger_checkpoint_syslog === undefined) return [];
  try {
    readSyslogUrl(values.ledger_checkpoint_syslog);
    return [];
  } catch (error) {
    return [`${envName("ledger_checkpoint_syslog")}: ${messageOf(error)}`];
  }
}

/** Shorter keys can be guessed. */
const shortKey = 20;
const othersRead = 0o004;

/** Settings that work but are not recommended. */
export function settingWarnings(config: Config): string[] {
  const { values } = config;
  const open = [
    ...openFile(values.tls_key, "PATCHBAY_TLS_KEY"),
    ...readProviders(config).providers.flatMap(({ name, secretFile }) =>
      openFile(secretFile, `Client secret of the provider "${name}"`),
    ),
  ];
  const length = values.api_key?.reveal().length;
  const short =
    length !== undefined && length < shortKey
      ? [`PATCHBAY_API_KEY has only ${length} characters, so it can be guessed. Use at least ${shortKey}.`]
      : [];
  return [...short, ...open];
}

function openFile(file: string | undefined, what: string): string[] {
  const mode = file === undefined ? undefined : statSync(file, { throwIfNoEntry: false })?.mode;
  if (mode === undefined || (mode & othersRead) === 0) return [];
  return [`${what}: ${file} is readable by every account of this machine: chmod 640 or 600.`];
}

/** By name or number; undefined if it does not exist. */
export function groupNumber(group: string | undefined): number | undefined {
  if (group === undefined) return undefined;
  if (/^\d+$/.test(group)) return Number(group);
  const line = readFileSync("/etc/group", "utf8")
    .split("\n")
    .find((text) => text.startsWith(`${group}:`));
  return line === undefined ? undefined : Number(line.split(":")[2]);
}

// Validates the settings of scheduled backups.

/** One sentence each. */
function backupProblems({ values, origins }: Config): string[] {
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
    ...(database_url ? ["PATCHBAY_BACKUP_CRON: back up a database on a server there"] : []),
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
