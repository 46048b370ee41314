/** Creates the store: locks the data directory, opens the database and assembles the parts. */
import { join } from "node:path";
import { ServiceError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import type { Secret } from "../../base/secrets/secret.ts";
import { storeBudgetMs } from "../../base/time/time-budget.ts";
import { createCipher } from "../cipher.ts";
import { type ClockSource, createClock, machineClock } from "../clock.ts";
import type { DirectoryIdentity, Ownership, Store } from "../port.ts";
import { createChain } from "../sql/chain.ts";
import type { Database } from "../sql/database.ts";
import type { Rows } from "../sql/rows.ts";
import { number, rowShape } from "../sql/rows.ts";
import { aspectsOf } from "../statements/aspects.ts";
import { beginLedger } from "../statements/ledger/keys.ts";
import { targetOf } from "./database/connect.ts";
import type { Connection } from "./database/connection.ts";
import { createDatabase } from "./database/database.ts";
import { createReserveFile, noReserveFile } from "./database/file/reserve-file.ts";
import { unknownSteps } from "./database/migrate.ts";
import { openDatabase, type WrapConnection } from "./database/open.ts";
import { createWriter } from "./database/writer.ts";
import { directoryIdOf, openDirectoryIdentity, requireDatabase } from "./directory-identity.ts";

export interface StoreOptions {
  /** Data directory; one process owns it. */
  readonly directory: string;
  /** False: a command next to the running service, which owns the directory; the database has its own locks. */
  readonly ownsDirectory?: boolean | undefined;
  /** The caller owns the directory already. */
  readonly ownership?: Ownership | undefined;
  /** `http(s)://` or `libsql://`; absent: a file in the data directory. */
  readonly url?: string | undefined;
  readonly token?: Secret | undefined;
  /** The database was just restored into the directory: its queued jobs are held. */
  readonly restored?: boolean | undefined;
  /** A 32-byte key that encrypts, and former keys that still decrypt. */
  readonly masterKey: Uint8Array;
  readonly formerKeys?: readonly Uint8Array[] | undefined;
  readonly log: Log;
  readonly clock?: ClockSource | undefined;
  /** Default timeout of a write. If absent: 2,500 for a server; for a file, the request timeout. */
  readonly patienceMs?: number | undefined;
  /** Tests inject faults with it. */
  readonly wrap?: WrapConnection | undefined;
}

export interface LibsqlStore extends Store {
  /** For tests only; the service never uses it. */
  raw(sql: string): Promise<Rows>;
}

/** @throws ServiceError Unavailable with a message for the operator: in use, damaged, newer, unreachable, wrong key */
export async function createStore(options: StoreOptions): Promise<LibsqlStore> {
  const { directory, log } = options;
  const { ownsDirectory = true } = options;
  const ownership = options.ownership ?? (ownsDirectory ? await takeOwnership(directory) : { release() {} });
  try {
    return { ...(await openStore(options)), ownership };
  } catch (error) {
    ownership.release();
    log.debug("store.open_failed", { reason: String(error) });
    throw error;
  }
}

/** Imported on demand, because it loads libSQL, whose native part may still be being unpacked. */
async function takeOwnership(directory: string): Promise<Ownership> {
  return (await import("./database/file/lock.ts")).ownDirectory(directory);
}

/** Imported on demand as well. */
async function ownForUpgrade(directory: string): Promise<{ release(): void }> {
  return (await import("./database/file/lock.ts")).ownForUpgrade(directory);
}

async function openStore(options: StoreOptions): Promise<Omit<LibsqlStore, "ownership">> {
  const { directory, log, ownsDirectory = true } = options;
  const target = {
    ...targetOf(join(directory, "patchbay.db"), options.url, options.token),
    saves: ownsDirectory,
    upgrading: ownsDirectory ? undefined : () => ownForUpgrade(directory),
  };
  const { shared } = target;
  const cipher = createCipher(options.masterKey, options.formerKeys);
  if (!shared) requireDatabase(directory, target.at);
  const { connection, reader } = await openDatabase(target, cipher, options.wrap);
  const clock = createClock(options.clock ?? machineClock, shared ? 0 : await lastTime(reader));
  const reserve = shared ? noReserveFile : createReserveFile(directory);
  if (ownsDirectory) reserve.restore();
  const ofFile = shared ? undefined : storeBudgetMs.file;
  const chain = createChain(cipher);
  const writer = createWriter({ connection, chain, log, reserve, patienceMs: options.patienceMs ?? ofFile });
  const database = createDatabase({ writer, reader, cipher, clock, shared, log });
  await beginLedger(database);
  return {
    home: await homeOf(options, database),
    ...aspectsOf(database, (options.formerKeys ?? []).length > 0),
    full: writer.full,
    doubts: async () => [],
    newer: () => unknownSteps(reader),
    async backup(path) {
      if (shared)
        throw new ServiceError("BadRequest", "The database is on a libSQL server: back it up there.");
      await reader.script(`vacuum into '${path.replaceAll("'", "''")}'`);
    },
    async close() {
      await writer.close();
      // The connections would write the log into whatever is there now: they end with the process.
      if (writer.displaced()) return;
      // libSQL closes a connection only when it is garbage collected: the WAL is checkpointed here so that the file is
      // complete.
      if (!shared && ownsDirectory) await emptyLog(reader, log);
      connection.close();
      if (reader !== connection) reader.close();
    },
    raw: (sql) => database.read({ sql, args: {} }),
  };
}

async function emptyLog(reader: Connection, log: Log): Promise<void> {
  try {
    await reader.read({ sql: "pragma wal_checkpoint(truncate)", args: {} });
  } catch (error) {
    // Nothing is lost: the next start reads the WAL.
    log.debug("store.checkpoint_failed", { reason: String(error) });
  }
}

const timeRow = rowShape({
  latest: number(
    "latest",
    `max(coalesce((select max(lease_t) - 30000 from nodes), 0),
  coalesce((select queued_t from jobs order by seq desc limit 1), 0))`,
  ),
});

/** The latest steady time written: the clock may have been set back since. */
async function lastTime(reader: Connection): Promise<number> {
  const [time] = timeRow.read(await reader.read({ sql: `select ${timeRow.columns}`, args: {} }));
  return time?.latest ?? 0;
}

/**
 * A command next to the service changes nothing here. On a server, jobs are not in the directory, so a copy of it is a
 * new node.
 */
async function homeOf(
  { directory, ownsDirectory = true, restored = false }: StoreOptions,
  database: Database,
): Promise<DirectoryIdentity> {
  if (ownsDirectory && !database.shared) return openDirectoryIdentity(directory, database, restored);
  return { id: ownsDirectory ? directoryIdOf(directory) : "", copied: undefined, advance: async () => {} };
}
