/** Opens the store: owns the data directory, checks and migrates the database, and gives its parts by name. */
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ServiceError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { Secret } from "../base/secret.ts";
import { createAudit } from "./audit.ts";
import { createBallast, noBallast } from "./ballast.ts";
import { type Cipher, createCipher } from "./cipher.ts";
import { createClaims } from "./claims.ts";
import { type ClockSource, createClock, machineClock } from "./clock.ts";
import { type Link, openLink, type Place, placeOf } from "./connect.ts";
import { createDatabase } from "./database.ts";
import { createDeliveries } from "./deliveries.ts";
import { faultOf } from "./faults.ts";
import { createHostKeys } from "./hostkeys.ts";
import { createIds } from "./id.ts";
import { findAnswer } from "./idempotency.ts";
import { createInsert } from "./insert.ts";
import { createJobReads } from "./jobs.ts";
import { createKeys } from "./keys.ts";
import { ownDirectory } from "./lock.ts";
import { migrate } from "./migrate.ts";
import { createNodes } from "./nodes.ts";
import { createRecovery } from "./recovery.ts";
import { createRetention } from "./retention.ts";
import { seals } from "./seals.ts";
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
  /** 32 bytes that seal, and keys of the past that still open. */
  readonly masterKey: Uint8Array;
  readonly formerKeys?: readonly Uint8Array[] | undefined;
  readonly log: Log;
  readonly clock?: ClockSource | undefined;
  /** Tests put faults between. */
  readonly wrap?: ((link: Link, place: Place) => Link) | undefined;
}

export type Store = Awaited<ReturnType<typeof createStore>>;

/** @throws ServiceError Unavailable with a text for the operator: in use, damaged, newer, unreachable, wrong key. */
export async function createStore(options: StoreOptions) {
  const { directory, log } = options;
  const ownership = options.own === false ? { release() {} } : await ownDirectory(directory);
  try {
    return { ...(await openStore(options)), home: homeOf(directory), ownership };
  } catch (error) {
    ownership.release();
    log.debug("store.open_failed", { reason: String(error) });
    throw error;
  }
}

async function openStore({
  directory,
  url,
  token,
  masterKey,
  formerKeys,
  log,
  clock: source,
  wrap,
  own = true,
}: StoreOptions) {
  const file = join(directory, "patchbay.db");
  const place = placeOf(file, url, token);
  const cipher = createCipher(masterKey, formerKeys);
  const link = await openChecked(place, wrap);
  const reader = place.shared ? link : await openReader(place, wrap);
  const clock = createClock(source ?? machineClock, place.shared ? 0 : await lastTime(reader));
  await checkKey(link, cipher);
  const ballast = place.shared ? noBallast : createBallast(directory);
  if (own) ballast.restore();
  const writer = createWriter({
    link,
    log,
    releaseBallast: ballast.release,
    restoreBallast: ballast.restore,
  });
  const database = createDatabase({ writer, reader, cipher, clock, shared: place.shared });
  const makeId = createIds(clock.wall);
  return {
    clock,
    shared: place.shared,
    makeId,
    fingerprint: cipher.fingerprint,
    insert: createInsert(database),
    findAnswer: (caller: string, key: string) => findAnswer(database, caller, key),
    jobs: createJobReads(database),
    claims: createClaims(database),
    settle: createSettle(database),
    nodes: createNodes(database),
    keys: createKeys(database, makeId),
    hostKeys: createHostKeys(database),
    audit: createAudit(database),
    recovery: createRecovery(database),
    retention: createRetention(database),
    deliveries: createDeliveries(database),
    workers: createWorkers(database),
    /** Writes, and waits for it no longer than a health check may. */
    async probe(): Promise<void> {
      const at = String(clock.wall());
      const sql =
        "insert into meta (key, value) values ('probe', ?) on conflict (key) do update set value = excluded.value";
      await database.write([{ sql, args: [at] }], { patienceMs: 2_000 });
    },
    full: writer.full,
    /** A look for tests and `doctor`; nothing of the service asks SQL. */
    raw: (sql: string) => database.read({ sql, args: [] }),
    async close() {
      await writer.close();
      // libSQL closes a connection only when it is collected: the log is emptied here, so that the file is whole.
      if (!place.shared && own) await emptyLog(reader, log);
      link.close();
      if (reader !== link) reader.close();
    },
  };
}

/** Larger files take seconds to read through; SQLite still reports what it meets. */
const checkedBytes = 256 * 1024 * 1024;

async function openChecked(place: Place, wrap: StoreOptions["wrap"]): Promise<Link> {
  const existed = !place.shared && existsSync(place.at) && statSync(place.at).size > 0;
  let link: Link | undefined;
  try {
    const opened = await openLink(place);
    link = wrap?.(opened, place) ?? opened;
    if (existed && statSync(place.at).size <= checkedBytes) {
      const { rows } = await link.read({ sql: "pragma quick_check(1)", args: [] });
      if (rows[0]?.[0] !== "ok") throw damaged(place, String(rows[0]?.[0]));
    }
    await migrate(link);
    return link;
  } catch (error) {
    link?.close();
    if (faultOf(error) === "broken")
      throw damaged(place, error instanceof Error ? error.message : String(error));
    throw error;
  }
}

async function openReader(place: Place, wrap: StoreOptions["wrap"]): Promise<Link> {
  const link = await openLink(place);
  return wrap?.(link, place) ?? link;
}

function damaged(place: Place, why: string): ServiceError {
  const text = `The database file ${place.at} is damaged (${why}). Nothing was changed. Restore a backup in its place, or move it (with -wal and -shm) away to start empty.`;
  return new ServiceError("Unavailable", text);
}

async function emptyLog(link: Link, log: Log): Promise<void> {
  try {
    await link.read({ sql: "pragma wal_checkpoint(truncate)", args: [] });
  } catch (error) {
    // Nothing is lost: the next start reads the log.
    log.debug("store.checkpoint_failed", { reason: String(error) });
  }
}

/** The first start leaves a sealed word; a key that does not open it would make every job unreadable. */
async function checkKey(link: Link, cipher: Cipher): Promise<void> {
  const word = Buffer.from(cipher.seal("patchbay", seals.check("key"))).toString("base64");
  const [, rows] = await link.batch([
    { sql: "insert into meta (key, value) values ('key', ?) on conflict (key) do nothing", args: [word] },
    { sql: "select value from meta where key = 'key'", args: [] },
  ]);
  try {
    cipher.open(Buffer.from(String(rows?.rows[0]?.[0]), "base64"), seals.check("key"));
  } catch (error) {
    const text =
      "The master key is not the one this database was sealed with. Give the right one (PATCHBAY_MASTER_KEY, or the file master.key of the data directory).";
    throw new ServiceError("Unavailable", text, undefined, { cause: error });
  }
}

/** The latest steady time that was written: the clock may have been set back since. */
async function lastTime(link: Link): Promise<number> {
  const { rows } = await link.read({
    sql: "select max(coalesce((select max(lease_t) - 30000 from nodes), 0), coalesce((select queued_t from jobs order by seq desc limit 1), 0))",
    args: [],
  });
  return Number(rows[0]?.[0] ?? 0);
}

/** Made once: a node that starts with it knows that the process that had it before is gone. */
function homeOf(directory: string): string {
  const path = join(directory, "home.id");
  if (!existsSync(path)) writeFileSync(path, `${randomUUID()}\n`, { mode: 0o600 });
  return readFileSync(path, "utf8").trim();
}
