/** The service, wired: store, pool, scheduler, jobs, HTTP; and its orderly end. */
import { hostname } from "node:os";
import process from "node:process";
import { builtins } from "../../plugins/index.ts";
import { createAuthenticate } from "../auth/keys.ts";
import type { Log } from "../base/log.ts";
import { apiVersion } from "../base/version.ts";
import type { Config } from "../config/config.ts";
import { createHttpApp } from "../http/app.ts";
import { createJobs } from "../jobs/jobs.ts";
import { createIso } from "../model/time.ts";
import { createPool } from "../pool/pool.ts";
import type { Pool } from "../pool/port.ts";
import { createTemplates } from "../pool/template-pool.ts";
import { type ThreadQuestion, templateProcessFlag } from "../protocol/message-port.ts";
import { createAdmission } from "../queue/admission.ts";
import { createBacklog } from "../queue/backlog.ts";
import { createJobEvents } from "../queue/job-events.ts";
import { createLoginGate } from "../queue/login-gate.ts";
import { discover, type Found, findPlugins, forgetModules } from "../registry/discover.ts";
import type { Registry } from "../registry/registry.ts";
import { type ReloadableRegistry, reloadable } from "../registry/reloadable.ts";
import { ofPlugins, type PluginSettingsSource, unusedSettings } from "../registry/settings.ts";
import { spawnChild } from "../runtime/child.ts";
import { createCollect } from "../runtime/collect.ts";
import { isCompiled } from "../runtime/self.ts";
import { type Listen, type Served, serve } from "../runtime/serve.ts";
import { createTrust } from "../scheduler/lease-clock.ts";
import { createScheduler } from "../scheduler/scheduler.ts";
import type { Store } from "../store/libsql/store.ts";
import { checkSettings, settingWarnings } from "./check.ts";
import { sessionsThatFit } from "./descriptors.ts";
import { ensureFirstKey } from "./first-key.ts";
import type { Program } from "./program.ts";
import { admissionLimits, workerSettings } from "./settings.ts";
import { openStore } from "./store.ts";

export interface RunningService {
  readonly url: string;
  /** The first API key, when it was made by this start. */
  readonly madeKey: string | undefined;
  /** Takes new and changed plugins; jobs that run keep those they have. */
  reload(): Promise<void>;
  /** Takes nothing more, lets running jobs end, cuts what is left. */
  stop(drainMs: number): Promise<void>;
}

/** Answers that are being written when the service stops get this long. */
const answersMs = 2_000;

export async function startService(config: Config, program: Program, log: Log): Promise<RunningService> {
  const { values } = config;
  checkSettings(config);
  for (const warning of settingWarnings(config)) log.warn("setting.weak", { warning });
  const plugins = await findPlugins(values.plugins);
  const [found, store] = await Promise.all([
    discover(builtins, plugins, log, config.pluginSettings),
    openStore(config, log),
  ]);
  const registry = reloadable(found);
  for (const name of unusedSettings(config.pluginSettings, registry.all()))
    log.warn("config.unused", { setting: name, reason: "it is a setting of no plugin" });
  const app = Promise.withResolvers<Parts["app"]>();
  let server: Served | undefined;
  try {
    // Before a key is made or a job is taken: of two services with one address only one may do anything.
    server = await serve({
      listen: listenOf(values.listen),
      // Our own limit answers with the envelope and counts stated and chunked bodies; Bun's would answer without it.
      maxBodyBytes: Number.MAX_SAFE_INTEGER,
      // Whoever comes before the service is ready waits for it.
      fetch: async (request, from, limit) => (await app.promise).fetch(request, { from, ...limit }),
    });
    tellOfCopy(store, log);
    const madeKey = await ensureFirstKey(config, store);
    const parts = assemble({ config, program, log, plugins, registry, store });
    await parts.scheduler.start();
    app.resolve(parts.app);
    parts.warm();
    return running(server, madeKey, parts, store, () => reloadPlugins(config, log, registry, parts.pool));
  } catch (error) {
    await server?.stop(0);
    await store.close();
    store.ownership.release();
    throw error;
  }
}

/** Read anew from their folders; a plugin that is refused now is not there any more, and the log says why. */
async function reloadPlugins(
  { values, pluginSettings }: Config,
  log: Log,
  registry: ReloadableRegistry,
  pool: Pool,
): Promise<void> {
  const plugins = await findPlugins(values.plugins);
  forgetModules(plugins);
  const next = await discover(builtins, plugins, log, pluginSettings);
  registry.replace(next);
  pool.reload(plugins);
  log.info("plugins.reloaded", {
    taken: next.all().length - builtins.length,
    refused: next.refusals().length,
  });
}

