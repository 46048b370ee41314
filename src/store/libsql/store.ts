/** Creates the store: locks the data directory, opens the database and assembles the parts. */
import { join } from "node:path";
import { templateLimits } from "../../api/recipes/template.ts";
import { ServiceError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import type { Secret } from "../../base/secrets/secret.ts";
import { storeBudgetMs } from "../../base/time/time-budget.ts";
import { createCipher } from "../cipher.ts";
import { type ClockSource, createClock, machineClock } from "../clock.ts";
import type { DirectoryIdentity, Ownership, Store } from "../port.ts";
import type { Database } from "../sql/database.ts";
import type { Rows } from "../sql/rows.ts";
import { number, rowShape } from "../sql/rows.ts";
import type { Statement } from "../sql/statement.ts";
import { createCredentials } from "../statements/access/credentials.ts";
import { createKeys } from "../statements/access/keys.ts";
import { createLoginRequests } from "../statements/access/login-requests.ts";
import { createLoginSessions } from "../statements/access/login-sessions.ts";
import { createPersons } from "../statements/access/persons.ts";
import { createRoles } from "../statements/access/roles.ts";
import { createChanges } from "../statements/changes/changes.ts";
import { createHistory } from "../statements/history/history.ts";
import { createRemotes } from "../statements/history/remotes.ts";
import { createIntents } from "../statements/intent/intents.ts";
import { createHostKeys } from "../statements/inventory/host-keys.ts";
import { createInventoryStore } from "../statements/inventory/inventory.ts";
import { createObservations } from "../statements/inventory/observations.ts";
import { createSources } from "../statements/inventory/sources.ts";
import { createBulks } from "../statements/jobs/bulks.ts";
import { createDetachedTasks } from "../statements/jobs/detached.ts";
import { createIdempotency } from "../statements/jobs/idempotency.ts";
import { createJobs } from "../statements/jobs/jobs.ts";
import { createKeptRequests } from "../statements/jobs/kept.ts";
import { beginLedger } from "../statements/ledger/keys.ts";
import { createLedger } from "../statements/ledger/ledger.ts";
import { createDocuments } from "../statements/recipes/documents.ts";
import { createHooks } from "../statements/recipes/hooks.ts";
import { createRecipes } from "../statements/recipes/recipes.ts";
import { createLineEvidence } from "../statements/rehearsal/evidence.ts";
import { createRetention } from "../statements/retention.ts";
import { createRotation } from "../statements/rotation.ts";
import { createSchedules } from "../statements/schedules/schedules.ts";
import { createAudit } from "../statements/trail/audit.ts";
import { createEventLog } from "../statements/trail/events.ts";
import { createTranscripts } from "../statements/trail/transcripts.ts";
import { createDeliveries } from "../statements/webhooks/deliveries.ts";
import { createWebhooks } from "../statements/webhooks/webhooks.ts";
import { createDamagedJobs } from "../statements/work/damaged-jobs.ts";
import { createNodes } from "../statements/work/nodes.ts";
import { createHeldJobs, createPacing } from "../statements/work/pacing.ts";
import { createPolls } from "../statements/work/polls.ts";
import { createRecovery } from "../statements/work/recovery.ts";
import { createSettlements } from "../statements/work/settlements.ts";
import { createWorkers } from "../statements/work/workers.ts";
import { templates } from "../tables/recipes.ts";
import { createChain } from "./database/chain.ts";
import { targetOf } from "./database/connect.ts";
import type { Connection } from "./database/connection.ts";
import { createDatabase } from "./database/database.ts";
import { createReserveFile, noReserveFile } from "./database/file/reserve-file.ts";
import { unknownSteps } from "./database/migrate.ts";
import { openDatabase, type WrapConnection } from "./database/open.ts";
import { createWriter } from "./database/writer.ts";
import { directoryIdOf, openDirectoryIdentity, requireDatabase } from "./directory-identity.ts";
import { createClaims } from "./work/claims.ts";

export { otherMasterKey } from "./database/open.ts";

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
    clock,
    home: await homeOf(options, database),
    shared,
    fingerprint: cipher.fingerprint,
    isFingerprint: cipher.isFingerprint,
    ...aspectsOf(database, options),
    // Loaded on demand: only doctor looks through all tables.
    damagedRows: async (limit) =>
      (await import("../statements/damaged-rows.ts")).findDamagedRows(database, limit),
    full: writer.full,
    doubts: async () => [],
    newer: () => unknownSteps(reader),
    async probe() {
      await database.write([writeProbe(clock.wall())], { patienceMs: 2_000 });
    },
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

type Aspects = Omit<
  Store,
  | ("clock" | "home" | "ownership" | "shared" | "fingerprint" | "isFingerprint")
  | ("full" | "doubts" | "newer" | "probe" | "backup" | "close" | "damagedRows")
>;

function aspectsOf(database: Database, { formerKeys = [] }: StoreOptions): Aspects {
  const { makeId } = database;
  const damagedJobs = createDamagedJobs(database);
  return {
    makeId,
    jobs: createJobs(database, damagedJobs),
    bulks: createBulks(database),
    idempotency: createIdempotency(database),
    claims: createClaims(database, damagedJobs),
    settlements: createSettlements(database, makeId),
    held: createHeldJobs(database),
    events: createEventLog(database),
    pacing: createPacing(database),
    kept: createKeptRequests(database),
    nodes: createNodes(database),
    polls: createPolls(database),
    recovery: createRecovery(database, damagedJobs),
    deliveries: createDeliveries(database),
    workers: createWorkers(database),
    detached: createDetachedTasks(database),
    keys: createKeys(database, makeId),
    persons: createPersons(database, makeId),
    roles: createRoles(database),
    loginSessions: createLoginSessions(database, makeId),
    loginRequests: createLoginRequests(database),
    credentials: createCredentials(database),
    inventory: createInventoryStore(database, makeId),
    observations: createObservations(database),
    sources: createSources(database),
    hostKeys: createHostKeys(database),
    schedules: createSchedules(database),
    recipes: createRecipes(database),
    hooks: createHooks(database),
    templates: createDocuments(database, templates, { noun: "template", ...templateLimits }),
    changes: createChanges(database),
    audit: createAudit(database),
    transcripts: createTranscripts(database),
    ledger: createLedger(database),
    evidence: createLineEvidence(database),
    history: createHistory(database, makeId),
    remotes: createRemotes(database),
    intents: createIntents(database),
    webhooks: createWebhooks(database, makeId),
    retention: createRetention(database),
    rotation: createRotation(database, formerKeys.length > 0),
  };
}

function writeProbe(at: number): Statement {
  return {
    sql: `insert into meta (key, value) values ('probe', :at)
on conflict (key) do update set value = excluded.value`,
    args: { at: String(at) },
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
