/** A whole node without devices: a real store, a fake pool, jobs and scheduler wired as main does. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as v from "valibot";
import type { Caller } from "../../src/auth/port.ts";
import { abortReason, onAbort, pause } from "../../src/base/deadline.ts";
import { ServiceError } from "../../src/base/errors.ts";
import { jsonWithRaw } from "../../src/base/json.ts";
import { type Log, silentLog } from "../../src/base/log.ts";
import { secret } from "../../src/base/secret.ts";
import { createJobs } from "../../src/jobs/jobs.ts";
import type { JobRecord } from "../../src/model/job.ts";
import { createIso } from "../../src/model/time.ts";
import type {
  DriverPlugin,
  PlatformPlugin,
  TemplateEnginePlugin,
  WebhookPlugin,
} from "../../src/plugin/index.ts";
import type { Pool, RunOptions } from "../../src/pool/port.ts";
import type { OutputsValue, QueryTask, Task } from "../../src/protocol/task.ts";
import { createAdmission } from "../../src/queue/admission.ts";
import { createBacklog } from "../../src/queue/backlog.ts";
import { createJobEvents } from "../../src/queue/job-events.ts";
import { createLoginGate } from "../../src/queue/login-gate.ts";
import type { Backlog, LoginLimits } from "../../src/queue/port.ts";
import { createRegistry, type Registry } from "../../src/registry/registry.ts";
import { createLeaseClock } from "../../src/scheduler/lease-clock.ts";
import { createScheduler, type SchedulerOptions } from "../../src/scheduler/scheduler.ts";
import { createStore, type LibsqlStore, type StoreOptions } from "../../src/store/libsql/store.ts";

export const masterKey = new Uint8Array(32).fill(7);
export const admin: Caller = { keyId: "k1", name: "admin", scope: "admin", hosts: [], from: "127.0.0.1" };

export function temporary(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "patchbay-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

const text = v.pipe(v.string(), v.nonEmpty("must not be empty"));

/** A driver that a fake pool stands in for. */
export function plainDriver(name: string, strategy: "pinned" | "fifo"): DriverPlugin {
  return {
    api: 1,
    kind: "driver",
    name,
    connection: v.object({
      host: text,
      device_type: v.optional(text),
      username: v.optional(text),
      password: v.optional(v.pipe(text, v.transform(secret))),
      port: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(65_535))),
    }),
    args: {
      query: v.object({ read_timeout: v.optional(v.number()) }),
      configure: v.object({ read_timeout: v.optional(v.number()), save: v.optional(v.boolean()) }),
    },
    strategy,
    target: (given) => ({ host: v.parse(v.looseObject({ host: text }), given).host, port: 22 }),
    ...(strategy === "pinned" ? { commands: "lines" as const } : {}),
    ...(strategy === "pinned" ? { platformField: "device_type" as const } : {}),
    load: async () => ({ default: () => Promise.reject(new Error("not here")) }),
  };
}

