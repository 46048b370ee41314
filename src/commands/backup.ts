/** `patchbay backup` and `patchbay restore`: a whole copy of the database, and its way back without anything being run twice. */
import { closeSync, copyFileSync, existsSync, openSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";
import { ServiceError } from "../base/errors.ts";
import { silentLog } from "../base/log.ts";
import type { Config } from "../config/config.ts";
import { findMasterKeys, masterKeyFile } from "../service/master-key.ts";
import { actAsOwner, giveToOwner } from "../service/owner.ts";
import { demandDatabase, openStore, withStore } from "../service/store.ts";
import { demandWritable } from "../store/libsql/lock.ts";

const print = (line: string) => void process.stdout.write(`${line}\n`);
const databaseName = "patchbay.db";
/** SQLite keeps what was written last in the second one. */
const parts = ["", "-wal"] as const;

export async function backup(config: Config, file: string): Promise<void> {
  const target = resolve(file);
  demandDatabase(config);
  await withStore(config, silentLog, async (store) => {
    makePrivate(target);
    try {
      await store.backup(target);
    } catch (error) {
      rmSync(target, { force: true });
      throw error;
    }
  });
  print(`The database is copied to ${target}.`);
  const key = config.values.master_key ? "PATCHBAY_MASTER_KEY" : masterKeyFile(config);
  print(
    `It is sealed with the master key (${key}), which is not in it: keep that elsewhere, the copy can not be read without it.`,
  );
}

/** The copy holds sealed secrets and plain outputs: for its owner only. */
function makePrivate(file: string): void {
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ServiceError("Validation", `The copy can not be made at ${file}: ${why}.`);
  }
}

export interface RestoreOptions {
  readonly masterKeyFile?: string;
  readonly runQueued?: boolean;
}

export async function restore(config: Config, from: string, options: RestoreOptions): Promise<void> {
  const { data_dir } = config.values;
  if (config.values.database_url)
    throw new ServiceError("BadRequest", "The database is on a libSQL server: restore it there.");
  const source = sourceOf(from);
  demandWritable(data_dir);
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
  const made = [
    ...copyKey(config, source.key ?? options.masterKeyFile),
    ...copyDatabase(source.database, target),
  ];
  try {
    giveToOwner(data_dir, made);
    actAsOwner(data_dir);
    await settle(config, options.runQueued === true);
  } catch (error) {
    for (const path of [...made, `${target}-shm`]) rmSync(path, { force: true });
    throw error;
  }
}

async function settle(config: Config, runQueued: boolean): Promise<void> {
  const store = await openStore(config, silentLog, { restored: true });
  try {
    const { held = 0, sending = 0 } = store.home.copied ?? {};
    const released = runQueued ? await store.held.releaseAll() : 0;
    print(`Restored into ${config.values.data_dir}.`);
    if (runQueued) print(`${released} jobs that had not begun are queued and will run at the next start.`);
    else if (held > 0)
      print(
        `${held} jobs that had not begun are held, since they may have been run after the copy was taken. Once the service is started: POST /job/release?status=held lets them run, DELETE /job cancels them.`,
      );
    if (sending > 0)
      print(`${sending} jobs that were sending will fail at the next start, with what they may have sent.`);
  } finally {
    await store.close();
    store.ownership.release();
  }
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
  const made: string[] = [];
  if (!config.values.master_key && !existsSync(target)) {
    if (source === undefined) {
      throw new ServiceError(
        "Validation",
        `The master key that the backup was sealed with is missing: give its file with --master-key-file, put it at ${target}, or set PATCHBAY_MASTER_KEY.`,
      );
    }
    makePrivate(target);
    made.push(target);
    copyFileSync(source, target);
  }
  findMasterKeys(config);
  return made;
}

function copyDatabase(source: string, target: string): string[] {
  rmSync(target, { force: true });
  const made: string[] = [];
  for (const part of parts) {
    if (!existsSync(source + part)) continue;
    rmSync(target + part, { force: true });
    makePrivate(target + part);
    made.push(target + part);
    copyFileSync(source + part, target + part);
  }
  return made;
}
