/** A whole node without devices: a real store, a fake pool, jobs and scheduler wired as in the service. */

import { createAdmin } from "../../src/admin/admin.ts";
import type { Admin } from "../../src/admin/port.ts";
import type { JobRecord } from "../../src/api/jobs/job.ts";
import { createIso } from "../../src/api/time.ts";
import { createHolders } from "../../src/auth/holders.ts";
import type { Caller } from "../../src/auth/port.ts";
import { jsonWithRaw } from "../../src/base/json/json-pieces.ts";
import { type Log, silentLog } from "../../src/base/log.ts";
import type { DetachedTasks } from "../../src/detached/port.ts";
import { createDetachedAccess } from "../../src/detached/queries.ts";
import { createDetachedTasks } from "../../src/detached/tasks.ts";
import { createLeaseClock } from "../../src/dispatch/node/lease-clock.ts";
import { createScheduler, type SchedulerOptions } from "../../src/dispatch/scheduler.ts";
import { createJobEvents } from "../../src/events/job-events.ts";
import type { JobEvents } from "../../src/events/notices.ts";
import { createForesights } from "../../src/history/restoring/foresights.ts";
import { createTakes } from "../../src/history/takes/takes.ts";
import { createInventory } from "../../src/inventory/inventory.ts";
import type { Inventory } from "../../src/inventory/port.ts";
import { createJobs } from "../../src/jobs/jobs.ts";
import { createAdmission } from "../../src/limits/admission.ts";
import { createBacklog } from "../../src/limits/backlog.ts";
import { createCredentialUse } from "../../src/limits/credential-use.ts";
import { createLoginGate } from "../../src/limits/login-gate.ts";
import type { Backlog, LoginLimits } from "../../src/limits/port.ts";
import { credentialNamer } from "../../src/registry/named-credential.ts";
import type { Registry } from "../../src/registry/registry.ts";
import { secretFieldsOf } from "../../src/registry/secret-fields.ts";
import { createLineRecord } from "../../src/rehearsal/record.ts";
import { createRehearsals } from "../../src/rehearsal/rehearsals.ts";
import type { StoreOptions } from "../../src/store/libsql/store.ts";
import { type AnyStore, createAnyStore } from "./any-store.ts";
import { placeBlank } from "./blank.ts";
import { type FakePool, fakePool } from "./fake-pool.ts";
import { plainRegistry } from "./plugins.ts";
import { admin, bodyOf } from "./requests.ts";

export const masterKey = new Uint8Array(32).fill(7);

export interface Node {
  readonly store: AnyStore;
  readonly inventory: Inventory;
  readonly jobs: ReturnType<typeof createJobs>;
  readonly admin: Admin;
  readonly detached: DetachedTasks;
  readonly scheduler: ReturnType<typeof createScheduler>;
  readonly pool: FakePool;
  readonly backlog: Backlog;
  readonly jobEvents: JobEvents;
  submit(request: object, caller?: Caller, key?: string): Promise<string>;
  bulk(request: object, caller?: Caller): ReturnType<ReturnType<typeof createJobs>["bulk"]>;
  ended(id: string, forMs?: number): Promise<JobRecord>;
  /** Ends like a killed process: the store is not notified. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

export interface NodeOptions {
  readonly directory: string;
  readonly log?: Log;
  readonly slots?: number;
  /** How long secrets of failed jobs are kept. */
  readonly retryMs?: number;
  readonly pool?: FakePool;
  readonly name?: string;
  readonly started?: boolean;
  readonly maxQueued?: number;
  /** Replaces the drivers and engines of the fake pool. */
  readonly plugins?: Registry;
  readonly urlAllow?: readonly string[];
  readonly resolve?: (name: string) => Promise<readonly string[]>;
  readonly maxQueuedPerKey?: number;
  readonly loginGate?: Partial<LoginLimits>;
  readonly store?: Partial<StoreOptions>;
  readonly scheduler?: Partial<SchedulerOptions>;
}

