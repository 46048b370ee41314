/** Builds the parts of the service: pool, what jobs and scheduler share, both, and the HTTP API. */

import { statSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createAdmin } from "../admin/admin.ts";
import { createIso } from "../api/time.ts";
import { createHolders } from "../auth/holders.ts";
import { createAuthentication } from "../auth/keys.ts";
import { messageOf, ServiceError } from "../base/errors.ts";
import { openDescriptors } from "../base/files/descriptors.ts";
import { createDiskReserve } from "../base/files/disk-reserve.ts";
import { createFolderUsage } from "../base/files/folder-usage.ts";
import type { Log } from "../base/log.ts";
import { apiVersion } from "../base/version.ts";
import { createChanges } from "../changes/changes.ts";
import { createCountedChanges } from "../changes/counted.ts";
import { createFurtherRounds } from "../changes/drafts/further-rounds.ts";
import { createRunChanges, createStateWaits } from "../changes/drafts/run-changes.ts";
import { createChangeFeed, createChangeNews } from "../changes/feed.ts";
import { createChangeRunner } from "../changes/rollout/runner.ts";
import { type Config, describeConfig, envName } from "../config/config.ts";
import { createDetachedAccess } from "../detached/queries.ts";
import { createDetachedTasks } from "../detached/tasks.ts";
import { createLeaseClock } from "../dispatch/node/lease-clock.ts";
import { createScheduler } from "../dispatch/scheduler.ts";
import { createEvents } from "../events/events.ts";
import { createJobEvents } from "../events/job-events.ts";
import type { BulkState } from "../events/port.ts";
import { createFiles } from "../files/files.ts";
import { createHistoryFeed } from "../history/feed.ts";
import { createHistory } from "../history/history.ts";
import { createHistoryNews } from "../history/news.ts";
import { createRemotes } from "../history/remotes/remotes.ts";
import { createReturns } from "../history/restoring/returns.ts";
import { createHistoryImport } from "../history/takes/import.ts";
import { createHistoryRunner } from "../history/takes/runner.ts";
import { createTakes } from "../history/takes/takes.ts";
import { createHttpApp } from "../http/app.ts";
import type { HttpOptions } from "../http/port.ts";
import { createExchange } from "../inventory/exchange/exchange.ts";
import { createSources } from "../inventory/exchange/sources.ts";
import { createInventory } from "../inventory/inventory.ts";
import { createObservations } from "../inventory/observations.ts";
import { createSelectedHosts } from "../inventory/selector/selected-hosts.ts";
import { createJobs } from "../jobs/jobs.ts";
import type { Jobs } from "../jobs/port.ts";
import { createAdmission } from "../limits/admission.ts";
import { createBacklog } from "../limits/backlog.ts";
import { createCredentialUse } from "../limits/credential-use.ts";
import { createLoginGate } from "../limits/login-gate.ts";
import type { Admission, Backlog } from "../limits/port.ts";
import { createMcp } from "../mcp/mcp.ts";
import type { Metrics } from "../metrics/port.ts";
import type { Pool, TemplatePool } from "../pool/port.ts";
import type { PluginModule } from "../protocol/plugin-module.ts";
import { credentialNamer } from "../registry/named-credential.ts";
import { schemasOfPlugins } from "../registry/plugin-schemas.ts";
import type { Registry } from "../registry/registry.ts";
import { secretFieldsOf } from "../registry/secret-fields.ts";
import { createGarbageCollector } from "../runtime/collect.ts";
import { consoleFiles } from "../runtime/pages/console-files.ts";
import { createPageFiles } from "../runtime/pages/page-files.ts";
import type { Store } from "../store/port.ts";
import { createWebhooks } from "../webhooks/webhooks.ts";
import type { ScheduledBackups } from "./backup/scheduled.ts";
import { licenceParts } from "./licences.ts";
import { createDriftState, createHistoryState, nodeStateOf } from "./node-state.ts";
import { assemblePool } from "./pools.ts";
import type { Program } from "./program.ts";
import { admissionLimits, afterPushMs, databaseName, roomLimits } from "./settings.ts";
import { assembleAutomation } from "./wiring/automation.ts";
import { assembleDrift } from "./wiring/drift.ts";
import { createTextReader, createTextWriter, describedFormats } from "./wiring/inventory.ts";
import { assembleLedger } from "./wiring/ledger.ts";
import { createRemoteReaching, createSourceFetching } from "./wiring/outside.ts";
import { assembleRehearsals } from "./wiring/rehearsal.ts";
import { signInOf } from "./wiring/sign-in.ts";
import { tracedApp, tracedMetrics, tracedStore, tracingOf } from "./wiring/traced.ts";

