/** The service, from start to graceful shutdown. */

import { join } from "node:path";
import { builtins } from "../../plugins/index.ts";
import { makeApiKey } from "../auth/make-key.ts";
import { givenRights } from "../auth/port.ts";
import { hasRight } from "../auth/rights.ts";
import { freezeIntrinsics } from "../base/intrinsics.ts";
import type { Log } from "../base/log.ts";
import { storeBudgetMs } from "../base/time/time-budget.ts";
import { version } from "../base/version.ts";
import type { Config } from "../config/config.ts";
import type { HttpApp } from "../http/port.ts";
import { createMetrics } from "../metrics/metrics.ts";
import type { Pool } from "../pool/port.ts";
import { findPlugins, forgetModules } from "../registry/discover.ts";
import { type ReloadableRegistry, reloadable } from "../registry/reloadable.ts";
import { unusedSettings } from "../registry/settings.ts";
import { type HttpServer, type Listen, serve, type TlsIdentity } from "../runtime/net/serve.ts";
import type { Actor, Store, StoredKey } from "../store/port.ts";
import { assemble } from "./assemble.ts";
import { type ScheduledBackups, startScheduledBackups } from "./backup/scheduled.ts";
import { checkSettings, groupNumber, settingWarnings } from "./check.ts";
import { connectionsThatFit } from "./descriptors.ts";
import { createPluginCopies, type PluginCopies } from "./plugins/copies.ts";
import { loadPlugins } from "./plugins/plugins.ts";
import type { Program } from "./program.ts";
import { createStartupGate } from "./startup-gate.ts";
import { closeStore, openStore } from "./storage/store.ts";
import { watchIdentity } from "./tls/renewal.ts";
import { loadIdentity } from "./tls/tls.ts";

export interface RunningService {
  readonly url: string;
  /** The first API key, if this start generated it. */
  readonly madeKey: string | undefined;
  /** Whether the HTTP API answers a request of the service itself. */
  answers(): Promise<boolean>;
  /** Whether it accepts work. */
  ready(): boolean;
  /** Reloads plugins and the certificate; running jobs keep their plugins. */
  reload(): Promise<void>;
  /** Logs what is running and waiting. */
  dump(): Promise<void>;
  /** Accepts nothing more, lets running jobs finish, aborts the rest. */
  stop(drainMs: number): Promise<void>;
}

/** Time for responses in progress at shutdown. */
const answersMs = 2_000;

/** @throws ServiceError what is wrong with the settings, the address, or the data directory */
export async function startService(config: Config, program: Program, log: Log): Promise<RunningService> {
  checkSettings(config);
  for (const warning of settingWarnings(config)) log.warn("setting.weak", { warning });

  const metrics = createMetrics(version);
  const plugins = await findPlugins(config.values.plugins);
  if (plugins.length > 0) freezeIntrinsics();
  const opening = openStore(config, log, { answered: metrics.storeAnswered });
  const copies = createPluginCopies(join(config.values.data_dir, "plugins.loaded"), log, opening);
  const [{ registry: found, modules }, store] = await Promise.all([
    loadPlugins(config, log, program, plugins, { copies }),
    opening,
  ]);
  copies.use(modules);
  const registry = reloadable(found);
  for (const name of unusedSettings(config.pluginSettings, registry.all()))
    log.warn("config.unused", { setting: name, reason: "it is not a setting of any plugin" });

  const app = Promise.withResolvers<HttpApp>();
  let server: HttpServer | undefined;
  let backups: ScheduledBackups | undefined;
  try {
    // Before a key is created or a job accepted: of two services with one address only one may do anything.
    const identity = await loadIdentity(config);
    server = await listen(config, identity, app.promise, log);
    logCopy(store, log);
    for (const reason of await store.doubts()) log.warn("store.not_durable", { reason });
    const madeKey = await ensureFirstKey(config, store);

    backups = startScheduledBackups(config, program, log);
    const parts = assemble({ config, program, log, plugins: modules, registry, store, metrics, backups });
    await parts.scheduler.start();
    parts.schedules.start();
    parts.historyRunner.start();
    parts.checkpoints.start();
    parts.changeRunner.start();
    parts.driftRunner.start();
    parts.recipeRunner.start();
    void parts.webhooks.beat();
    app.resolve(parts.app);

    const { url, stop: closeDoor } = server;
    const tls = watchIdentity(config, log, server, identity);
    return {
      url,
      madeKey,
      answers: () => answers(parts.app),
      ready: () => parts.scheduler.notReady().length === 0,
      async reload() {
        await reloadPlugins(config, program, log, { registry, pool: parts.pool, copies });
        await tls.renew();
      },
      async dump() {
        log.info("service.dump", await parts.dump());
      },
      async stop(drainMs) {
        // The listener closes last: callers see their jobs end and that nothing more is accepted.
        tls.stop();
        backups?.stop();
        await Promise.all([
          ...[parts.schedules.stop(), parts.historyRunner.stop(), parts.remotes.stop()],
          ...[parts.checkpoints.stop(), parts.changeRunner.stop()],
          ...[parts.driftRunner.stop(), parts.recipeRunner.stop()],
        ]);
        await parts.scheduler.drain(drainMs);
        await parts.webhooks.stop();
        await closeDoor(answersMs);
        await parts.pool.close();
        parts.garbage.stop();
        metrics.stop();
        await parts.tracing.stop();
        await copies.close();
        await closeStore(store);
      },
    };
  } catch (error) {
    backups?.stop();
    await server?.stop(0);
    await copies.close();
    await closeStore(store);
    throw error;
  }
}

