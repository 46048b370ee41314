/**
 * The queue alone: store, jobs and scheduler wired as in the service, with a pool whose devices answer
 * immediately.
 */

import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import * as v from "valibot";
import { createIso } from "../../src/api/time.ts";
import { createHolders } from "../../src/auth/holders.ts";
import type { Caller } from "../../src/auth/port.ts";
import { silentLog } from "../../src/base/log.ts";
import { createDetachedAccess } from "../../src/detached/queries.ts";
import { createLeaseClock } from "../../src/dispatch/node/lease-clock.ts";
import { createScheduler } from "../../src/dispatch/scheduler.ts";
import { createJobEvents } from "../../src/events/job-events.ts";
import { createForesights } from "../../src/history/restoring/foresights.ts";
import { createTakes } from "../../src/history/takes/takes.ts";
import { createInventory } from "../../src/inventory/inventory.ts";
import { createJobs } from "../../src/jobs/jobs.ts";
import { createAdmission, ordinaryLimits } from "../../src/limits/admission.ts";
import { createBacklog } from "../../src/limits/backlog.ts";
import { createCredentialUse } from "../../src/limits/credential-use.ts";
import { createLoginGate } from "../../src/limits/login-gate.ts";
import type { DriverPlugin } from "../../src/plugin/index.ts";
import type { Pool } from "../../src/pool/port.ts";
import { credentialNamer } from "../../src/registry/named-credential.ts";
import { createRegistry } from "../../src/registry/registry.ts";
import { secretFieldsOf } from "../../src/registry/secret-fields.ts";
import { createLineRecord } from "../../src/rehearsal/record.ts";
import { createRehearsals } from "../../src/rehearsal/rehearsals.ts";
import { createStore } from "../../src/store/libsql/store.ts";
import type { Store } from "../../src/store/port.ts";
import { isPostgres } from "../../src/store/postgres/database/address.ts";
import { createStore as createOnPostgres } from "../../src/store/postgres/store.ts";

export const caller: Caller = { keyId: "k1", name: "bench", scope: "admin", hosts: [], from: null };

const driver: DriverPlugin = {
  api: 1,
  kind: "driver",
  name: "noop",
  connection: v.object({ host: v.string() }),
  args: { query: v.object({}), configure: v.object({}) },
  strategy: "fifo",
  target: () => ({ host: "bench", port: 22 }),
  load: () => Promise.reject(new Error("the bench has a pool of its own")),
};

const pool: Pool = {
  threads: 2,
  reload() {},
  running: () => 0,
  sessions: () => [],
  hasSession: () => false,
  evict: async () => 0,
  close: async () => {},
  async run(task, options) {
    const command = task.kind === "query" ? task.commands.map(String).join() : "";
    await options.answer?.({ about: "sending", lines: [command] });
    // Only queries are submitted here.
    return { outputs: [{ command, output: "ok" }], reused: false } as never;
  },
};

export interface BenchNode {
  readonly store: Store & { raw(sql: string): Promise<{ readonly rows: readonly (readonly unknown[])[] }> };
  readonly jobs: ReturnType<typeof createJobs>;
  readonly directory: string;
  start(): Promise<void>;
  waiting(): number;
  fileBytes(): number;
  stop(): Promise<void>;
}

export async function makeNode(url: string | undefined): Promise<BenchNode> {
  const directory = mkdtempSync(join(tmpdir(), "bench-jobs-"));
  const options = { directory, masterKey: new Uint8Array(32).fill(1), log: silentLog };
  const store =
    url !== undefined && isPostgres(url)
      ? await createOnPostgres({ ...options, url, ownership: { release() {} } })
      : await createStore({ ...options, url });
  const registry = createRegistry();
  registry.add(driver, "builtin");
  const node = { name: "bench", hostname: "bench", pid: process.pid };
  const iso = createIso("UTC");
  const jobEvents = createJobEvents();
  const loginGate = createLoginGate({ failures: 3, backoffMs: 300_000, perSecond: 0 });
  const backlog = createBacklog({ maxQueued: 1_000_000, maxQueuedPerKey: 1_000_000 });
  const credentialUse = createCredentialUse(store, createHolders(store));
  const detached = createDetachedAccess({ store, pool, loginGate, credentialUse, keptMs: 86_400_000 });
  const common = { store, pool, backlog, jobEvents, loginGate, credentialUse, detached, iso, node };
  const inventory = createInventory({
    store,
    log: silentLog,
    iso,
    isSecretField: secretFieldsOf(registry),
    nameCredential: credentialNamer(registry),
  });
  const platform = () => undefined;
  const rehearsing = { store, inventory, iso, platform, log: silentLog };
  const scheduler = createScheduler({
    ...common,
    log: silentLog,
    leaseClock: createLeaseClock(!store.shared),
    slots: 200,
    auditMs: 86_400_000,
    keptEvents: 200_000,
    takes: createTakes({ store, pool, afterPushMs: undefined, platform }),
    rehearsals: createRehearsals({
      ...rehearsing,
      foresights: createForesights({ store, pool, platform }),
      driver: () => undefined,
      addressesOf: async () => ({ hosts: [], locals: [] }),
    }),
    lineRecord: createLineRecord(rehearsing),
  });
  const jobs = createJobs({
    ...common,
    inventory,
    plugins: registry,
    resultTtlMs: 86_400_000,
    maxBulk: 100_000,
    urlAllow: [],
    maxBulkBytes: 64 * 1024 * 1024,
    admission: createAdmission({ ...ordinaryLimits, rate: { perSecond: 0, burst: 1 } }),
    // Also measures submissions while no jobs run.
    scheduler: { ...scheduler, notReady: () => [] },
  });
  let started = false;
  return {
    store,
    jobs,
    directory,
    async start() {
      started = true;
      await scheduler.start();
    },
    waiting: backlog.total,
    fileBytes: () => statSync(join(directory, "patchbay.db"), { throwIfNoEntry: false })?.size ?? 0,
    async stop() {
      if (started) await scheduler.drain(5_000);
      await store.close();
      store.ownership.release();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

export function request(host: string, more: object = {}): { text: string; value: unknown } {
  const value = { driver: "noop", connection_args: { host }, command: "show version", ...more };
  return { text: JSON.stringify(value), value };
}

export function bulkRequest(count: number, more: object = {}): { text: string; value: unknown } {
  const devices = Array.from({ length: count }, (_, at) => ({ host: `b${at}` }));
  const value = { driver: "noop", command: "show version", devices, ...more };
  return { text: JSON.stringify(value), value };
}
