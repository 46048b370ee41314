/** `patchbay restore`: a copy of the database becomes that of a data directory, without anything being run twice. */

import { copyFileSync, existsSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { ServiceError } from "../base/errors.ts";
import { silentLog } from "../base/log.ts";
import type { Config } from "../config/config.ts";
import { loadStore } from "../service/load.ts";
import { findMasterKeys, masterKeyFile } from "../service/master-key.ts";
import { actAsOwner, giveToOwner } from "../service/owner.ts";
import { makePrivateFile } from "../service/private-file.ts";
import { databaseName } from "../service/settings.ts";
import type { Store } from "../store/port.ts";
import { configOf, withSettings } from "./options.ts";
import { print } from "./output.ts";

/** SQLite keeps what was written last in the second one. */
const parts = ["", "-wal"] as const;

interface RestoreOptions {
  readonly masterKeyFile?: string;
  readonly runQueued?: boolean;
}

export function defineRestore(parent: Command): void {
  const command = parent
    .command("restore <from>")
    .description(
      "put a backup or a copied data directory into an empty data directory; queued jobs are held",
    );
  withSettings(command, ["data_dir"])
    .option("--master-key-file <file>", "the master key that the backup was sealed with")
    .option("--run-queued", "let the jobs run that were queued when the copy was taken")
    .action((from: string, options: RestoreOptions, command: Command) =>
      restore(configOf(command), from, options),
    );
}

async function restore(config: Config, from: string, options: RestoreOptions): Promise<void> {
  const { data_dir } = config.values;
  if (config.values.database_url)
    throw new ServiceError("BadRequest", "The database is on a libSQL server: restore it there.");
  const source = sourceOf(from);
  const { closeStore, requireWritable, openStore } = await loadStore(data_dir);
  requireWritable(data_dir);
  const target = join(data_dir, databaseName);
  const standing = parts
    .map((part) => target + part)
    .find((path) => statSync(path, { throwIfNoEntry: false })?.size);
  if (standing !== undefined) {
    throw new ServiceError(
      "Conflict",
      `There is a database already: ${standing}. Restore into an empty data directory, or move that one away first.`,
    );
  }
  const newFiles = [
    ...copyKey(config, source.key ?? options.masterKeyFile),
    ...copyDatabase(source.database, target),
  ];
  try {
    giveToOwner(data_dir, newFiles);
    actAsOwner(data_dir);
    const store = await openStore(config, silentLog, { restored: true });
    try {
      await settle(store, data_dir, options.runQueued === true);
    } finally {
      await closeStore(store);
    }
  } catch (error) {
    for (const path of [...newFiles, `${target}-shm`]) rmSync(path, { force: true });
    throw error;
  }
}

/** What the copy had queued or begun is told, and let go where the caller says so. */
async function settle(store: Store, dataDir: string, runQueued: boolean): Promise<void> {
  const { held = 0, sending = 0 } = store.home.copied ?? {};
  const released = runQueued ? await store.held.releaseAll() : 0;
  print(`Restored into ${dataDir}.`);
  if (runQueued) print(`${released} jobs that had not begun are queued and will run at the next start.`);
  else if (held > 0)
    print(
      `${held} jobs that had not begun are held, since they may have been run after the copy was taken. Once the service is started: POST /job/release?status=held lets them run, DELETE /job cancels them.`,
    );
  if (sending > 0)
    print(`${sending} jobs that were sending will fail at the next start, with what they may have sent.`);
}

interface Source {
  readonly database: string;
  readonly key?: string;
}

/** A backup file, or a data directory. */
function sourceOf(from: string): Source {
  const stat = statSync(from, { throwIfNoEntry: false });
  if (stat?.isFile()) return { database: resolve(from) };
  const database = resolve(from, databaseName);
  if (!existsSync(database))
    throw new ServiceError("NotFound", `There is no backup at ${from}: neither a file nor a data directory.`);
  const key = resolve(from, "master.key");
  return existsSync(key) ? { database, key } : { database };
}

/** @returns what was made. */
function copyKey(config: Config, source: string | undefined): string[] {
  const target = masterKeyFile(config);
  const newFiles: string[] = [];
  if (!config.values.master_key && !existsSync(target)) {
    if (source === undefined) {
      throw new ServiceError(
        "Validation",
        `The master key that the backup was sealed with is missing: give its file with --master-key-file, put it at ${target}, or set PATCHBAY_MASTER_KEY.`,
      );
    }
    makePrivateFile(target);
    newFiles.push(target);
    copyFileSync(source, target);
  }
  findMasterKeys(config);
  return newFiles;
}

function copyDatabase(source: string, target: string): string[] {
  rmSync(target, { force: true });
  const newFiles: string[] = [];
  for (const part of parts) {
    if (!existsSync(source + part)) continue;
    rmSync(target + part, { force: true });
    makePrivateFile(target + part);
    newFiles.push(target + part);
    copyFileSync(source + part, target + part);
  }
  return newFiles;
}
