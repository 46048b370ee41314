/** Assembles the scheduler: node lease, dispatcher, recovery, webhooks, maintenance. */

import { pinnedQueue } from "../api/identity.ts";
import type { Discovered } from "../api/inventory/facts.ts";
import { ServiceError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { pause } from "../base/time/deadline.ts";
import type { DetachedAccess } from "../detached/port.ts";
import { createDetachedUpkeep } from "../detached/upkeep.ts";
import type { JobEvents } from "../events/notices.ts";
import type { Takes } from "../history/port.ts";
import type { Backlog, CredentialUse, LoginGate } from "../limits/port.ts";
import type { Pool } from "../pool/port.ts";
import type { LineRecord, Rehearsals } from "../rehearsal/port.ts";
import type { Store } from "../store/port.ts";
import { noTracing } from "../tracing/none.ts";
import type { Tracing } from "../tracing/port.ts";
import { createWebhookDelivery } from "../webhooks/delivery.ts";
import { type Attempt, createCrashCounter, startAttempt, stopErrors } from "./attempt.ts";
import { createDispatcher } from "./dispatcher.ts";
import { createFinisher } from "./finish.ts";
import { type Housekeeping, startHousekeeping } from "./housekeeping.ts";
import { createLanes } from "./lanes.ts";
import { createLeaseKeeper, defaultLeaseTimes } from "./node/node-lease.ts";
import { createPeers } from "./node/peers.ts";
import { createRecovery } from "./node/recovery.ts";
import { createOwnWorkers } from "./node/workers.ts";
import { createPacer } from "./pacing.ts";
import type { LeaseClock, LeaseTimes, RunningJob, Scheduler } from "./port.ts";

export interface SchedulerOptions {
  readonly store: Store;
  readonly pool: Pool;
  readonly backlog: Backlog;
  readonly jobEvents: JobEvents;
  readonly loginGate: LoginGate;
  readonly credentialUse: CredentialUse;
  readonly detached: DetachedAccess;
  readonly log: Log;
  /** Created before the pool, whose threads read it. */
  readonly leaseClock: LeaseClock;
  readonly iso: (ms: number) => string;
  readonly node: { readonly name: string; readonly hostname: string; readonly pid: number };
  /** Maximum number of concurrent jobs. */
  readonly slots: number;
  /** Retention of audit entries. */
  readonly auditMs: number;
  /** How long secrets of failed jobs are kept; default: not at all. */
  readonly retryMs?: number;
  /** Maximum number of events kept. */
  readonly keptEvents: number;
  /** Called with the result of a discovery. */
  readonly discovered?: (discovered: Discovered) => void;
  readonly takes: Takes;
  readonly rehearsals: Rehearsals;
  readonly lineRecord: Pick<LineRecord, "pushed">;
  /** Called every ten seconds and after the drain. Must not reject. */
  readonly beat?: () => Promise<void>;
  /** Default: no tracing. */
  readonly tracing?: Pick<Tracing, "attempt">;
  readonly times?: LeaseTimes;
}

const expiryMs = 1_000;
const homeMs = 10_000;
class NameTaken extends ServiceError {
  constructor(name: string) {
    super(
      "Unavailable",
      `The node name "${name}" is in use by another process on this store. Give this one another name (PATCHBAY_NODE), or wait until the lease has expired.`,
    );
  }
}

/** Time for stopped jobs to log out and be recorded. */
const cutMs = 2_000;

export function createScheduler(options: SchedulerOptions): Scheduler {
  const { store, pool, backlog, jobEvents, loginGate, detached, log, leaseClock, iso, node, slots } = options;
  const { credentialUse } = options;
  const times = options.times ?? defaultLeaseTimes;
  const lanes = createLanes();
  const crashes = createCrashCounter();
  const stopping = new AbortController();
  let draining = false;
  let started = false;
  /** A newer program has upgraded the database. */
  let outdated = false;
  let housekeeping: Housekeeping | undefined;
  let expiryTimer: ReturnType<typeof setInterval> | undefined;
  let homeTimer: ReturnType<typeof setInterval> | undefined;
  const leaseKeeper = createLeaseKeeper({
    store,
    facts: { ...node, home: store.home.id },
    times,
    leaseClock,
    log,
    // Nothing may be sent: close sessions; running jobs fail at their next write.
    onLeaseLapsed() {
      for (const attempt of dispatcher.running()) attempt.leaseLapsed();
      void pool.evict();
    },
    onDeclaredDead,
    onLeaseRestored: () =>
      void peers.resync().catch((error) => log.warn("resync.failed", { reason: String(error) })),
  });
  const current = () => leaseKeeper.current();
  const attemptTools = {
    ...{ pool, store, detached, live: jobEvents.live, log },
    ...{ loginGate, credentialUse, leaseClock, crashes, tracing: options.tracing ?? noTracing },
    discovered: options.discovered,
    takes: options.takes,
    rehearsals: options.rehearsals,
    lineRecord: options.lineRecord,
  };
  const webhookDelivery = createWebhookDelivery({ store, pool, log, iso, lease: current });
  const onEnded = webhookDelivery.wake;
  const finish = createFinisher({ store, jobEvents, log, signal: stopping.signal, onEnded });
  const recovery = createRecovery({ store, lanes, backlog, jobEvents, log, onEnded });
  store.recovery.onDamagedEnded(({ id, bulkId, hasWebhook }) => {
    log.error("job.damaged", { job: id });
    jobEvents.announceEnd({ id, bulkId, status: "failed", errorType: "Internal" });
    if (hasWebhook) onEnded();
  });
  const ownWorkers = createOwnWorkers({
    node: node.name,
    fifoWorkers: pool.threads,
    now: store.clock.wall,
    running: () => dispatcher.running(),
    sessions: pool.sessions,
    suspended: () => draining,
  });
  const dispatcher = createDispatcher({
    store,
    lanes,
    backlog,
    leaseClock,
    log,
    slots,
    fifoWorkers: pool.threads,
    lease: current,
    start: (job) => startAttempt(job, { ...attemptTools, finish }),
    onEnd: ownWorkers.onEnd,
  });
  const pacer = createPacer({
    store,
    backlog,
    jobEvents,
    log,
    onQueued: (jobs) => dispatcher.queued(jobs),
    onEnded,
  });
  const peers = createPeers({
    ...{ store, pacer, lanes, backlog, dispatcher, recovery, ownWorkers },
    node,
    log,
    times,
    lease: current,
    leaseHeldMs: leaseKeeper.heldMs,
    onStopWorkers,
    sessionQueues: () => new Set(pool.sessions().map((session) => pinnedQueue(session.host))),
  });

  function onDeclaredDead(): void {
    dispatcher.forgetQueues(dispatcher.heldQueues());
    const declaredDead = new ServiceError(
      "WorkerLost",
      "This node was declared dead; its jobs were given to others.",
    );
    for (const attempt of dispatcher.running()) attempt.stop("lease", declaredDead);
    void pool.evict();
  }

  function onStopWorkers(names: readonly string[]): void {
    const stopped = new Set(names);
    for (const attempt of dispatcher.running())
      if (stopped.has(attempt.job.worker)) attempt.stop("worker", stopErrors.worker());
    for (const { host } of pool.sessions())
      if (stopped.has(`${node.name}.${pinnedQueue(host)}`)) void pool.evict(host);
  }

  function halt(): void {
    draining = true;
    clearInterval(expiryTimer);
    clearInterval(homeTimer);
    housekeeping?.stop();
    peers.stop();
    pacer.stop();
    dispatcher.pause();
  }

  async function startNode(): Promise<void> {
    const lease = await leaseKeeper.acquire();
    if (!lease) throw new NameTaken(node.name);
    if (!store.shared) await store.nodes.retireOthers(lease);
    const recovered = await recovery.orphans();
    if (recovered > 0) log.warn("recovery.done", { jobs: recovered });
    await store.recovery.clearDeadNodes();
    await recovery.expired();
    await pacer.lookAtAll();
    await peers.start();
    if (draining) return peers.stop();
    started = true;
    expiryTimer = setInterval(() => {
      // On a shared store polls decide; on a file all waiting jobs are counted.
      if (store.shared || backlog.total() === 0) return;
      recovery.expired().catch((error) => log.warn("expiry.failed", { reason: String(error) }));
    }, expiryMs);
    homeTimer = setInterval(advanceHome, homeMs);
    const lookAfterDetached = createDetachedUpkeep({ store, detached, log, signal: stopping.signal });
    const { auditMs, keptEvents, retryMs = 0 } = options;
    housekeeping = startHousekeeping({ store, log, auditMs, retryMs, keptEvents, lookAfterDetached });
    webhookDelivery.wake();
    dispatcher.wake();
  }

  /** Marks the database as newer than any earlier copy. */
  async function advanceHome(): Promise<void> {
    await lookForUpgrade().catch((error) => log.warn("upgrade.not_checked", { reason: String(error) }));
    await store.home.advance().catch((error) => log.warn("home.failed", { reason: String(error) }));
    await options.beat?.();
  }

  /** What this program would do to a schema that it does not know is not known: jobs that run end, no other begins. */
  async function lookForUpgrade(): Promise<void> {
    const steps = outdated ? [] : await store.newer();
    if (steps.length === 0) return;
    outdated = true;
    dispatcher.pause();
    log.error("store.newer", {
      steps,
      note: "Restart the service with the program that upgraded the database.",
    });
  }

  async function startUntilStarted(): Promise<void> {
    for (
      let waitMs = times.renewMs / 10;
      !stopping.signal.aborted;
      waitMs = Math.min(times.renewMs, waitMs * 2)
    ) {
      await pause(waitMs, stopping.signal);
      if (draining) return;
      try {
        await startNode();
        return log.info("node.started_late");
      } catch (error) {
        log.warn("node.start_failed", { reason: String(error) });
      }
    }
  }

  async function ended(withinMs: number): Promise<boolean> {
    const allEnded = Promise.all(dispatcher.running().map((attempt) => attempt.done)).then(() => true);
    return Promise.race([allEnded, pause(withinMs).then(() => false)]);
  }

  return {
    async start() {
      try {
        await startNode();
      } catch (error) {
        if (error instanceof NameTaken) throw error;
        // Submissions get 503 until the start succeeds.
        log.warn("node.start_failed", { reason: String(error) });
        void startUntilStarted();
      }
    },
    onQueued(jobs) {
      peers.submitted();
      dispatcher.queued(jobs);
    },
    onHeld: pacer.held,
    onStop(ids) {
      for (const id of ids) dispatcher.stop(id, "cancel", stopErrors.cancel());
    },
    onEnded,
    ownWorkers: ownWorkers.states,
    onStopWorkers,
    notReady: () => [
      ...(draining ? ["the service is stopping"] : []),
      ...(outdated
        ? ["the database was upgraded by a newer version of Patchbay: restart the service with that version"]
        : []),
      ...(started || draining ? [] : ["this node has not started working yet"]),
      ...(!started || leaseClock.isValid() ? [] : ["the lease of this node has expired"]),
    ],
    lease: current,
    sweep: async () => housekeeping?.sweep(),
    running: () => runningJobs(dispatcher.running()),
    dropped: finish.dropped,
    async drain(forMs) {
      halt();
      const lease = leaseKeeper.current();
      if (lease)
        await store.nodes
          .setState(lease, "draining")
          .catch((error) => log.warn("drain.not_recorded", { reason: String(error) }));
      if (!(await ended(forMs))) {
        const stopError = new ServiceError("WorkerLost", "The service stopped while the job was running.");
        log.warn("drain.cut", { jobs: dispatcher.running().length });
        for (const attempt of dispatcher.running()) attempt.stop("drain", stopError);
        await ended(cutMs);
      }
      stopping.abort();
      await webhookDelivery.stop();
      await advanceHome();
      await leaseKeeper.release().catch((error) => log.warn("drain.not_recorded", { reason: String(error) }));
    },
    abandon() {
      halt();
      leaseKeeper.abandon();
      stopping.abort();
      void webhookDelivery.stop();
    },
  };
}

function runningJobs(attempts: readonly Attempt[]): RunningJob[] {
  return attempts
    .map(({ job, startedMs, intentRecorded }) => ({
      id: job.fence.id,
      driver: job.driver,
      operation: job.operation,
      attempt: job.fence.attempt,
      ageMs: Math.round(performance.now() - startedMs),
      sent: intentRecorded(),
    }))
    .sort((a, b) => b.ageMs - a.ageMs);
}
