/** Stores for tests: a fresh file or libSQL server, and jobs to insert. */

import { needs } from "../../scripts/testbed/catalogue.ts";
import { blank, type Postgres, startPostgres } from "../../scripts/testbed/postgres.ts";
import { startSqld } from "../../scripts/testbed/sqld.ts";
import { silentLog } from "../../src/base/log.ts";
import type { StoreOptions } from "../../src/store/libsql/store.ts";
import type { ImportedVersion, NewConfigDevice, NewJob, Store } from "../../src/store/port.ts";
import { type AnyStore, createAnyStore } from "../support/any-store.ts";
import { placeBlank } from "../support/blank.ts";
import { masterKey } from "../support/node.ts";
import { temporary } from "../support/temporary.ts";

const everyKind = ["file", "sqld", "postgres"] as const;
export type StoreKind = (typeof everyKind)[number];
/** Those that this machine has. */
export const storeKinds: readonly StoreKind[] = needs("postgres") ? ["file", "sqld"] : everyKind;

export interface TestPlace {
  readonly directory: string;
  readonly url?: string;
  remove(): Promise<void>;
}

/** @param many whether to use the settings of docs/guides/scaling.md for three or more nodes */
export async function makePlace(kind: StoreKind, many = false): Promise<TestPlace> {
  const folder = temporary();
  if (kind === "file") return { directory: folder.path, remove: async () => folder.remove() };
  if (kind === "postgres") return onPostgres(folder, blank);
  const server = await startSqld(many ? { connections: 2 } : {});
  return {
    directory: folder.path,
    url: many ? `${server.url}?streams=each` : server.url,
    async remove() {
      await server.stop();
      folder.remove();
    },
  };
}

/** Of a database in which there is nothing, not even the schema. */
export async function makeEmptyPlace(kind: StoreKind): Promise<TestPlace> {
  return kind === "postgres" ? onPostgres(temporary(), undefined) : makePlace(kind);
}

/** One server for all places of a process, with a database for each: making the server takes seconds. */
let postgres: Promise<Postgres> | undefined;
let databases = 0;

async function onPostgres(
  folder: ReturnType<typeof temporary>,
  template: string | undefined,
): Promise<TestPlace> {
  postgres ??= startPostgres();
  const server = await postgres;
  const name = `place_${++databases}`;
  await server.create(name, template);
  return {
    directory: folder.path,
    url: server.url(name),
    async remove() {
      await server.drop(name);
      folder.remove();
    },
  };
}

/** Options of a node on that place. */
export function nodeAt({ directory, url }: TestPlace, store: Partial<StoreOptions> = {}) {
  return { directory, store: { ...store, url } };
}

/** A busy disk may take seconds for a write; this is not under test here. */
const patienceMs = 60_000;

export async function openStore(
  place: { directory: string; url?: string },
  more: Partial<StoreOptions> = {},
): Promise<AnyStore> {
  const { directory, url } = place;
  if (url === undefined) await placeBlank(directory);
  return createAnyStore({ directory, url, masterKey, log: silentLog, patienceMs, ...more });
}

/** So that its place can be opened again. */
export async function closeStore(store: Store): Promise<void> {
  await endStore(store);
  // A libSQL connection closes its files when it is garbage collected, and with them drops the locks of others.
  if (!store.shared) Bun.gc(true);
}

/** A store whose place is removed next. */
export async function endStore(store: Store): Promise<void> {
  await store.close();
  store.ownership.release();
}

export const facts = { home: "h1", hostname: "test", pid: 1, leaseMs: 30_000 };

export function newJob(store: Pick<Store, "makeId">, more: Partial<NewJob> = {}): NewJob {
  const host = more.host ?? "r1";
  const strategy = more.strategy ?? "pinned";
  const queue = strategy === "pinned" ? `pinned_${host}` : "fifo";
  return {
    id: store.makeId(),
    bulkId: null,
    strategy,
    queue,
    lane: strategy === "pinned" ? queue : "fifo/k1/",
    host,
    hostKey: host,
    driver: "netmiko",
    deviceType: "cisco_ios",
    operation: "query",
    caller: { keyId: "k1", name: "admin", from: null },
    submitter: { kind: "key", name: "admin" },
    ttlMs: 300_000,
    resultTtlMs: 60_000,
    retries: 0,
    warnings: [],
    payload: '{"connection":{"password":"canary-payload"}}',
    ...more,
  };
}

export function claimRequest(queues: readonly string[], fifo: { lane: string; count: number }[] = []) {
  return { fifo, pinned: queues, unheld: queues, fifoWorkers: 2 };
}

export const configured = (name: string): NewConfigDevice => ({
  ...{ name, host: "192.0.2.1", group: "access", platform: "cisco_ios" },
});

/** A good version with a text of its own. */
export const importedVersion = (origin: string): ImportedVersion => ({
  ...{
    part: "running",
    state: "good",
    reason: null,
    compare: origin,
    lines: 1,
    bytes: 1,
    added: 1,
    removed: 0,
  },
  ...{
    text: { body: Buffer.from(origin), secrets: undefined },
    takenAt: 1_000,
    who: null,
    note: undefined,
    origin,
  },
});
