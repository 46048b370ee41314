/**
 * The master key that encrypts secrets: from the settings, or from a file created on first start with access for its
 * owner only.
 */
import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { messageOf, ServiceError } from "../../base/errors.ts";
import type { Config } from "../../config/config.ts";
import { parseMasterKeys } from "../../config/master-key.ts";
import { isUsed } from "../../store/libsql/database/file/writable.ts";
import { databaseName } from "../settings.ts";

export interface MasterKeys {
  readonly current: Uint8Array;
  /** Former keys, which still decrypt what was encrypted with them. */
  readonly former: readonly Uint8Array[];
  /** Just created: nothing is encrypted with it yet. */
  readonly isNew?: boolean;
}

const keyBytes = 32;

export function masterKeyFile(config: Config): string {
  return join(config.values.data_dir, "master.key");
}

/**
 * One key per line, newest first. Creates the file on first start.
 * @throws ServiceError Validation; Unavailable if the file is unreadable or gone
 */
export function loadMasterKeys(config: Config): MasterKeys {
  const file = masterKeyFile(config);
  const isNew = !config.values.master_key && !existsSync(file);
  if (isNew) {
    requireUnused(config, file);
    writeMasterKeys(file, [randomBytes(keyBytes)]);
  }
  return { ...findMasterKeys(config), isNew };
}

/** A new key would decrypt nothing, and would take the place of the right one. */
function requireUnused({ values }: Config, file: string): void {
  if (!isUsed(values.data_dir, databaseName)) return;
  const text = `The master key is missing: there is no file ${file}, and PATCHBAY_MASTER_KEY is not set, but this data directory was used before. Put the file back, or set PATCHBAY_MASTER_KEY. Where it is lost: a backup that was sealed with a passphrase has it (\`patchbay restore\`); without it nothing that was sealed can be read.`;
  throw new ServiceError("Unavailable", text);
}

/** @throws ServiceError Validation; Unavailable if the file is unreadable. */
export function findMasterKeys(config: Config): MasterKeys {
  const fromSettings = config.values.master_key;
  const file = masterKeyFile(config);
  const all = fromSettings
    ? parseMasterKeys(fromSettings.reveal(), "PATCHBAY_MASTER_KEY")
    : parseMasterKeys(readKeyFile(file), file);
  const [current, ...former] = all;
  if (current === undefined) throw new ServiceError("Validation", `${file} contains no master key.`);
  return { current, former };
}

function readKeyFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const why = messageOf(error);
    const text = `The master key ${file} cannot be read: ${why}. Give the file to the account that runs patchbay (chown).`;
    throw new ServiceError("Unavailable", text, undefined, { cause: error });
  }
}

/** Fsyncs before returning: the database, which is synced too, is unreadable without it. */
export function writeMasterKeys(file: string, keys: readonly Uint8Array[]): void {
  mkdirSync(join(file, ".."), { recursive: true, mode: 0o700 });
  // Created with the final permissions: at no moment can others read it.
  const fresh = `${file}.${randomBytes(4).toString("hex")}`;
  const handle = openSync(fresh, "wx", 0o600);
  writeSync(handle, `${keys.map((key) => Buffer.from(key).toString("hex")).join("\n")}\n`);
  fsyncSync(handle);
  closeSync(handle);
  renameSync(fresh, file);
  syncFolder(join(file, ".."));
}

/** A file name is durable only once its folder is synced. */
function syncFolder(folder: string): void {
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