function tellOfCopy({ home }: Store, log: Log): void {
  if (home.copied === undefined) return;
  const { why, held, sending } = home.copied;
  log.warn("store.copied", {
    why,
    held,
    failed: sending,
    note: "Held jobs may have been run where they come from. POST /job/release?status=held lets them run, DELETE /job?id= cancels one.",
  });
}

function running(
  server: Served,
  madeKey: string | undefined,
  { scheduler, pool }: Parts,
  store: Store,
  reload: () => Promise<void>,
): RunningService {
  return {
    url: server.url,
    madeKey,
    reload,
    async stop(drainMs) {
      // Callers see the end of their jobs, and that nothing more is taken: the door closes last.
      await scheduler.drain(drainMs);
      await server.stop(answersMs);
      await pool.close();
      await store.close();
      store.ownership.release();
    },
  };
}

interface Materials {
  readonly config: Config;
  readonly program: Program;
  readonly log: Log;
  readonly plugins: readonly Found[];
  readonly registry: Registry;
  readonly store: Store;
}

type Parts = ReturnType<typeof assemble>;

function assemble({ config, program, log, plugins, registry, store }: Materials) {
  const { values } = config;
  const trust = createTrust(!store.shared);
  const settings = workerSettings(config, plugins, trust.until, sessionsThatFit(config, log));
  const templates = createTemplates({
    spawn: () => spawnChild(isCompiled ? undefined : program.mainPath, [templateProcessFlag]),
    processes: values.template_processes,
    settings: { ...settings, pluginSettings: settingsOfEngines(config, registry) },
    log,
    limitMs: values.template_seconds * 1000,
    memoryBytes: values.template_memory_mb * 1024 * 1024,
  });
  const pool = createPool({
    threadEntry: program.threadEntry,
    threads: values.device_threads,
    settings,
    templates,
    log,
    answer: (question) => answerThread(store, question),
  });
  const admission = createAdmission(admissionLimits(config), createCollect());
  const jobEvents = createJobEvents();
  const backlog = createBacklog({ maxQueued: values.max_queued, maxQueuedPerKey: values.max_queued_per_key });
  const loginGate = createLoginGate({
    failures: values.auth_failures,
    backoffMs: values.auth_backoff_seconds * 1000,
    perSecond: values.logins_per_second,
  });
  const iso = createIso(config.timeZone);
  const node = { name: values.node ?? hostname(), hostname: hostname(), pid: process.pid };
  const scheduler = createScheduler({
    store,
    pool,
    backlog,
    jobEvents,
    log,
    loginGate,
    trust,
    iso,
    node,
    slots: values.slots,
    auditMs: values.audit_days * 86_400_000,
  });
  const jobs = createJobs({
    store,
    pool,
    plugins: registry,
    pluginSettings: config.pluginSettings,
    backlog,
    jobEvents,
    loginGate,
    iso,
    node,
    resultTtlMs: values.result_hours * 3_600_000,
    maxBulk: values.max_bulk,
    urlAllow: values.url_allow,
    maxBulkBytes: values.max_bulk_mb * mib,
    admission,
    scheduler,
  });
  const app = createHttpApp({
    jobs,
    admission,
    authenticate: createAuthenticate({ keys: store.keys }),
    log,
    apiVersion,
    maxBodyBytes: values.max_body_mb * mib,
    keyInQuery: values.key_in_query,
    behindProxy: values.behind_proxy,
  });
  return {
    app,
    pool,
    scheduler,
    warm() {
      pool.warm();
      templates.warm();
    },
  };
}

const mib = 1024 * 1024;

async function answerThread(store: Store, question: ThreadQuestion): Promise<unknown> {
  switch (question.about) {
    case "knownHostKeys":
      return store.hostKeys.known(question.host, question.port, question.way);
    case "learnHostKey":
      return store.hostKeys.learn(question.host, question.port, question.key, question.way);
  }
}

/** Templates are hostile: of all settings of plugins, their process gets those of engines only. */
function settingsOfEngines({ pluginSettings }: Config, registry: Registry): PluginSettingsSource {
  return ofPlugins(pluginSettings, registry.list("template"));
}

function listenOf(text: string): Listen {
  if (text.startsWith("unix:")) return { unix: text.slice("unix:".length) };
  const at = text.lastIndexOf(":");
  return { hostname: text.slice(0, at).replace(/^\[(.*)\]$/, "$1"), port: Number(text.slice(at + 1)) };
}