function listen(
  { values }: Config,
  tls: TlsIdentity | undefined,
  app: Promise<HttpApp>,
  log: Log,
): Promise<HttpServer> {
  const connections = connectionsThatFit(values);
  return serve({
    tls,
    listen: { ...addressOf(values.listen), ...socketOf(values) },
    // Our own limit answers with the envelope and covers chunked bodies; Bun's would answer without the envelope.
    maxBodyBytes: Number.MAX_SAFE_INTEGER,
    privateFolder: join(values.data_dir, "tls"),
    connections,
    onFull: (from) =>
      log.warn("connections.full", {
        from,
        most: connections,
        note: "All open ones are waiting for responses.",
      }),
    fetch: createStartupGate(app, log, values.database_url ? storeBudgetMs.server : storeBudgetMs.file),
  });
}

function socketOf({ socket_mode, socket_group }: Config["values"]): Pick<Listen, "mode" | "group"> {
  return { mode: Number.parseInt(socket_mode, 8), group: groupNumber(socket_group) };
}

/** `<address>:<port>` or `unix:<path>`; the settings have been validated. */
function addressOf(text: string): Listen {
  if (text.startsWith("unix:")) return { unix: text.slice("unix:".length) };
  const at = text.lastIndexOf(":");
  return { hostname: text.slice(0, at).replace(/^\[(.*)\]$/, "$1"), port: Number(text.slice(at + 1)) };
}

/** Calls the API in process: over TLS, a client certificate may be required that the service does not have. */
async function answers(app: HttpApp): Promise<boolean> {
  const nothing = () => undefined;
  const connection = { from: null, extendTimeout: nothing, restoreTimeout: nothing };
  return (await app.fetch(new Request("http://localhost/livez"), connection)).ok;
}

function logCopy({ home }: Store, log: Log): void {
  if (home.copied === undefined) return;
  const { why, held, sending } = home.copied;
  log.warn("store.copied", {
    why,
    held,
    failed: sending,
    note: "Held jobs may have run where they come from. POST /job/release?reason=held lets them run, DELETE /job?id= cancels one.",
  });
}

/** Reads plugins again from their folders; of one that is now rejected the former version stays, and the log says why. */
async function reloadPlugins(
  config: Config,
  program: Program,
  log: Log,
  { registry, pool, copies }: { registry: ReloadableRegistry; pool: Pool; copies: PluginCopies },
): Promise<void> {
  const plugins = await findPlugins(config.values.plugins);
  if (plugins.length > 0) freezeIntrinsics();
  const { registry: next, modules } = await loadPlugins(config, log, program, plugins, {
    copies,
    before: (sound) => forgetModules([...copies.used(), ...sound]),
  });
  copies.use(modules);
  registry.replace(next);
  pool.reload(modules);
  log.info("plugins.reloaded", {
    taken: next.all().length - builtins.length,
    refused: next.refusals().length,
  });
}

/** The first API key: taken from the settings, or generated once and shown to the operator. */
const atStart: Actor = { keyId: "start", name: "patchbay", from: null };

/** @returns the clear key if one was generated: it is shown once and stored only as a hash. */
async function ensureFirstKey(config: Config, store: Store): Promise<string | undefined> {
  const configuredKey = config.values.api_key?.reveal();
  if (configuredKey !== undefined) {
    const found = await store.keys.find(configuredKey);
    if (found === undefined) await addUnderFreeName(store, "configured", configuredKey);
    else if (!hasAllRights(found)) await store.keys.change(found.id, { rights: givenRights }, atStart);
    return undefined;
  }
  if ((await store.keys.list()).length > 0) return undefined;
  const key = makeApiKey();
  await store.keys.add({ ...ofOperator, name: "first", key }, atStart);
  return key;
}

/** The key of who runs the service. */
const ofOperator = { scope: "admin", hosts: [], rights: givenRights };

/** True also for a configured key that was made for less. */
function hasAllRights(key: StoredKey): boolean {
  const isOfOperator = key.scope === ofOperator.scope && key.hosts.length === 0;
  return !isOfOperator || givenRights.every((right) => hasRight(key, right));
}

/** A changed key in the settings gets a new name; the old one stays valid until it is revoked. */
async function addUnderFreeName(store: Store, base: string, key: string): Promise<void> {
  const taken = new Set((await store.keys.list()).map((key) => key.name));
  for (let n = 1; ; n++) {
    const name = n === 1 ? base : `${base}-${n}`;
    if (taken.has(name)) continue;
    await store.keys.add({ ...ofOperator, name, key }, atStart);
    return;
  }
}