export interface AssembleOptions {
  readonly config: Config;
  readonly program: Program;
  readonly log: Log;
  /** Modules of plugin folders, which threads and template processes load themselves. */
  readonly plugins: readonly PluginModule[];
  readonly registry: Registry;
  readonly store: Store;
  readonly metrics: Metrics;
  /** Undefined if no backups are scheduled. */
  readonly backups: Pick<ScheduledBackups, "newest" | "failure"> | undefined;
}

const mib = 1024 * 1024;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Nothing runs yet: threads and processes start with the first task, the scheduler on request. */
export function assemble(materials: AssembleOptions) {
  const { config, log, registry, store, metrics } = materials;
  const { values } = config;
  const tracing = tracingOf(config, log);
  const found = {
    driver: (name: string) => registry.get("driver", name),
    platform: (name: string) => registry.get("platform", name),
  };
  const leaseClock = createLeaseClock(!store.shared);
  const { pool, templates } = assemblePool(materials, leaseClock.validUntil);
  const garbage = createGarbageCollector();
  const admission = createAdmission(admissionLimits(config), garbage.collect);
  const iso = createIso(config.timeZone);
  const node = { name: values.node ?? hostname(), hostname: hostname(), pid: process.pid };
  const loginGate = createLoginGate({
    failures: values.auth_failures,
    backoffMs: values.auth_backoff_seconds * 1000,
    perSecond: values.logins_per_second,
  });
  const inventory = createInventory({
    store,
    log,
    iso,
    isSecretField: secretFieldsOf(registry),
    nameCredential: credentialNamer(registry),
  });
  const selectedHosts = createSelectedHosts(inventory);
  const holders = createHolders(store);
  const authentication = createAuthentication({
    keys: store.keys,
    logins: store.loginSessions,
    holders,
    selectedHosts,
  });
  const credentialUse = createCredentialUse(store, holders, selectedHosts);
  const leastBytes = values.min_free_mb * mib;
  const disk = createDiskReserve({ folder: values.data_dir, leastBytes });
  const filesRoot = values.transfer_roots[0] ?? join(values.data_dir, "files");
  const resultTtlMs = values.result_hours * hourMs;
  const shared = {
    store,
    pool,
    iso,
    backlog: createBacklog({ maxQueued: values.max_queued, maxQueuedPerKey: values.max_queued_per_key }),
    jobEvents: createJobEvents(),
    loginGate,
    credentialUse,
    detached: createDetachedAccess({ store, pool, loginGate, credentialUse, keptMs: resultTtlMs }),
  };
  const observations = createObservations({ store, inventory, log });
  const rehearsing = assembleRehearsals({ store, pool, inventory, log, iso, registry });
  const scheduler = createScheduler({
    ...shared,
    store: countedStore(store, metrics),
    log,
    leaseClock,
    node,
    slots: values.slots,
    auditMs: values.audit_days * dayMs,
    retryMs: values.retry_hours * hourMs,
    keptEvents: values.max_events,
    tracing,
    discovered: observations.discovered,
    takes: createTakes({
      ...{ store, pool, ...found, afterPushMs: afterPushMs(config) },
    }),
    ...rehearsing,
    beat: () => rehearsing.beat(observations.flush(), webhooks.beat()),
  });
  const readText = createTextReader(pool);
  const sources = createSources({
    store,
    holders,
    inventory,
    log,
    iso,
    read: readText,
    onSynced: metrics.sourceSynced,
    // They need jobs, which are made later.
    bring: (brought, caller, signal) => bring(brought, caller, signal),
    ...createSourceFetching({ pool, registry, credentialUse }),
  });
  const jobs = createJobs({
    ...shared,
    store: tracedStore(store, tracing),
    inventory,
    plugins: registry,
    resultTtlMs,
    retryMs: values.retry_hours * hourMs,
    maxBulk: values.max_bulk,
    urlAllow: values.url_allow,
    disk,
    maxBulkBytes: values.max_bulk_mb * mib,
    admission,
    scheduler,
  });
  const admin = createAdmin({
    ...{ store, holders, inventory, plugins: registry, pluginSettings: config.pluginSettings },
    ...{ node, admission, iso, scheduler, forgetAll: authentication.forgetAll },
    ...{ ownKeyDays: values.person_key_days, keyLogin: values.key_login },
    log,
    onBreakGlass() {
      metrics.breakGlassUsed();
      webhooks.happened();
    },
  });
  const events = createEvents({
    store,
    log,
    live: shared.jobEvents.live,
    node: node.name,
    busy: () => pool.running() > 0 || shared.backlog.total() > 0,
    readBulk: (id, caller) => stateOfBulk(jobs.bulkRecord(id, caller)),
  });
  const remotes = createRemotes({
    ...{ store, log, iso },
    folder: join(values.data_dir, "history"),
    ownerOf: authentication.byId,
    ...createRemoteReaching({ pool, registry, credentialUse }),
  });
  const historyRunner = createHistoryRunner({
    ...{ store, inventory, jobs, log },
    isReady: () => scheduler.notReady().length === 0,
    ownerOf: authentication.byId,
    pushDue: remotes.pushDue,
    onPruned: metrics.versionsPruned,
    keep: { days: values.history_days, versions: values.history_versions },
  });
  const returns = createReturns({ store, inventory, pool, ...found });
  const { driftRunner, fixes, driftNews, compareSoon, ...intended } = assembleDrift({
    ...{ store, inventory, jobs, pool, plugins: registry, log, iso, platform: found.platform },
    freshMs: values.drift_hours * hourMs,
    isReady: () => scheduler.notReady().length === 0,
    ownerOf: authentication.byId,
    onGarbage: garbage.collectGrown,
    async onCompared() {
      webhooks.happened();
      await draftRounds();
    },
  });
  const stateWaits = createStateWaits();
  const counted = { ...store, changes: createCountedChanges(store.changes, metrics, log, stateWaits.moved) };
  const draftRounds = createFurtherRounds({
    ...{ store, log },
    ownerOf: authentication.byId,
    onDrafted: () => changeRunner.wake(),
  });
  const changeRunner = createChangeRunner({
    ...{ store: counted, jobs, inventory, log, returns, fixes, ...found },
    isReady: () => scheduler.notReady().length === 0,
    lease: scheduler.lease,
    ownerOf: authentication.byId,
    async rehearse(id, caller) {
      try {
        await changes.rehearse(id, undefined, caller);
      } catch (error) {
        // The plan is good without it: a repeat of the proposal, or whoever reads it, begins one.
        log.info("change.not_rehearsed", { change: id, reason: messageOf(error) });
      }
    },
    onMoved() {
      webhooks.happened();
      driftRunner.soon();
    },
  });
  const webhooks = createWebhooks({
    ...{ store, holders, jobs, iso, log },
    news: createHistoryNews({ store, inventory, iso, pool }),
    driftNews,
    changeNews: createChangeNews({ store, iso }),
    ownerOf: authentication.byId,
    node: node.name,
    // Reported before work is refused.
    disk: createDiskReserve({ folder: values.data_dir, leastBytes: 2 * leastBytes }),
    onDue: scheduler.onEnded,
  });
  const { checkpoints, ledger } = assembleLedger(config, {
    ...{ store, log, keep: remotes.keep, onSigned: () => webhooks.happened() },
    isReady: () => scheduler.notReady().length === 0,
  });
  const history = createHistory({ store, inventory, iso, pool, jobs, onAsked: historyRunner.wake, ...found });
  const changes = createChanges({
    ...{ store: counted, inventory, holders, jobs, iso, returns, ...found },
    onMoved() {
      changeRunner.wake();
      webhooks.happened();
    },
    planned: changeRunner.planned,
  });
  const { schedules, recipes, hooks, recipeRunner, storedTemplates, bring } = assembleAutomation({
    ...{ config, store, metrics, holders, inventory, jobs, pool, sources, iso, log, scheduler },
    ...{ admission, plugins: registry },
    changes: createRunChanges({
      ...{ store: counted, changes, waits: stateWaits },
      onMoved: () => webhooks.happened(),
    }),
    ownerOf: authentication.byId,
    compare: (body, by) => compareSoon(body, by),
    happened: () => webhooks.happened(),
    // They are routes of the app, which has the recipes.
    calls: {
      require: async (...of) => (await innerCalls()).require(...of),
      call: async (...of) => (await innerCalls()).call(...of),
    },
  });
  const httpOptions: HttpOptions = {
    jobs,
    admin,
    signIn: signInOf(config, {
      ...{ store, holders },
      onEnded: authentication.forgetSession,
      onChanged: authentication.forgetAll,
    }),
    publicUrl: values.public_url,
    detached: createDetachedTasks({ ...shared, admission }),
    inventory,
    history,
    historyFeed: createHistoryFeed({ store, inventory, log, iso }),
    changeFeed: createChangeFeed({ store, log, iso }),
    lineRecord: rehearsing.lineRecord,
    historyImport: createHistoryImport({ store, inventory, pool }),
    ledger,
    remotes,
    ...intended,
    changes,
    mcp: createMcp({
      ...{ jobs, inventory, history, changes, log, audit: store.audit, ...found, drift: intended.drift },
      recipes,
      ...{ mode: values.mcp, publicUrl: values.public_url, version: apiVersion },
    }),
    schedules,
    recipes,
    hooks,
    templates: storedTemplates,
    webhooks,
    inventoryExchange: createExchange({
      inventory,
      read: readText,
      write: createTextWriter(registry, log),
      formats: () => describedFormats(registry),
    }),
    sources,
    events,
    iso,
    disk,
    files: createFiles({
      root: filesRoot,
      disk: createDiskReserve({ folder: filesRoot, leastBytes }),
      maxFileBytes: values.max_file_mb * mib,
      room: createFolderUsage(values.transfer_roots, roomLimits(config)),
      iso,
      record: (entry) => store.audit.add(entry),
    }),
    admission,
    authenticate: authentication.byKey,
    authenticateSession: authentication.bySession,
    authenticateCertificate: authentication.byCertificate,
    forgetSession: authentication.forgetSession,
    log,
    apiVersion,
    settings: () =>
      describeConfig(config).map((setting) => ({ ...setting, variable: envName(setting.name) })),
    licences: licenceParts,
    pluginSchemas: () => schemasOfPlugins(registry),
    consoleFiles,
    maxBodyBytes: values.max_body_mb * mib,
    metrics: tracedMetrics(metrics, tracing),
    pageFiles: createPageFiles(),
    openDescription: values.openapi_open,
    openMetrics: values.metrics_open,
    keyInQuery: values.key_in_query,
    behindProxy: values.behind_proxy,
  };
  const innerCalls = async () => (await import("../http/inner-calls.ts")).createInnerCalls(httpOptions);
  const untraced = createHttpApp(httpOptions);
  const app = tracedApp(untraced, tracing);
  metrics.watch(shared.jobEvents);
  shared.jobEvents.onEveryEnd((end) => end.ran && !end.unasked && observations.ended(end.ran, end.errorType));
  shared.jobEvents.onEveryEnd(({ ran }) => ran?.operation === "config" && historyRunner.wake());
  shared.jobEvents.onEveryEnd(({ ran, took }) => (took || ran?.operation === "config") && driftRunner.soon());
  shared.jobEvents.onEveryEnd(({ bulkId }) => {
    if (bulkId === null) return;
    webhooks.happened();
    changeRunner.ended(bulkId);
  });
  shared.jobEvents.onEveryEnd(({ id, status, errorType }) => tracing.ended(id, status, errorType));
  metrics.show({
    queuedJobs: shared.backlog.total,
    runningJobs: pool.running,
    keptSessions: () => pool.sessions().length,
    deviceThreads: () => pool.threads,
    templateProcesses: templates.running,
    ready: () => scheduler.notReady().length === 0 && disk.reason() === undefined,
    openDescriptors,
    diskFreeBytes: disk.free,
    standing: () => nodeStateOf(store),
    history: createHistoryState(store, values.metrics_devices),
    drift: createDriftState(store, values.drift_hours * hourMs),
    ledger: checkpoints.state,
    changes: store.changes.openByState,
    spans: tracing.counts,
    newestBackup: () => materials.backups?.newest(),
    backupFailed: () => materials.backups && materials.backups.failure() !== undefined,
    storeBytes: () => (store.shared ? undefined : sizeOf(join(values.data_dir, databaseName))),
  });
  const dump = () => dumpOf({ ...shared, templates, scheduler, admission });
  return {
    pool,
    templates,
    scheduler,
    schedules,
    historyRunner,
    changeRunner,
    driftRunner,
    recipeRunner,
    remotes,
    checkpoints,
    webhooks,
    app,
    garbage,
    tracing,
    dump,
  };
}

