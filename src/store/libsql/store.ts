/** The store: owns the data directory, opens the database, and gives its parts by name. */
import { join } from "node:path";
import { ServiceError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import type { Secret } from "../../base/secret.ts";
import type { Home, Store } from "../port.ts";
import { createAudit } from "./audit.ts";
import { createBallast, noBallast } from "./ballast.ts";
import { createCancelQueued } from "./cancel.ts";
import { createCipher } from "./cipher.ts";
import { createClaims } from "./claims.ts";
import { type ClockSource, createClock, machineClock } from "./clock.ts";
import { type Connection, type Rows, targetOf } from "./connect.ts";
import { createDatabase, type Database } from "./database.ts";
import { createDeliveries } from "./deliveries.ts";
import { createHeld } from "./held.ts";
import { homeIdOf, openHome, requireDatabase } from "./home.ts";
import { createHostKeys } from "./hostkeys.ts";
import { createIds } from "./id.ts";
import { findAnswer } from "./idempotency.ts";
import { createInsert } from "./insert.ts";
import { createJobReads } from "./jobs.ts";
import { createKeys } from "./keys.ts";
import { ownDirectory } from "./lock.ts";
import { createNodes } from "./nodes.ts";
import { openDatabase, type WrapConnection } from "./open.ts";
import { createRecovery } from "./recovery.ts";
import { createRetention } from "./retention.ts";
import { createRotation } from "./rotation.ts";
import { createSettle } from "./settle.ts";
import { createWorkers } from "./workers.ts";
import { createWriter } from "./writer.ts";

export interface StoreOptions {
  /** Data directory; one process owns it. */
  readonly directory: string;
  /** False: a command beside the running service, which owns the directory; the database has its own locks. */
  readonly own?: boolean | undefined;
  /** `http(s)://` or `libsql://`; absent: a file in the data directory. */
  readonly url?: string | undefined;
  readonly token?: Secret | undefined;
  /** The database was just put into the directory: what is queued there is held. */
  readonly restored?: boolean | undefined;
  /** 32 bytes that seal, and keys of the past that still open. */
  readonly masterKey: Uint8Array;
  readonly formerKeys?: readonly Uint8Array[] | undefined;
  readonly log: Log;
  readonly clock?: ClockSource | undefined;
  /** Tests put faults between. */
  readonly wrap?: WrapConnection | undefined;
}

export interface LibsqlStore extends Store {
  /** A look for tests; nothing of the service asks in SQL. */
  raw(sql: string): Promise<Rows>;
}

/** @throws ServiceError Unavailable with a text for the operator: in use, damaged, newer, unreachable, wrong key. */
export async function createStore(options: StoreOptions): Promise<LibsqlStore> {
  const { directory, log } = options;
  const ownership = options.own === false ? { release() {} } : await ownDirectory(directory);
  try {
    return { ...(await openStore(options)), ownership };
  } catch (error) {
    ownership.release();
    log.debug("store.open_failed", { reason: String(error) });
    throw error;
  }
}

async function openStore(options: StoreOptions): Promise<Omit<LibsqlStore, "ownership">> {
  const { directory, log, own = true } = options;
  const place = targetOf(join(directory, "patchbay.db"), options.url, options.token);
  const cipher = createCipher(options.masterKey, options.formerKeys);
  if (!place.shared) requireDatabase(directory, place.at);
  const { link, reader } = await openDatabase(place, cipher, options.wrap);
  const clock = createClock(options.clock ?? machineClock, place.shared ? 0 : await lastTime(reader));
  const ballast = place.shared ? noBallast : createBallast(directory);
  if (own) ballast.restore();
  const writer = createWriter({
    link,
    log,
    releaseBallast: ballast.release,
    restoreBallast: ballast.restore,
  });
  const database = createDatabase({ writer, reader, cipher, clock, shared: place.shared });
  const home = await homeOf(options, database);
  return {
    clock,
    home,
    shared: place.shared,
    fingerprint: cipher.fingerprint,
    isFingerprint: cipher.isFingerprint,
    ...partsOf(database, options),
    full: writer.full,
    /**
     * A whole copy as it is now, sealed as it is. Holds the loop while it copies: a command's business, not the service's.
     * @throws ServiceError BadRequest on a server, which has backups of its own.
     */
    async backup(path: string): Promise<void> {
      if (place.shared)
        throw new ServiceError("BadRequest", "The database is on a libSQL server: back it up there.");
      await reader.script(`vacuum into '${path.replaceAll("'", "''")}'`);
    },
    async close() {
      await writer.close();
      // libSQL closes a connection only when it is collected: the log is emptied here, so that the file is whole.
      if (!place.shared && own) await emptyLog(reader, log);
      link.close();
      if (reader !== link) reader.close();
    },
  };
}

function partsOf(database: Database, { formerKeys = [] }: StoreOptions) {
  const makeId = createIds(database.clock.wall);
  return {
    makeId,
    jobs: { ...createJobReads(database), insert: createInsert(database) },
    idempotency: { findAnswer: (caller: string, key: string) => findAnswer(database, caller, key) },
    claims: createClaims(database),
    settlements: { ...createSettle(database), cancelQueued: createCancelQueued(database, makeId) },
    nodes: createNodes(database),
    recovery: createRecovery(database),
    deliveries: createDeliveries(database),
    workers: createWorkers(database),
    keys: createKeys(database, makeId),
    hostKeys: createHostKeys(database),
    audit: createAudit(database),
    held: createHeld(database),
    retention: createRetention(database),
    rotation: createRotation(database, formerKeys.length > 0),
    /** Writes, and waits for it no longer than a health check may. */
    async probe(): Promise<void> {
      const sql =
        "insert into meta (key, value) values ('probe', ?) on conflict (key) do update set value = excluded.value";
      await database.write([{ sql, args: [String(database.clock.wall())] }], { patienceMs: 2_000 });
    },
    raw: (sql: string) => database.read({ sql, args: [] }),
  };
}

async function emptyLog(link: Connection, log: Log): Promise<void> {
  try {
    await link.read({ sql: "pragma wal_checkpoint(truncate)", args: [] });
  } catch (error) {
    // Nothing is lost: the next start reads the log.
    log.debug("store.checkpoint_failed", { reason: String(error) });
  }
}

/** The latest steady time that was written: the clock may have been set back since. */
async function lastTime(link: Connection): Promise<number> {
  const { rows } = await link.read({
    sql: "select max(coalesce((select max(lease_t) - 30000 from nodes), 0), coalesce((select queued_t from jobs order by seq desc limit 1), 0))",
    args: [],
  });
  return Number(rows[0]?.[0] ?? 0);
}

/** A command beside the service changes nothing there. On a server, jobs are not in the directory: a copy of it is a new node. */
async function homeOf(
  { directory, own = true, restored = false }: StoreOptions,
  database: Database,
): Promise<Home> {
  if (own && !database.shared) return openHome(directory, database, restored);
  return { id: own ? homeIdOf(directory) : "", copied: undefined, advance: async () => {} };
}
