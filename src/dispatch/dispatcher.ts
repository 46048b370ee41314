/** Claims jobs for free slots in fair order, and starts them. */

import { messageOf, type ServiceError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { pause } from "../base/time/deadline.ts";
import type { QueuedJob } from "../jobs/port.ts";
import type { Backlog } from "../limits/port.ts";
import type { ClaimedJob, ClaimResult, NodeFence, Store } from "../store/port.ts";
import type { Attempt, AttemptEnd, StopReason } from "./attempt.ts";
import type { LanePick, Lanes } from "./lanes.ts";
import type { LeaseClock } from "./port.ts";

export interface Dispatcher {
  /** Jobs were queued; they are at the writer, before any later write. */
  queued(jobs: readonly QueuedJob[]): void;
  wake(): void;
  running(): readonly Attempt[];
  find(id: string): Attempt | undefined;
  stop(id: string, why: StopReason, error: ServiceError): boolean;
  /** Pinned queues held by this node. */
  heldQueues(): ReadonlySet<string>;
  /** Forgets queues that were released, or whose lease has ended. */
  forgetQueues(queues: Iterable<string>): void;
  /** Stops claiming. */
  pause(): void;
  resume(): void;
}

export interface DispatcherTools {
  readonly store: Pick<Store, "claims" | "shared">;
  readonly lanes: Lanes;
  readonly backlog: Backlog;
  readonly leaseClock: LeaseClock;
  readonly log: Log;
  readonly slots: number;
  readonly fifoWorkers: number;
  lease(): NodeFence | undefined;
  start(job: ClaimedJob): Attempt;
  onEnd(attempt: Attempt, ended: AttemptEnd): void;
}

/** Larger claims block the event loop longer than they save. */
const claimMost = 100;
/** Initial batch of jobs submitted elsewhere; small, so that several nodes share a backlog. */
const helpLeast = 4;
const retryMs = 500;
/** Delay for a host held by another node, whose hold ends when the node dies or is idle. */
const foreignMs = 2_000;
/** Delay after a job was requeued because this node lacks something. */
const laterMs = 1_000;

export function createDispatcher(tools: DispatcherTools): Dispatcher {
  const { store, lanes, backlog, leaseClock, log, slots } = tools;
  const running = new Map<string, Attempt>();
  const heldQueues = new Set<string>();
  /** Estimated number of jobs submitted here and not yet claimed. */
  let ownJobs = 0;
  let help = helpLeast;
  let pumping = false;
  let requested = false;
  let paused = false;
  let dueTimer: ReturnType<typeof setTimeout> | undefined;

  function wake(): void {
    requested = true;
    if (!pumping) void pump();
  }

  async function pump(): Promise<void> {
    pumping = true;
    while (requested) {
      requested = false;
      // Claims submissions of the same event loop turn together.
      await null;
      while (await claimSome());
    }
    pumping = false;
    wakeForDeferred();
  }

  async function claimSome(): Promise<boolean> {
    const lease = tools.lease();
    ownJobs = Math.min(ownJobs, lanes.queued());
    const share = store.shared ? ownJobs + help : claimMost;
    const free = Math.min(claimMost, share, slots - running.size);
    if (paused || !lease || !leaseClock.isValid() || free <= 0) return false;
    const picked = lanes.pick(free);
    if (picked.fifo.length === 0 && picked.pinned.length === 0) return false;
    try {
      const unheld = picked.pinned.filter((queue) => !heldQueues.has(queue));
      const claimed = await store.claims.claim(lease, { ...picked, unheld, fifoWorkers: tools.fifoWorkers });
      for (const queue of claimed.taken) heldQueues.add(queue);
      recordClaims(picked, claimed);
      grow(picked, claimed.jobs.length);
      for (const job of claimed.jobs) start(job);
      return true;
    } catch (error) {
      // If the answer to an applied claim was lost, the next check of held claims finds it.
      for (const { lane } of picked.fifo) lanes.release(lane);
      for (const lane of picked.pinned) lanes.release(lane);
      log.warn("claim.failed", { reason: messageOf(error) });
      await pause(retryMs);
      return true;
    }
  }

  /** Doubles the batch after a full claim; resets it if others had claimed the jobs. */
  function grow(picked: LanePick, claimed: number): void {
    const requested = picked.pinned.length + picked.fifo.reduce((sum, { count }) => sum + count, 0);
    if (claimed < requested) help = helpLeast;
    else if (requested > ownJobs) help = Math.min(claimMost, help * 2);
    ownJobs = Math.max(0, ownJobs - claimed);
  }

  function recordClaims(picked: LanePick, { jobs, damaged }: ClaimResult): void {
    const claimedByLane = new Map<string, number>();
    const isClaimed = (lane: string) => claimedByLane.set(lane, (claimedByLane.get(lane) ?? 0) + 1);
    for (const { lane } of jobs) isClaimed(lane);
    for (const { share } of jobs) backlog.add(share, -1);
    // Their callers are not known: the next count of the backlog leaves them out.
    for (const lane of damaged) isClaimed(lane);
    for (const { lane, count } of picked.fifo) lanes.recordClaim(lane, count, claimedByLane.get(lane) ?? 0);
    for (const lane of picked.pinned) {
      if (heldQueues.has(lane)) lanes.recordClaim(lane, 1, claimedByLane.get(lane) ?? 0);
      else lanes.defer(lane, performance.now() + foreignMs);
    }
    // No job runs there.
    for (const lane of damaged) if (picked.pinned.includes(lane)) lanes.release(lane);
  }

  function start(job: ClaimedJob): void {
    const attempt = tools.start(job);
    running.set(job.fence.id, attempt);
    void attempt.done
      .catch((error): AttemptEnd => {
        log.error("attempt.crashed", { job: job.fence.id, reason: String(error) });
        return "dropped";
      })
      .then((ended) => {
        running.delete(job.fence.id);
        if (ended === "requeue" || ended === "requeueLater") putBack(job);
        if (job.strategy === "pinned") lanes.release(job.lane);
        // Other jobs of the lane would fail alike.
        if (ended === "requeueLater")
          lanes.defer(job.lane, performance.now() + laterMs * (1 + Math.random()));
        tools.onEnd(attempt, ended);
        wake();
      });
  }

  function putBack(job: ClaimedJob): void {
    ownJobs++;
    backlog.add(job.share, 1);
    lanes.putBack({
      lane: job.lane,
      strategy: job.strategy,
      share: job.share,
      bulkId: job.bulkId,
      count: 1,
    });
  }

  function wakeForDeferred(): void {
    const nextDueAt = lanes.nextDue();
    clearTimeout(dueTimer);
    if (nextDueAt !== undefined && !paused)
      dueTimer = setTimeout(wake, Math.max(10, nextDueAt - performance.now()));
  }

  return {
    queued(jobs) {
      for (const { lane, strategy, share, bulkId } of jobs)
        lanes.add({ lane, strategy, share, bulkId, count: 1 });
      ownJobs += jobs.length;
      wake();
    },
    wake,
    running: () => [...running.values()],
    find: (id) => running.get(id),
    stop(id, why, error) {
      const attempt = running.get(id);
      attempt?.stop(why, error);
      return attempt !== undefined;
    },
    heldQueues: () => heldQueues,
    forgetQueues(queues) {
      for (const queue of [...queues]) heldQueues.delete(queue);
    },
    pause() {
      paused = true;
      clearTimeout(dueTimer);
    },
    resume() {
      paused = false;
      wake();
    },
  };
}