/** Its record without the lists, which are long and rarely change. */
async function stateOfBulk(reading: ReturnType<Jobs["bulkRecord"]>): Promise<BulkState | undefined> {
  try {
    const { first_failures: _failures, without_result: _hosts, ...record } = await reading;
    return { record, ended: record.ended_at !== null };
  } catch (error) {
    if (error instanceof ServiceError && error.kind === "NotFound") return undefined;
    throw error;
  }
}

function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}

/** Delivery attempts are counted when they are stored. */
function countedStore(store: Store, { webhookAttempted }: Pick<Metrics, "webhookAttempted">): Store {
  const { deliveries } = store;
  return {
    ...store,
    deliveries: {
      ...deliveries,
      async record(node, due, attempt, next) {
        await deliveries.record(node, due, attempt, next);
        webhookAttempted(typeof next === "number" ? "again" : next);
      },
    },
  };
}

/** Running jobs that a dump names. */
const maxJobs = 50;

interface DumpTools {
  readonly store: Store;
  readonly pool: Pool;
  readonly templates: Pick<TemplatePool, "running">;
  readonly scheduler: Pick<ReturnType<typeof createScheduler>, "running" | "notReady">;
  readonly backlog: Pick<Backlog, "total">;
  readonly admission: Pick<Admission, "requests" | "lists" | "streams" | "bytes">;
}

/** Without device names and caller-supplied data. */
async function dumpOf({ store, pool, templates, scheduler, backlog, admission }: DumpTools) {
  const running = scheduler.running();
  const waiting = await nodeStateOf(store).catch((error: unknown) => ({ failed: String(error) }));
  return {
    not_ready: scheduler.notReady(),
    queued: backlog.total(),
    waiting,
    running: running.length,
    jobs: running.slice(0, maxJobs),
    sessions: countBy(pool.sessions().map(({ thread, driver }) => `${driver} on thread ${thread}`)),
    device_threads: pool.threads,
    device_tasks: pool.running(),
    template_processes: templates.running(),
    requests: admission.requests.held(),
    lists: admission.lists.held(),
    streams: admission.streams.held(),
    bytes: admission.bytes.held(),
    descriptors: openDescriptors(),
    memory: process.memoryUsage(),
    uptime_s: Math.round(process.uptime()),
  };
}

function countBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
