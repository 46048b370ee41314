/** An app on a fake `Jobs`, which records calls and can be overridden. */

import type { Admin } from "../../../src/admin/port.ts";
import type { Body } from "../../../src/api/body.ts";
import type { JobRecord, ListedJob } from "../../../src/api/jobs/job.ts";
import type { Caller, Scope } from "../../../src/auth/port.ts";
import type { DetachedTasks } from "../../../src/detached/port.ts";
import type { Files } from "../../../src/files/port.ts";
import { createHttpApp } from "../../../src/http/app.ts";
import type { HttpOptions } from "../../../src/http/port.ts";
import type { RouteDefinition } from "../../../src/http/route.ts";
import type { Jobs } from "../../../src/jobs/port.ts";
import { createAdmission } from "../../../src/limits/admission.ts";
import { doubleOf } from "./double.ts";
import { noChangeFeed, noChanges } from "./no-changes.ts";
import { noEvents } from "./no-events.ts";
import { noDrift, noFeed, noHistory, noImport, noIntents, noRecord, noRemotes } from "./no-history.ts";
import { noExchange, noInventory, noSources } from "./no-inventory.ts";
import { noLedger } from "./no-ledger.ts";
import { noHooks, noRecipes } from "./no-recipes.ts";
import { noSchedules } from "./no-schedules.ts";
import { noSignIn } from "./no-sign-in.ts";
import { noTemplates } from "./no-templates.ts";
import { noWebhooks } from "./no-webhooks.ts";
import {
  bulkDetail,
  detachedRecord,
  jobRecord,
  loginSession,
  madeKey,
  meRecord,
  personRecord,
  rolePreview,
  roleRecord,
  sessionToken,
  statistics,
  ticket,
  workerRecord,
} from "./records.ts";

export { bulkDetail, jobRecord, loginSession, sessionToken, ticket, workerRecord };

export const keys: Record<Scope, string> = {
  read: "key-that-reads-0123456789",
  agent: "key-of-an-agent-0123456789",
  operate: "key-that-operates-0123456789",
  admin: "key-that-administers-0123456789",
};

export function callerWith(scope: Scope, from: string | null = null): Caller {
  return { keyId: `id-${scope}`, name: `name-${scope}`, scope, hosts: [], from };
}

async function* noJobs(): AsyncGenerator<JobRecord[]> {}

/** A page cut out of a list. */
function pageOf(list: Jobs["list"]): Jobs["page"] {
  return async (filter, caller, { limit, cursor }) => {
    const records: ListedJob[] = [];
    for await (const some of list(filter, caller, cursor === undefined ? {} : { cursor })) {
      records.push(...some);
      if (records.length > limit) break;
    }
    const page = records.slice(0, limit);
    return {
      next: records.length > limit ? page.at(-1)?.id : undefined,
      pieces: (async function* () {
        if (page.length > 0) yield page;
      })(),
    };
  };
}

const bulkAnswer = { succeeded: [ticket], failed: [], failed_jobs: [], bulk_id: "bulk-1" };

/** What callers may do, whichever module does it. */
export type Work = Jobs & Admin & DetachedTasks;

