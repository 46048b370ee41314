/** Everything that runs by itself, put together: the node's life, the dispatcher, recovery, the courier, upkeep. */
import { ServiceError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { Backlog } from "../jobs/backlog.ts";
import type { Ends } from "../jobs/ends.ts";
import type { QueuedJob } from "../jobs/submit.ts";
import type { NodeLife } from "../store/claims.ts";
import type { Store } from "../store/store.ts";
import type { Pool } from "../threads/api.ts";
import { type LoginGate, startAttempt } from "./attempt.ts";
import { createDispatcher } from "./dispatcher.ts";
import { createFinish } from "./finish.ts";
import { createLanes } from "./lanes.ts";
import { createLife, defaultLifeTimes, type LifeTimes } from "./life.ts";
import { createRecovery } from "./recovery.ts";
import type { Trust } from "./trust.ts";

export interface SchedulerOptions {
  readonly store: Store;
  readonly pool: Pool;
  readonly backlog: Backlog;
  readonly ends: Ends;
  readonly log: Log;
  /** Made before the pool, whose threads read it. */
  readonly trust: Trust;
  readonly node: { readonly name: string; readonly hostname: string; readonly pid: number };
  /** Jobs that run at once. */
  readonly slots: number;
  readonly times?: LifeTimes | undefined;
}

export interface Scheduler {
  /** Begins the node's life, recovers what an earlier one left, and starts to work. */
  start(): Promise<void>;
  queued(jobs: readonly QueuedJob[]): void;
  /** Stops jobs that run on this node; others' are told by the store. */
  stopJobs(ids: readonly string[]): void;
  /** A webhook became due. */
  nudgeCourier(): void;
  life(): NodeLife | undefined;
  /** Claims nothing more, lets running jobs end within the time, then cuts them. */
  drain(forMs: number): Promise<void>;
  /** Stops at once and tells the store nothing, as a killed process does. */
  abandon(): Promise<void>;
}

const expiryMs = 1_000;
const openGate: LoginGate = {
  enter: async () => ({ accepted() {}, failed() {}, leave() {} }),
};

export function createScheduler(options: SchedulerOptions): Scheduler {
  const { store, pool, backlog, ends, log, trust, node, slots } = options;
  const lanes = createLanes();
  const stopping = new AbortController();
  const onEnded = () => {};
  const finish = createFinish({ store, ends, log, signal: stopping.signal, onEnded });
  const recovery = createRecovery({ store, lanes, backlog, ends, log, onEnded });
  const dispatcher = createDispatcher({
    store,
    lanes,
    backlog,
    trust,
    log,
    slots,
    fifoWorkers: pool.threads,
    life: () => life.current(),
    start: (job) => startAttempt(job, { pool, store, finish, log, gate: openGate }),
    onEnd() {},
  });
  const life = createLife({
    store,
    facts: { ...node, home: store.home },
    times: options.times ?? defaultLifeTimes,
    trust,
    log,
    onTrustLost: () => void pool.evict(),
    onDeclaredDead() {
      dispatcher.forget(dispatcher.held());
      const lost = new ServiceError(
        "WorkerLost",
        "This node was declared dead and its jobs were given to others.",
      );
      for (const attempt of dispatcher.running()) attempt.stop("lease", lost);
    },
    onTrusted: () => dispatcher.nudge(),
  });
  let expiry: ReturnType<typeof setInterval> | undefined;

  async function resync(): Promise<void> {
    const [counts, queued] = [await store.jobs.lanesAfter(0), await store.jobs.queuedByCaller()];
    lanes.resync(counts);
    backlog.reset(queued);
  }

  return {
    async start() {
      await life.begin();
      const left = await recovery.orphans();
      await store.recovery.forgetLives();
      await resync();
      if (left > 0) log.info("recovery.done", { jobs: left });
      expiry = setInterval(() => {
        recovery.expired().catch((error) => log.warn("expiry.failed", { reason: String(error) }));
      }, expiryMs);
      dispatcher.nudge();
    },
    queued: dispatcher.queued,
    stopJobs(ids) {
      for (const id of ids)
        dispatcher.stop(id, "cancel", new ServiceError("Cancelled", "The job was cancelled."));
    },
    nudgeCourier: onEnded,
    life: () => life.current(),
    async drain(forMs) {
      clearInterval(expiry);
      dispatcher.pause();
      const all = () => Promise.all(dispatcher.running().map((attempt) => attempt.done));
      await Promise.race([all(), new Promise((resolve) => setTimeout(resolve, forMs))]);
      const cut = new ServiceError("WorkerLost", "The service stopped while the job was running.");
      for (const attempt of dispatcher.running()) attempt.stop("drain", cut);
      await Promise.race([all(), new Promise((resolve) => setTimeout(resolve, 2_000))]);
      stopping.abort();
      await life.end();
    },
    async abandon() {
      clearInterval(expiry);
      dispatcher.pause();
      life.abandon();
      stopping.abort();
    },
  };
}
