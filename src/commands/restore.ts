/** `patchbay restore`: restores a backup into a data directory, without running any job twice. */

import { existsSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";
import type { Command } from "commander";
import { ServiceError } from "../base/errors.ts";
import { silentLog } from "../base/log.ts";
import type { Secret } from "../base/secrets/secret.ts";
import type { Config } from "../config/config.ts";
import { loadBackup, loadStore } from "../service/load.ts";
import { databaseName } from "../service/settings.ts";
import { findMasterKeys, masterKeyFile } from "../service/storage/master-key.ts";
import { actAsOwner, giveToOwner } from "../service/storage/owner.ts";
import { copyPrivately } from "../service/storage/private-file.ts";
import type { Store } from "../store/port.ts";
import { askAtTerminal } from "./input.ts";
import { configOf, withSettings } from "./options.ts";
import { print } from "./output.ts";

/** The database and its WAL, which has the latest writes. */
const parts = ["", "-wal"] as const;

interface RestoreOptions {
  readonly masterKeyFile?: string;
  readonly passphraseFile?: string;
  readonly runQueued?: boolean;
}

export function defineRestore(parent: Command): void {
  const command = parent
    .command("restore <from>")
    .description(
      "restore a backup or a copied data directory into an empty data directory; queued jobs are held",
    );
  withSettings(command, ["data_dir"])
    .option("--master-key-file <file>", "the master key that the backup was sealed with")
    .option(
      "--passphrase-file <file>",
      "file with the passphrase of a sealed archive; asked for at a terminal",
    )
    .option("--run-queued", "run the jobs that were queued when the copy was taken")
    .action((from: string, options: RestoreOptions, command: Command) =>
      restore(configOf(command), from, options),
    );
}

async function restore(config: Config, from: string, flags: RestoreOptions): Promise<void> {
  const { data_dir } = config.values;
  if (config.values.database_url)
    throw new ServiceError("BadRequest", "The database is on a server: restore it there, by its own tools.");
  const { closeStore, ownDirectory, ownerFiles, openStore } = await loadStore(data_dir, true);
  const { isUnfinished, undoUnfinished, markFinished } = await loadBackup(data_dir, true);
  // A service, or another restore that is still running, must not lose its files.
  const lockFiles = ownerFiles.map((name) => join(data_dir, name));
  const undo = lockFiles.filter((file) => !existsSync(file));
  const ownership = await ownDirectory(data_dir);
  giveToOwner(data_dir, lockFiles);
  try {
    if (isUnfinished(data_dir)) print("Removed what an interrupted restore had left.");
    undoUnfinished(data_dir);
    requireUnused(data_dir);
    const newFiles = await bring(config, from, flags, undo);
    giveToOwner(data_dir, newFiles);
    actAsOwner(data_dir);
    const store = await openStore(config, silentLog, { restored: true, ownership });
    try {
      await settle(store, data_dir, flags.runQueued === true);
    } finally {
      await closeStore(store);
    }
    markFinished(data_dir);
  } catch (error) {
    undoUnfinished(data_dir);
    for (const path of undo) rmSync(path, { force: true });
    ownership.release();
    throw error;
  }
}

function requireUnused(directory: string): void {
  const target = join(directory, databaseName);
  const standing = parts
    .map((suffix) => target + suffix)
    .find((path) => statSync(path, { throwIfNoEntry: false })?.size);
  if (standing === undefined) return;
  const text = `There is a database already: ${standing}. Restore into an empty data directory, or move that one away first.`;
  throw new ServiceError("Conflict", text);
}

/** @param undo collects the files to remove on failure. @returns the created files */
async function bring(config: Config, from: string, flags: RestoreOptions, undo: string[]): Promise<string[]> {
  const { data_dir } = config.values;
  const { kindOf, markUnfinished, putBack } = await loadBackup(data_dir, true);
  const kind = statSync(from, { throwIfNoEntry: false })?.isFile() ? await kindOf(from) : undefined;
  const target = join(data_dir, databaseName);
  undo.push(`${target}-shm`);
  if (kind !== "archive" && kind !== "sealed") {
    const source = sourceOf(from);
    const key = copyKey(config, source.key ?? flags.masterKeyFile);
    undo.push(...key);
    markUnfinished(data_dir, [...parts.map((suffix) => databaseName + suffix), `${databaseName}-shm`]);
    const database = copyDatabase(source.database, target);
    undo.push(...database);
    return [...key, ...database];
  }
  const passphrase = kind === "sealed" ? await passphraseFor(data_dir, flags) : undefined;
  const { made, manifest } = await putBack(data_dir, from, passphrase);
  // A key from the archive has been written by now.
  const key = copyKey(config, flags.masterKeyFile);
  undo.push(...key);
  print(`The backup was taken at ${manifest.created_at} by version ${manifest.version}.`);
  if (manifest.left_out.length > 0) print(`Not in it: ${manifest.left_out.join(", ")}.`);
  return [...made, ...key];
}

async function passphraseFor(dataDir: string, { passphraseFile }: RestoreOptions): Promise<Secret> {
  const { passphraseIn, passphraseOf } = await loadBackup(dataDir, true);
  if (passphraseFile !== undefined) return passphraseIn(passphraseFile);
  if (process.stdin.isTTY)
    return passphraseOf(await askAtTerminal("passphrase: ", { hidden: true }), "What was typed");
  throw new ServiceError("Validation", "This archive is sealed: give its passphrase (--passphrase-file).");
}

/** Reports what the backup had queued or running, and releases it if requested. */
async function settle(store: Store, dataDir: string, runQueued: boolean): Promise<void> {
  const { held = 0, sending = 0 } = store.home.copied ?? {};
  const released = runQueued ? await store.held.releaseAll() : 0;
  print(`Restored into ${dataDir}.`);
  print(
    "API keys and their rights are those of the backup: revoke or narrow again what was revoked or narrowed since. Login sessions have ended.",
  );
  if (runQueued) print(`${released} jobs that had not started are queued and will run at the next start.`);
  else if (held > 0)
    print(
      `${held} jobs that had not started are held, since they may have run after the copy was taken. Once the service is started: POST /job/release?reason=held lets them run, DELETE /job?reason=held cancels them.`,
    );
  if (sending > 0)
    print(
      `${sending} jobs that were sending will fail at the next start and report what they may have sent.`,
    );
}

interface Source {
  readonly database: string;
  readonly key?: string;
}

/** Accepts a backup file or a data directory. */
function sourceOf(from: string): Source {
  const stat = statSync(from, { throwIfNoEntry: false });
  if (stat?.isFile()) return { database: resolve(from) };
  const database = resolve(from, databaseName);
  if (!existsSync(database))
    throw new ServiceError("NotFound", `There is no backup at ${from}: neither a file nor a data directory.`);
  const key = resolve(from, "master.key");
  return existsSync(key) ? { database, key } : { database };
}

/** @returns the created files. */
function copyKey(config: Config, source: string | undefined): string[] {
  const target = masterKeyFile(config);
  const newFiles: string[] = [];
  // A partial key of an interrupted restore: nothing is sealed with it.
  if (source !== undefined && !config.values.master_key && !isKey(config)) rmSync(target, { force: true });
  if (!config.values.master_key && !existsSync(target)) {
    if (source === undefined) {
      throw new ServiceError(
        "Validation",
        `The master key that the backup was sealed with is missing: give its file with --master-key-file, put it at ${target}, or set PATCHBAY_MASTER_KEY.`,
      );
    }
    copyPrivately(source, target);
    newFiles.push(target);
  }
  findMasterKeys(config);
  return newFiles;
}

function isKey(config: Config): boolean {
  try {
    findMasterKeys(config);
    return true;
  } catch {
    return false;
  }
}

function copyDatabase(source: string, target: string): string[] {
  rmSync(target, { force: true });
  const newFiles: string[] = [];
  for (const suffix of parts) {
    if (!existsSync(source + suffix)) continue;
    rmSync(target + suffix, { force: true });
    copyPrivately(source + suffix, target + suffix);
    newFiles.push(target + suffix);
  }
  return newFiles;
}