/** Methods return something simple. */
export function fakeJobs(overrides: Partial<Work> = {}): Work {
  return doubleOf<Work>({
    submit: async () => ticket,
    bulk: async () => bulkAnswer,
    submittedBulk: async () => undefined,
    async checkKept() {},
    checkWebhook: async () => ({
      address: "https://hooks.example",
      receiver: "r",
      signed: true,
      content: "{}",
    }),
    discover: async () => bulkAnswer,
    take: async () => bulkAnswer,
    compare: async () => ({ job: ticket, warnings: [] }),
    retryJob: async () => ticket,
    retryBulk: async () => bulkAnswer,
    hostNamed: async (host) => host,
    hostsOf: async () => new Set(),
    waitFor: async () => jobRecord(1),
    waitForBulk: async () => {},
    list: noJobs,
    page: pageOf(overrides.list ?? noJobs),
    statusesOf: async () => new Map(),
    listHostKeys: async () => [],
    forgetHostKey: async () => 1,
    acceptHostKey: async () => [],
    sentBy: async (id) => ({
      ...{ id, host: "192.0.2.1", ended_at: ticket.created_at },
      lines: ["a"],
      dialogue: "b",
      sha256: "c",
    }),
    bulks: async () => ({ bulks: [bulkDetail], next: undefined }),
    bulkRecord: async () => bulkDetail,
    bulkResults: async () => new Map(),
    cancelBulk: async () => ({ cancelled: 2, stopping: 0 }),
    listKeys: async () => [],
    addKey: async () => madeKey,
    revokeKey: async () => {},
    noteBreakGlass: async () => {},
    listOwnKeys: async () => [],
    addOwnKey: async () => madeKey,
    revokeOwnKey: async (name) => name,
    listRoles: async () => [roleRecord],
    putRole: async () => ({ outcome: "added", role: roleRecord }),
    removeRole: async () => {},
    previewRole: async () => rolePreview,
    listPersons: async () => ({ persons: [personRecord], next: undefined }),
    readPerson: async () => personRecord,
    changePerson: async () => personRecord,
    forgetPerson: async () => ({ id: personRecord.id, name: "person-7f3a" }),
    whoAmI: async () => meRecord,
    askForLogin: async () => ({
      request: "r",
      user_code: null,
      page: "/#/confirm",
      expires_at: ticket.created_at,
    }),
    waitingLogin: async () => ({
      ...{ machine: "laptop", address: null, port: null, key_days: 90 },
      ...{ asked_at: ticket.created_at, expires_at: ticket.created_at },
    }),
    decideLogin: async () => ({ return_to: null }),
    exchangeLogin: async () => ({ state: "waiting", person: null, key: null }),
    beginLoginSession: async () => ({ token: sessionToken, session: loginSession }),
    listLoginSessions: async () => [loginSession],
    endLoginSession: async (name) => (name === "current" ? loginSession.id : name),
    changeKey: async () => {},
    listCredentials: async () => [],
    setCredential: async () => "added",
    removeCredential: async () => {},
    detachedTasks: async () => ({ tasks: [detachedRecord], next: undefined }),
    readDetachedTask: async (_id, offset) => ({
      ...detachedRecord,
      output: "x",
      offset,
      next_offset: offset + 1,
      size: offset + 1,
    }),
    endDetachedTask: async () => ({ ...detachedRecord, removed: false }),
    cancel: async () => [ticket.id],
    release: async () => [ticket.id],
    testConnection: async () => ({
      success: true,
      connection_time: 0.2,
      error_message: null,
      device_info: { prompt: "r1#", device_type: "cisco_ios", host: "192.0.2.1" },
      timestamp: ticket.created_at,
    }),
    render: async () => ({ text: "hostname r1\n" }),
    parse: async () => ({ json: '[{"a":1}]' }),
    statistics: async () => statistics,
    listPlugins: async () => [],
    workers: async () => [workerRecord("node.fifo.1")],
    stopWorkers: async () => ["node.fifo.1"],
    ready: async () => ({ ready: true, reasons: [], doubts: [] }),
    audit: async () => ({ entries: [], next_cursor: null }),
    ...overrides,
  });
}

export interface LogLine {
  level: string;
  event: string;
  fields: Record<string, unknown>;
}

export interface Sending {
  method?: string;
  key?: string | null;
  headers?: Record<string, string>;
  body?: unknown;
  from?: string | null;
  signal?: AbortSignal;
}

interface Envelope {
  code: number;
  message: string;
  data: unknown;
}

export interface Answered {
  status: number;
  headers: Headers;
  text: string;
  body: Envelope;
}

export const noMetrics: HttpOptions["metrics"] = {
  contentType: "text/plain",
  text: async () => "",
  requestAnswered() {},
};

export const noFiles = doubleOf<Files>({ list: async () => [] });

