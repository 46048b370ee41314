/**
 * Queues held jobs when their time has come or the limits of their bulk allow it. Runs after each ended job of a bulk,
 * on a timer, at the start, and periodically, because another node may have died before doing it.
 */

import type { JobResult } from "../api/jobs/job.ts";
import type { Log } from "../base/log.ts";
import { createBoundedCache } from "../base/share/bounded-cache.ts";
import { pause } from "../base/time/deadline.ts";
import type { JobEvents } from "../events/notices.ts";
import type { QueuedJob } from "../jobs/port.ts";
import type { Backlog } from "../limits/port.ts";
import type { Actor, JobHead, StoppedBulk, Store } from "../store/port.ts";

export interface Pacer {
  /** Jobs were held, until a time or for this bulk. */
  held(bulkId: string | null): void;
  /** Checks all held jobs, and queues those that may start. */
  lookAtAll(): Promise<void>;
  stop(): void;
}

export interface PacerTools {
  readonly store: Pick<Store, "pacing" | "jobs" | "settlements">;
  readonly backlog: Backlog;
  readonly jobEvents: JobEvents;
  readonly log: Log;
  /** Called for jobs that were queued. */
  onQueued(jobs: readonly QueuedJob[]): void;
  /** A webhook became due. */
  onEnded(): void;
}

const retryMs = 500;
/** Timers are limited to 24 days; an early one checks again. */
const maxMs = 3_600_000;
const cancelledAtOnce = 1_000;
const itself: Actor = { name: "patchbay", keyId: "max_failures", from: null };

/** A reason without counts or key names: the reader may not see other jobs of the bulk. */
function toldOf(because: string): string {
  return because.startsWith("max_failures") ? "max_failures of its jobs have failed" : "it was cancelled";
}

export function createPacer({ store, backlog, jobEvents, log, onQueued, onEnded }: PacerTools): Pacer {
  const { pacing } = store;
  const paced = createBoundedCache<boolean>(10_000);
  const stopping = new AbortController();
  let requestedBulks = new Set<string>();
  let timed = false;
  let running = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function want(bulkId: string | undefined): void {
    if (bulkId === undefined) timed = true;
    else requestedBulks.add(bulkId);
    if (!running) void run();
  }

  async function run(): Promise<void> {
    running = true;
    while ((timed || requestedBulks.size > 0) && !stopping.signal.aborted) {
      const [bulkIds, looksAtTimes] = [[...requestedBulks], timed];
      requestedBulks = new Set();
      timed = false;
      try {
        await poll(bulkIds, looksAtTimes);
      } catch (error) {
        log.warn("pacing.failed", { reason: String(error) });
        for (const id of bulkIds) requestedBulks.add(id);
        timed ||= looksAtTimes;
        await pause(retryMs, stopping.signal);
      }
    }
    running = false;
  }

  async function poll(bulkIds: readonly string[], looksAtTimes: boolean): Promise<void> {
    const paced = new Set<string>();
    for (const id of bulkIds) if (await isPaced(id)) paced.add(id);
    if (looksAtTimes) for (const id of await queueDue()) paced.add(id);
    await fill([...paced]);
  }

  /** @returns bulks whose limits hold back due jobs. */
  async function queueDue(): Promise<string[]> {
    const bulkIds: string[] = [];
    for (;;) {
      const inMs = await pacing.nextInMs();
      if (inMs === undefined || inMs > 0) {
        setTimer(inMs);
        return bulkIds;
      }
      const { queued, bulks } = await pacing.due();
      onQueued(queued);
      bulkIds.push(...bulks);
    }
  }

  async function isPaced(id: string): Promise<boolean> {
    const cached = paced.get(id) ?? (await pacing.isPaced(id));
    paced.set(id, cached);
    return cached;
  }

  async function fill(bulkIds: readonly string[]): Promise<void> {
    if (bulkIds.length === 0) return;
    const { queued, stopped } = await pacing.fill(bulkIds);
    onQueued(queued);
    for (const bulk of stopped) await cancelRest(bulk);
  }

  /** Cancels waiting jobs; running ones continue. */
  async function cancelRest({ id, because }: StoppedBulk): Promise<void> {
    const result: JobResult = {
      type: "failed",
      retval: null,
      error: {
        type: "Cancelled",
        message: `The job was not started, because its bulk was stopped: ${toldOf(because)}.`,
      },
    };
    for (;;) {
      const heads = await store.jobs.heads({ bulkId: id, status: ["queued", "held"] }, cancelledAtOnce);
      if (heads.length === 0) return;
      await cancel(heads, JSON.stringify(result));
    }
  }

  async function cancel(heads: readonly JobHead[], result: string): Promise<void> {
    const cancelled = await store.settlements.cancelQueued(heads, result, itself);
    for (const { share } of cancelled) backlog.add(share, -1);
    const cancelledIds = new Set(cancelled.map(({ id }) => id));
    const ended = heads.filter((job) => cancelledIds.has(job.id));
    for (const { id, bulkId } of ended) jobEvents.announceEnd({ id, bulkId, status: "cancelled" });
    if (ended.some((job) => job.hasWebhook)) onEnded();
  }

  function setTimer(inMs: number | undefined): void {
    clearTimeout(timer);
    if (inMs === undefined || stopping.signal.aborted) return;
    timer = setTimeout(() => want(undefined), Math.min(maxMs, Math.max(1, inMs)));
  }

  jobEvents.onEveryEnd(({ bulkId }) => {
    if (bulkId !== null && paced.get(bulkId) !== false) want(bulkId);
  });

  return {
    held(bulkId) {
      if (bulkId !== null) want(bulkId);
      want(undefined);
    },
    async lookAtAll() {
      await poll(await pacing.waiting(), true);
    },
    stop() {
      stopping.abort();
      clearTimeout(timer);
    },
  };
}
