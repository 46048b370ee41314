/** Opens the configured store, for the service and for commands that work on it. */
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ServiceError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import type { Config } from "../../config/config.ts";
import type { StoreCall } from "../../metrics/port.ts";
import { nativePrepared } from "../../runtime/native/native.ts";
import { ownDirectory, ownerFiles } from "../../store/libsql/database/file/lock.ts";
import { requireWritable } from "../../store/libsql/database/file/writable.ts";
import { createStore, type StoreOptions as LibsqlOptions } from "../../store/libsql/store.ts";
import { type Ownership, otherMasterKey, type Store } from "../../store/port.ts";
import { isPostgres } from "../../store/postgres/database/address.ts";
import type { StoreOptions as PostgresOptions } from "../../store/postgres/store.ts";
import { requireFinished } from "../backup/unfinished.ts";
import { databaseName } from "../settings.ts";
import { loadMasterKeys, masterKeyFile } from "./master-key.ts";

export { ownDirectory, ownerFiles, requireWritable };

/** Receives each read and each transaction, including retries. */
type Answered = (call: StoreCall) => void;
type Wrap<O extends { readonly wrap?: unknown }> = NonNullable<O["wrap"]>;

interface OpenOptions {
  readonly ownsDirectory?: boolean;
  readonly restored?: boolean;
  readonly ownership?: Ownership;
  readonly answered?: Answered;
}

export async function openStore(
  config: Config,
  log: Log,
  { ownsDirectory = true, restored = false, ownership, answered }: OpenOptions = {},
): Promise<Store> {
  const { values } = config;
  // Before the master key, which is created there on first start.
  requireWritable(values.data_dir);
  if (!restored) requireFinished(values.data_dir);
  const { current, former, isNew = false } = loadMasterKeys(config);
  // Creating the store loads libSQL.
  await nativePrepared();
  const options = {
    directory: values.data_dir,
    token: values.database_token,
    masterKey: current,
    formerKeys: former,
    log,
    ownsDirectory,
  };
  const { database_url: url } = values;
  const opened =
    url !== undefined && isPostgres(url)
      ? openOnPostgres({ ...options, url }, ownership, answered)
      : createStore({ ...options, url, restored, ownership, wrap: answered && observedLibsql(answered) });
  return isNew ? opened.catch((error: unknown) => refuseNewKey(config, error)) : opened;
}

/** Loaded only where it is used. */
async function openOnPostgres(
  options: Omit<PostgresOptions, "ownership" | "wrap">,
  given: Ownership | undefined,
  answered: Answered | undefined,
): Promise<Store> {
  const { ownsDirectory, directory } = options;
  const ownership = given ?? (ownsDirectory ? await ownDirectory(directory) : { release() {} });
  try {
    const { createStore } = await import("../../store/postgres/store.ts");
    return await createStore({ ...options, ownership, wrap: answered && observedPostgres(answered) });
  } catch (error) {
    ownership.release();
    throw error;
  }
}

/** A database encrypted with another key: the key just generated here cannot decrypt it, and is removed. */
function refuseNewKey(config: Config, error: unknown): never {
  if (error instanceof ServiceError && error.detail?.reason === otherMasterKey)
    rmSync(masterKeyFile(config), { force: true });
  throw error;
}

export async function closeStore(store: Store): Promise<void> {
  await store.close();
  store.ownership.release();
}

/** @throws ServiceError NotFound: reading must not create a database. */
export function requireDatabase({ values }: Config): void {
  if (values.database_url || existsSync(join(values.data_dir, databaseName))) return;
  const text = `There is no database in ${values.data_dir} yet: the first start of the service creates it.`;
  throw new ServiceError("NotFound", text);
}

/** Works on the store next to a running service, and always closes it. */
export async function withStore<T>(config: Config, log: Log, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(config, log, { ownsDirectory: false });
  try {
    return await work(store);
  } finally {
    await closeStore(store);
  }
}

/** Measures the calls of its database. */
function observedLibsql(answered: Answered): Wrap<LibsqlOptions> {
  return (connection) => ({
    turn: () => connection.turn(),
    // A transaction ends when it is on disk; its rows are available earlier.
    batch(statements) {
      const written = connection.batch(statements);
      void timed(answered, "write", async () => {
        await written;
        await connection.synced();
      }).catch(() => {});
      return written;
    },
    synced: connection.synced,
    read: (statement) => timed(answered, "read", () => connection.read(statement)),
    script: (sql) => connection.script(sql),
    reopen: () => connection.reopen(),
    close: () => connection.close(),
  });
}

function observedPostgres(answered: Answered): Wrap<PostgresOptions> {
  return (connection) => ({
    ...connection,
    batch: (...given) => timed(answered, "write", () => connection.batch(...given)),
    read: (statement) => timed(answered, "read", () => connection.read(statement)),
  });
}

async function timed<T>(answered: Answered, kind: StoreCall["kind"], ask: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  let failed = true;
  try {
    const answer = await ask();
    failed = false;
    return answer;
  } finally {
    answered({ kind, seconds: (performance.now() - startedAt) / 1000, failed });
  }
}