export const signal = new AbortController().signal;

export async function startNode(options: NodeOptions): Promise<Node> {
  const log = options.log ?? silentLog;
  if (options.store?.url === undefined) await placeBlank(options.directory);
  const store = await createAnyStore({ directory: options.directory, masterKey, log, ...options.store });
  const pool = options.pool ?? fakePool();
  const leaseClock = createLeaseClock(!store.shared);
  const jobEvents = createJobEvents();
  const backlog = createBacklog({
    maxQueued: options.maxQueued ?? 100_000,
    maxQueuedPerKey: options.maxQueuedPerKey ?? 50_000,
  });
  const loginGate = createLoginGate({ failures: 3, backoffMs: 300_000, perSecond: 0, ...options.loginGate });
  const credentialUse = createCredentialUse(store, createHolders(store));
  const detached = createDetachedAccess({ store, pool, loginGate, credentialUse, keptMs: 86_400_000 });
  const node = { name: options.name ?? "n1", hostname: "test", pid: process.pid };
  const inventory = createInventory({
    store,
    log,
    iso: createIso("UTC"),
    isSecretField: secretFieldsOf(options.plugins ?? plainRegistry()),
    nameCredential: credentialNamer(options.plugins ?? plainRegistry()),
  });
  const platform = (name: string) => options.plugins?.get("platform", name);
  const iso = createIso("UTC");
  const scheduler = createScheduler({
    store,
    pool,
    backlog,
    jobEvents,
    log,
    leaseClock,
    loginGate,
    credentialUse,
    detached,
    iso: createIso("UTC"),
    auditMs: 90 * 86_400_000,
    retryMs: options.retryMs,
    keptEvents: 200_000,
    node,
    slots: options.slots ?? 50,
    takes: createTakes({
      store,
      pool,
      afterPushMs: undefined,
      platform,
    }),
    rehearsals: createRehearsals({
      ...{ store, inventory, iso, platform, foresights: createForesights({ store, pool, platform }) },
      driver: (name) => options.plugins?.get("driver", name),
      addressesOf: async (host) => ({ hosts: [host], locals: [] }),
    }),
    lineRecord: createLineRecord({ store, inventory, log, iso, platform }),
    ...options.scheduler,
  });
  const admission = createAdmission();
  const jobs = createJobs({
    store,
    inventory,
    pool,
    loginGate,
    credentialUse,
    scheduler,
    plugins: options.plugins ?? plainRegistry(),
    backlog,
    jobEvents,
    iso: createIso("UTC"),
    resultTtlMs: 86_400_000,
    retryMs: options.retryMs,
    maxBulk: 10_000,
    urlAllow: options.urlAllow ?? [],
    resolve: options.resolve,
    maxBulkBytes: 64 * 1024 * 1024,
    admission,
  });
  const plugins = options.plugins ?? plainRegistry();
  if (options.started !== false) await scheduler.start();
  return {
    store,
    inventory,
    jobs,
    admin: createAdmin({
      store,
      holders: createHolders(store),
      inventory,
      plugins,
      node,
      admission,
      iso,
      scheduler,
      ownKeyDays: 365,
      log,
      onBreakGlass() {},
      forgetAll() {},
    }),
    detached: createDetachedTasks({ store, detached, admission, iso }),
    scheduler,
    pool,
    backlog,
    jobEvents,
    async submit(request, caller = admin, key) {
      return (await jobs.submit(bodyOf(request), caller, key)).id;
    },
    bulk: (request, caller = admin) => jobs.bulk(bodyOf(request), caller),
    async ended(id, forMs = 120_000) {
      const record = await jobs.waitFor(id, forMs, signal);
      if (!record) throw new Error(`no job ${id}`);
      return JSON.parse(jsonWithRaw(record));
    },
    async kill() {
      scheduler.abandon();
      await store.close();
      store.ownership.release();
    },
    async stop() {
      await scheduler.drain(2_000);
      await store.close();
      store.ownership.release();
    },
  };
}