const platform: PlatformPlugin = {
  api: 1,
  kind: "platform",
  name: "cisco_ios",
  levels: { exec: { prompt: /[\w.-]+#$/ } },
  home: "exec",
  errors: [/^%/m],
};

const never = () => Promise.reject(new Error("not here"));
const hookOptions = v.looseObject({
  url: v.pipe(v.string(), v.url()),
  events: v.optional(v.array(v.picklist(["job.finished", "job.failed", "job.cancelled"]))),
  max_retries: v.optional(v.number()),
  retry_intervals: v.optional(v.array(v.number())),
  timeout: v.optional(v.number()),
  include_result: v.optional(v.boolean()),
});
const webhook: WebhookPlugin = {
  api: 1,
  kind: "webhook",
  name: "basic",
  options: hookOptions,
  default: true,
  plan: (options) => {
    const {
      url,
      events,
      max_retries: retries,
      retry_intervals: intervals,
      timeout,
      include_result: includeResult,
    } = v.parse(hookOptions, options);
    return {
      receiver: new URL(url).origin,
      events,
      ...omitUndefined({ retries, intervals, timeout, includeResult }),
    };
  },
  load: never,
};
const engine = (
  name: string,
  does: "render" | "parse",
  more: Partial<TemplateEnginePlugin> = {},
): TemplateEnginePlugin => ({
  api: 1,
  kind: "template",
  name,
  does,
  args: v.looseObject({ trim_blocks: v.optional(v.boolean()) }),
  ...more,
  load: never,
});
const setOf = (use: string, args: string, platform: string) => ({ use, args, platform, install: never });
const engines = [
  engine("jinja2", "render", { default: true, extensions: ["j2"] }),
  engine("textfsm", "parse", {
    detects: (source) => /^Value /m.test(source),
    extensions: ["textfsm"],
    set: setOf("use_ntc_template", "ntc_template_args", "device_type"),
  }),
  engine("ttp", "parse", {
    detects: (source) => /<group|\{\{/.test(source),
    precedence: 1,
    extensions: ["ttp"],
    set: setOf("use_ttp_template", "ttp_template_args", "platform"),
  }),
];

export function plainRegistry(): Registry {
  const registry = createRegistry();
  registry.add(plainDriver("netmiko", "pinned"), "builtin");
  registry.add(plainDriver("paramiko", "fifo"), "builtin");
  registry.add(platform, "builtin");
  registry.add(webhook, "builtin");
  for (const engine of engines) registry.add(engine, "builtin");
  return registry;
}

function omitUndefined<T extends object>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

export interface FakePool extends Pool {
  /** Tasks in the order in which they reached a device. */
  readonly log: { host: string; command: string }[];
  evicted: (string | undefined)[];
  most: number;
  /** Lets those go on that `hold`. */
  release(): void;
}

type HoldingPool = FakePool & { readonly held: Promise<void> };

/** Commands: anything echoes; `wait <ms>`, `hold` (until `release`, whatever its deadline says), `fail <kind>`, `lose` (the thread dies), `quiet` (dies before it sends). */
export function fakePool(threads = 2): FakePool {
  let running = 0;
  const held = Promise.withResolvers<void>();
  const pool: HoldingPool = {
    held: held.promise,
    release: held.resolve,
    log: [],
    evicted: [],
    most: 0,
    threads,
    warm() {},
    reload() {},
    running: () => running,
    sessions: () => [],
    hasSession: () => false,
    evict: async (host) => {
      pool.evicted.push(host);
      return 0;
    },
    close: async () => {},
    async run<T extends Task>(task: T, options: RunOptions) {
      running++;
      pool.most = Math.max(pool.most, running);
      try {
        // The fake gives each kind of task what its type says.
        return (await fakeRun(task, options, pool)) as never;
      } finally {
        running--;
      }
    },
  };
  return pool;
}

async function fakeRun(task: Task, options: RunOptions, pool: HoldingPool): Promise<unknown> {
  switch (task.kind) {
    case "query":
    case "configure":
      return fakeDevice(task, options, pool);
    case "render":
      return { text: `${task.source} ${task.contextJson}` };
    case "parse":
      if (task.source === "bad") throw new ServiceError("ParseError", "The template does not fit.");
      return { json: task.texts.map((one) => `[{"B":1.0,"10":"${one}"}]`) };
    case "fetch":
      return { text: `fetched ${task.uri}` };
    case "probe":
      return { prompt: "R1#", host: String(task.connection.host), device_type: "cisco_ios" };
    case "deliver":
      return { ok: true, status: 200 };
    case "evict":
      return { closed: 0 };
  }
}

async function fakeDevice(
  task: QueryTask | Extract<Task, { kind: "configure" }>,
  options: RunOptions,
  pool: HoldingPool,
): Promise<OutputsValue> {
  const host = String(task.connection.host);
  const all =
    task.kind === "query"
      ? task.commands.map((one) => (typeof one === "string" ? one : one.send))
      : [task.lines.join("\n")];
  const sent: string[] = [];
  const outputs: { command: string; output: unknown }[] = [];
  const warnings: string[] = [];
  for (const command of all) {
    if (command.startsWith("slow login ")) await pause(Number(command.split(" ")[2]));
    if (command === "wrong password")
      throw new ServiceError("AuthenticationFailed", "The device refused it.");
    if (command === "quiet") throw new ServiceError("WorkerLost", "The thread died before it sent.");
    sent.push(command);
    await options.answer?.({ about: "sending", lines: [...sent] });
    pool.log.push({ host, command });
    const [word, arg] = command.split(" ");
    if (word === "hold") await pool.held;
    if (word === "wait") await pause(Number(arg), options.deadline.signal);
    if (word === "hang")
      await new Promise<void>((resolve) => void onAbort(options.deadline.signal, () => resolve()));
    if (options.deadline.signal.aborted) throw abortReason(options.deadline.signal);
    if (word === "lose") throw new ServiceError("WorkerLost", "The thread died.");
    if (word === "fail")
      throw new ServiceError("CommandError", "The device refused it.", { command, partial: outputs });
    if (command.startsWith("warn ")) warnings.push(command.slice(5));
    outputs.push({ command, output: `${host}: ${command}` });
  }
  return { outputs, reused: false, ...(warnings.length === 0 ? {} : { warnings }) };
}

export interface Node {
  readonly store: LibsqlStore;
  readonly jobs: ReturnType<typeof createJobs>;
  readonly scheduler: ReturnType<typeof createScheduler>;
  readonly pool: FakePool;
  readonly backlog: Backlog;
  submit(request: object, caller?: Caller, key?: string): Promise<string>;
  bulk(request: object, caller?: Caller): ReturnType<ReturnType<typeof createJobs>["bulk"]>;
  ended(id: string, forMs?: number): Promise<JobRecord>;
  /** Ends as a process does that is killed: nothing is told to the store. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

export interface NodeOptions {
  readonly directory: string;
  readonly log?: Log;
  readonly slots?: number;
  readonly pool?: FakePool;
  readonly name?: string;
  readonly started?: boolean;
  readonly maxQueued?: number;
  /** In place of drivers and engines that a fake pool stands in for. */
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
  const store = await createStore({ directory: options.directory, masterKey, log, ...options.store });
  const pool = options.pool ?? fakePool();
  const leaseClock = createLeaseClock(!store.shared);
  const jobEvents = createJobEvents();
  const backlog = createBacklog({
    maxQueued: options.maxQueued ?? 100_000,
    maxQueuedPerKey: options.maxQueuedPerKey ?? 50_000,
  });
  const loginGate = createLoginGate({ failures: 3, backoffMs: 300_000, perSecond: 0, ...options.loginGate });
  const node = { name: options.name ?? "n1", hostname: "test", pid: process.pid };
  const scheduler = createScheduler({
    store,
    pool,
    backlog,
    jobEvents,
    log,
    leaseClock,
    loginGate,
    iso: createIso("UTC"),
    auditMs: 90 * 86_400_000,
    node,
    slots: options.slots ?? 50,
    ...options.scheduler,
  });
  const jobs = createJobs({
    store,
    pool,
    loginGate,
    scheduler,
    node,
    plugins: options.plugins ?? plainRegistry(),
    backlog,
    jobEvents,
    iso: createIso("UTC"),
    resultTtlMs: 86_400_000,
    maxBulk: 10_000,
    urlAllow: options.urlAllow ?? [],
    resolve: options.resolve,
    maxBulkBytes: 64 * 1024 * 1024,
    admission: createAdmission(),
  });
  if (options.started !== false) await scheduler.start();
  return {
    store,
    jobs,
    scheduler,
    pool,
    backlog,
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

export function bodyOf(value: object): { text: string; value: unknown } {
  const text = JSON.stringify(value);
  return { text, value: JSON.parse(text) };
}

export function query(host: string, command: string | string[], more: object = {}): object {
  return {
    driver: "netmiko",
    connection_args: { host, device_type: "cisco_ios", username: "u", password: "canary-password" },
    command,
    ...more,
  };
}

export function configure(host: string, config: unknown, more: object = {}): object {
  const { command: _command, ...rest } = query(host, "x") as Record<string, unknown>;
  return { ...rest, config, ...more };
}
