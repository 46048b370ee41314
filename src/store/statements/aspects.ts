/** What a store is made of, on the database of either. */
import { templateLimits } from "../../api/recipes/template.ts";
import type { Store } from "../port.ts";
import type { Database } from "../sql/database.ts";
import type { Statement } from "../sql/statement.ts";
import { templates } from "../tables/recipes.ts";
import { createCredentials } from "./access/credentials.ts";
import { createKeys } from "./access/keys.ts";
import { createLoginRequests } from "./access/login-requests.ts";
import { createLoginSessions } from "./access/login-sessions.ts";
import { createPersons } from "./access/persons.ts";
import { createRoles } from "./access/roles.ts";
import { createChanges } from "./changes/changes.ts";
import { createHistory } from "./history/history.ts";
import { createRemotes } from "./history/remotes.ts";
import { createIntents } from "./intent/intents.ts";
import { createHostKeys } from "./inventory/host-keys.ts";
import { createInventoryStore } from "./inventory/inventory.ts";
import { createObservations } from "./inventory/observations.ts";
import { createSources } from "./inventory/sources.ts";
import { createBulks } from "./jobs/bulks.ts";
import { createDetachedTasks } from "./jobs/detached.ts";
import { createIdempotency } from "./jobs/idempotency.ts";
import { createJobs } from "./jobs/jobs.ts";
import { createKeptRequests } from "./jobs/kept.ts";
import { createLedger } from "./ledger/ledger.ts";
import { createDocuments } from "./recipes/documents.ts";
import { createHooks } from "./recipes/hooks.ts";
import { createRecipes } from "./recipes/recipes.ts";
import { createLineEvidence } from "./rehearsal/evidence.ts";
import { createRetention } from "./retention.ts";
import { createRotation } from "./rotation.ts";
import { createSchedules } from "./schedules/schedules.ts";
import { createAudit } from "./trail/audit.ts";
import { createEventLog } from "./trail/events.ts";
import { createTranscripts } from "./trail/transcripts.ts";
import { createDeliveries } from "./webhooks/deliveries.ts";
import { createWebhooks } from "./webhooks/webhooks.ts";
import { createClaims } from "./work/claims.ts";
import { createDamagedJobs } from "./work/damaged-jobs.ts";
import { createNodes } from "./work/nodes.ts";
import { createHeldJobs, createPacing } from "./work/pacing.ts";
import { createPolls } from "./work/polls.ts";
import { createRecovery } from "./work/recovery.ts";
import { createSettlements } from "./work/settlements.ts";
import { createWorkers } from "./work/workers.ts";

/** All but what each store does in its own way. */
type Aspects = Omit<Store, "home" | "ownership" | "full" | "doubts" | "newer" | "backup" | "close">;

/** @param hasFormerKeys whether something may still be sealed with another key */
export function aspectsOf(database: Database, hasFormerKeys: boolean): Aspects {
  const { makeId, clock, cipher } = database;
  const damagedJobs = createDamagedJobs(database);
  return {
    clock,
    shared: database.shared,
    fingerprint: cipher.fingerprint,
    isFingerprint: cipher.isFingerprint,
    makeId,
    async probe() {
      await database.write([writeProbe(clock.wall())], { patienceMs: 2_000 });
    },
    // Loaded on demand: only doctor looks through all tables.
    damagedRows: async (limit) => (await import("./damaged-rows.ts")).findDamagedRows(database, limit),
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
    rotation: createRotation(database, hasFormerKeys),
  };
}

function writeProbe(at: number): Statement {
  return {
    sql: `insert into meta (key, value) values ('probe', :at)
on conflict (key) do update set value = excluded.value`,
    args: { at: String(at) },
  };
}
