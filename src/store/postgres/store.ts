/** Creates the store on a PostgreSQL server: opens the database and assembles the parts. */
import { templateLimits } from "../../api/recipes/template.ts";
import { ServiceError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import type { Secret } from "../../base/secrets/secret.ts";
import { createCipher } from "../cipher.ts";
import { createClock } from "../clock.ts";
import { directoryIdOf } from "../libsql/directory-identity.ts";
import type { Ownership, Store } from "../port.ts";
import type { Database } from "../sql/database.ts";
import type { Rows } from "../sql/rows.ts";
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
import { addressOf } from "./database/address.ts";
import { createChain } from "./database/chain.ts";
import { primaryOf } from "./database/client.ts";
import type { Connection } from "./database/connection.ts";
import { createDatabase } from "./database/database.ts";
import { unknownSteps } from "./database/migrate.ts";
import { openDatabase, type WrapConnection } from "./database/open.ts";
import { guardPrimary } from "./database/primary.ts";
import { type Watch, watchOthers } from "./database/watch.ts";
import { createWriter } from "./database/writer.ts";
import { createClaims } from "./work/claims.ts";

export interface StoreOptions {
  /** Data directory; one process owns it. Only what identifies this node is in it. */
  readonly directory: string;
  /** False: a command next to the running service, which owns the directory. */
  readonly ownsDirectory?: boolean | undefined;
  /** The lock on the directory. */
  readonly ownership: Ownership;
  /** `postgres://…` */
  readonly url: string;
  /** The password, if the URL has none. */
  readonly token?: Secret | undefined;
  /** A 32-byte key that encrypts, and former keys that still decrypt. */
  readonly masterKey: Uint8Array;
  readonly formerKeys?: readonly Uint8Array[] | undefined;
  readonly log: Log;
  /** Default timeout of a write; 2,500 if absent. */
  readonly patienceMs?: number | undefined;
  /** Tests inject faults with it. */
  readonly wrap?: WrapConnection | undefined;
}

export interface PostgresStore extends Store {
  /** For tests only; the service never uses it. */
  raw(sql: string): Promise<Rows>;
}

/** @throws ServiceError Unavailable with a message for the operator: newer, unreachable, wrong key */
export async function createStore(options: StoreOptions): Promise<PostgresStore> {
  const { directory, log, ownsDirectory = true, ownership } = options;
  const address = addressOf(options.url, options.token);
  if (address.leftOut !== undefined) log.warn("store.password_file_left_out", { reason: address.leftOut });
  const cipher = createCipher(options.masterKey, options.formerKeys);
  const connection = await openDatabase(address, cipher, options.wrap);
  const clock = createClock();
  const chain = createChain(cipher);
  const writer = createWriter({ connection, chain, log, patienceMs: options.patienceMs });
  const database = createDatabase({ writer, reader: connection, cipher, clock, log });
  await beginLedger(database);
  const watch =
    address.listens && ownsDirectory ? watchOthers(address, connection.name, writer.heard, log) : undefined;
  const primary = address.hosts.length > 1 ? primaryOf(address) : undefined;
  // Commands next to the service end before a fail-over does.
  const unguard =
    primary && ownsDirectory ? guardPrimary(primary, () => renew(connection, watch), log) : undefined;
  return {
    clock,
    home: { id: ownsDirectory ? directoryIdOf(directory) : "", copied: undefined, advance: async () => {} },
    shared: true,
    ownership,
    fingerprint: cipher.fingerprint,
    isFingerprint: cipher.isFingerprint,
    ...aspectsOf(database, options),
    // Loaded on demand: only doctor looks through all tables.
    damagedRows: async (limit) =>
      (await import("../statements/damaged-rows.ts")).findDamagedRows(database, limit),
    full: writer.full,
    // Loaded on demand: asked at the start and by doctor.
    doubts: async () =>
      (await import("./database/durability.ts")).doubtsOf(connection, primary?.rivals() ?? []),
    newer: () => unknownSteps(connection),
    async probe() {
      await database.write([writeProbe(clock.wall())], { patienceMs: 2_000 });
    },
    async backup() {
      throw new ServiceError(
        "BadRequest",
        "The database is on a PostgreSQL server: back it up there, with pg_dump or pg_basebackup (docs/guides/high-availability.md#backup), and keep the master key apart.",
      );
    },
    async close() {
      unguard?.();
      await watch?.close();
      await writer.close();
    },
    raw: (sql) => connection.read({ sql, args: {} }),
  };
}

async function renew(connection: Connection, watch: Watch | undefined): Promise<void> {
  await Promise.all([connection.reopen(), watch?.renew()]);
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
