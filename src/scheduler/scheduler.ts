/** Everything that runs by itself, put together: the node's life, the dispatcher, recovery, the courier, upkeep. */
import { pause } from "../base/deadline.ts";
import { ServiceError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { pinnedQueue } from "../model/identity.ts";
import type { Pool } from "../pool/port.ts";
import type { Backlog } from "../queue/backlog.ts";
import type { JobEvents } from "../queue/job-events.ts";
import type { LoginGate } from "../queue/login-gate.ts";
import type { QueueListener } from "../queue/port.ts";
import type { NodeLife } from "../store/libsql/claims.ts";
import type { Store } from "../store/libsql/store.ts";
import { createDeaths, startAttempt, stopErrors } from "./attempt.ts";
import { createDispatcher } from "./dispatcher.ts";
import { createFinish } from "./finish.ts";
import { type Housekeeping, startHousekeeping } from "./housekeeping.ts";
import { createLanes } from "./lanes.ts";
import type { Trust } from "./lease-clock.ts";
import { createLife, defaultLifeTimes, type LifeTimes } from "./node-lease.ts";
import { createNeighbours } from "./peers.ts";
import { createRecovery } from "./recovery.ts";
import { createCourier } from "./webhook-delivery.ts";
import { createOwnWorkers } from "./workers.ts";

export interface SchedulerOptions {
  readonly store: Store;
  readonly pool: Pool;
  readonly backlog: Backlog;
  readonly jobEvents: JobEvents;
  readonly loginGate: LoginGate;
  readonly log: Log;
  /** Made before the pool, whose threads read it. */
  readonly trust: Trust;
  readonly iso: (ms: number) => string;
  readonly node: { readonly name: string; readonly hostname: string; readonly pid: number };
  /** Jobs that run at once. */
  readonly slots: number;
  /** Audit entries are kept this long. */
  readonly auditMs: number;
  readonly times?: LifeTimes | undefined;
}

export interface Scheduler extends QueueListener {
  /** Begins the node's life, recovers what an earlier one left, and starts to work. */
  start(): Promise<void>;
  life(): NodeLife | undefined;
  /** Runs the upkeep now. */
  sweep(): Promise<void>;
  /** Results that came after their claim was gone and were dropped. */
  dropped(): number;
  /** Claims nothing more, lets running jobs end within the time, then cuts them. */
  drain(forMs: number): Promise<void>;
  /** Stops at once and tells the store nothing, as a killed process does. */
  abandon(): void;
}

const expiryMs = 1_000;
const homeMs = 10_000;
class NameTaken extends ServiceError {
  constructor(name: string) {
    super(
      "Unavailable",
      `The node name "${name}" is in use by another process on this store. Give this one another name (PATCHBAY_NODE), or wait until its lease is over.`,
    );
  }
}

/** What was cut gets this long to be logged out of and recorded. */
const cutMs = 2_000;

export function createScheduler(options: SchedulerOptions): Scheduler {
  const { store, pool, backlog, jobEvents, loginGate, log, trust, iso, node, slots } = options;
  const times = options.times ?? defaultLifeTimes;
  const lanes = createLanes();
  const deaths = createDeaths();
  const stopping = new AbortController();
  let draining = false;
  let started = false;
  let housekeeping: Housekeeping | undefined;
  let expiry: ReturnType<typeof setInterval> | undefined;
  let homeward: ReturnType<typeof setInterval> | undefined;
  const life = createLife({
    store,
    facts: { ...node, home: store.home.id },
    times,
    trust,
    log,
    // Nothing may be sent: sessions are closed, and what runs finds out at its next byte.
    onTrustLost() {
      for (const attempt of dispatcher.running()) attempt.lapse();
      void pool.evict();
    },
    onDeclaredDead,
    onTrusted: () =>
      void neighbours.resync().catch((error) => log.warn("resync.failed", { reason: String(error) })),
  });
  const current = () => life.current();
  const courier = createCourier({ store, pool, log, iso, life: current });
  const onEnded = courier.nudge;
  const finish = createFinish({ store, jobEvents, log, signal: stopping.signal, onEnded });
  const recovery = createRecovery({ store, lanes, backlog, jobEvents, log, onEnded });
  const own = createOwnWorkers({
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
    trust,
    log,
    slots,
    fifoWorkers: pool.threads,
    life: current,
    start: (job) => startAttempt(job, { pool, store, finish, log, loginGate, trust, deaths }),
    onEnd: own.onEnd,
  });
  const neighbours = createNeighbours({
    store,
    lanes,
    backlog,
    dispatcher,
    recovery,
    own,
    node,
    log,
    times,
    life: current,
    onStopWorkers,
    sessionQueues: () => new Set(pool.sessions().map((session) => pinnedQueue(session.host))),
  });

  function onDeclaredDead(): void {
    dispatcher.forget(dispatcher.held());
    const lost = new ServiceError(
      "WorkerLost",
      "This node was declared dead; its jobs were given to others.",
    );
    for (const attempt of dispatcher.running()) attempt.stop("lease", lost);
    void pool.evict();
  }

  function onStopWorkers(names: readonly string[]): void {
    const wanted = new Set(names);
    for (const attempt of dispatcher.running())
      if (wanted.has(attempt.job.worker)) attempt.stop("worker", stopErrors.worker());
    for (const { host } of pool.sessions())
      if (wanted.has(`${node.name}.${pinnedQueue(host)}`)) void pool.evict(host);
  }

  function halt(): void {
    draining = true;
    clearInterval(expiry);
    clearInterval(homeward);
    housekeeping?.stop();
    neighbours.stop();
    dispatcher.pause();
  }

  async function begin(): Promise<void> {
    const begun = await life.begin();
    if (!begun) throw new NameTaken(node.name);
    if (!store.shared) await store.nodes.buryOthers(begun);
    const left = await recovery.orphans();
    if (left > 0) log.warn("recovery.done", { jobs: left });
    await store.recovery.forgetLives();
    await recovery.expired();
    await neighbours.start();
    if (draining) return neighbours.stop();
    started = true;
    expiry = setInterval(() => {
      recovery.expired().catch((error) => log.warn("expiry.failed", { reason: String(error) }));
    }, expiryMs);
    homeward = setInterval(advanceHome, homeMs);
    housekeeping = startHousekeeping({ store, log, auditMs: options.auditMs });
    courier.nudge();
    dispatcher.nudge();
  }

  /** A copy that was taken before is behind from now on. */
  async function advanceHome(): Promise<void> {
    await store.home.advance().catch((error) => log.warn("home.failed", { reason: String(error) }));
  }

  async function beginUntilBegun(): Promise<void> {
    for (
      let waitMs = times.renewMs / 10;
      !stopping.signal.aborted;
      waitMs = Math.min(times.renewMs, waitMs * 2)
    ) {
      await pause(waitMs, stopping.signal);
      if (draining) return;
      try {
        await begin();
        return log.info("node.started_late");
      } catch (error) {
        log.warn("node.start_failed", { reason: String(error) });
      }
    }
  }

  async function ended(withinMs: number): Promise<boolean> {
    const all = Promise.all(dispatcher.running().map((attempt) => attempt.done)).then(() => true);
    return Promise.race([all, pause(withinMs).then(() => false)]);
  }

  return {
    async start() {
      try {
        await begin();
      } catch (error) {
        if (error instanceof NameTaken) throw error;
        // Nothing is taken until it has begun: submissions are answered with 503 meanwhile.
        log.warn("node.start_failed", { reason: String(error) });
        void beginUntilBegun();
      }
    },
    onQueued(jobs) {
      neighbours.submitted(jobs);
      dispatcher.queued(jobs);
    },
    onStop(ids) {
      for (const id of ids) dispatcher.stop(id, "cancel", stopErrors.cancel());
    },
    onEnded,
    ownWorkers: own.states,
    onStopWorkers,
    notReady: () => [
      ...(draining ? ["the service is stopping"] : []),
      ...(started || draining ? [] : ["this node has not begun to work yet"]),
      ...(!started || trust.lasts() ? [] : ["the lease of this node has ended"]),
    ],
    life: current,
    sweep: async () => housekeeping?.sweep(),
    dropped: finish.dropped,
    async drain(forMs) {
      halt();
      const begun = life.current();
      if (begun)
        await store.nodes
          .setState(begun, "draining")
          .catch((error) => log.warn("drain.untold", { reason: String(error) }));
      if (!(await ended(forMs))) {
        const cut = new ServiceError("WorkerLost", "The service stopped while the job was running.");
        log.warn("drain.cut", { jobs: dispatcher.running().length });
        for (const attempt of dispatcher.running()) attempt.stop("drain", cut);
        await ended(cutMs);
      }
      stopping.abort();
      await courier.stop();
      await advanceHome();
      await life.end().catch((error) => log.warn("drain.untold", { reason: String(error) }));
    },
    abandon() {
      halt();
      life.abandon();
      stopping.abort();
      void courier.stop();
    },
  };
}