export function createApp(
  overrides: Partial<Work> = {},
  options: Partial<HttpOptions> = {},
  table?: readonly RouteDefinition[],
) {
  const lines: LogLine[] = [];
  const asked: { key: string; from: string | null }[] = [];
  const forgotten: string[] = [];
  const write =
    (level: string) =>
    (event: string, fields: object = {}) =>
      void lines.push({ level, event, fields: { ...fields } });
  const work = fakeJobs(overrides);
  const all: HttpOptions = {
    ...{ jobs: work, admin: work, detached: work, signIn: noSignIn },
    async authenticate(key, from) {
      asked.push({ key, from });
      const scope = (Object.keys(keys) as Scope[]).find((one) => keys[one] === key);
      return scope && callerWith(scope, from);
    },
    authenticateSession: async (token, from) =>
      token === sessionToken ? { ...callerWith("operate", from), sessionId: "session-1" } : undefined,
    authenticateCertificate: async (fingerprint, from) =>
      fingerprint === sessionToken ? callerWith("operate", from) : undefined,
    forgetSession: (id) => void forgotten.push(id),
    consoleFiles: async () => [],
    log: { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") },
    admission: createAdmission(),
    files: noFiles,
    events: noEvents,
    inventory: noInventory,
    history: noHistory,
    historyFeed: noFeed,
    lineRecord: noRecord,
    historyImport: noImport,
    ledger: noLedger,
    remotes: noRemotes,
    intents: noIntents,
    drift: noDrift,
    inventoryExchange: noExchange,
    changes: noChanges,
    mcp: doubleOf<HttpOptions["mcp"]>({}),
    changeFeed: noChangeFeed,
    schedules: noSchedules,
    recipes: noRecipes,
    hooks: noHooks,
    templates: noTemplates,
    webhooks: noWebhooks,
    sources: noSources,
    iso: (ms) => new Date(ms).toISOString(),
    apiVersion: "0.2",
    settings: () => [],
    licences: async () => [],
    pluginSchemas: () => ({ drivers: [], webhooks: [], credentials: [], formats: [], sources: [] }),
    metrics: noMetrics,
    pageFiles: { script: async () => new Uint8Array(), style: async () => new Uint8Array() },
    openDescription: false,
    openMetrics: false,
    maxBodyBytes: 10_000,
    keyInQuery: true,
    behindProxy: false,
    ...options,
  };
  const app = createHttpApp(all, table);

  /** @param sending.key null: none; default: the admin's, in the header */
  async function send(path: string, sending: Sending = {}): Promise<Answered> {
    const { key = keys.admin, body, from = "198.51.100.7", signal } = sending;
    const method = sending.method ?? (body === undefined ? "GET" : "POST");
    const headers = new Headers(sending.headers);
    if (key !== null) headers.set("x-api-key", key);
    if (body !== undefined && !headers.has("content-type")) headers.set("content-type", "application/json");
    const url = path.includes("://") ? path : `http://patchbay.example${path}`;
    const request = new Request(url, {
      method,
      headers,
      ...(body === undefined ? {} : { body: isRaw(body) ? body : JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
    const response = await app.fetch(request, {
      from,
      extendTimeout() {},
      restoreTimeout() {},
    });
    const text = await response.text();
    const empty: Envelope = { code: 0, message: "", data: undefined };
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: text.startsWith("{") ? JSON.parse(text) : empty,
    };
  }

  return { app, send, lines, asked, forgotten };
}

function isRaw(body: unknown): body is string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> {
  return typeof body === "string" || body instanceof Uint8Array || body instanceof ReadableStream;
}

export const query = {
  driver: "netmiko",
  connection_args: { device_type: "cisco_ios", host: "192.0.2.1", username: "u", password: "p" },
  command: "show version",
};

/** Records the arguments of each call. */
export function spy<A extends unknown[], R>(answer: (...args: A) => R) {
  const calls: A[] = [];
  const run = (...args: A): R => {
    calls.push(args);
    return answer(...args);
  };
  return Object.assign(run, { calls });
}

export function bodyOf(calls: readonly (readonly [Body, ...unknown[]])[]): unknown {
  return calls[0]?.[0].value;
}
