/** Waiting jobs by lane, in fair order: callers share equally, then the bulks and single jobs of a caller. */

import type { QueueStrategy } from "../api/jobs/job.ts";
import { createHeap } from "../base/share/heap.ts";
import { createShareTree, type ShareNode } from "../limits/share-tree.ts";
import { claimOrder } from "../store/port.ts";

export interface LaneJobs {
  readonly lane: string;
  readonly strategy: QueueStrategy;
  readonly share: string;
  readonly bulkId: string | null;
  readonly count: number;
}

export interface LanePick {
  fifo: { lane: string; count: number }[];
  pinned: string[];
}

export interface Lanes {
  add(jobs: LaneJobs): void;
  /** Returns a job to the head of its lane. */
  putBack(jobs: LaneJobs): void;
  /** Picks lanes for free slots; a pinned lane is not picked again until released. */
  pick(slots: number): LanePick;
  /** Records the result of a claim: fewer than requested means that the lane is empty. */
  recordClaim(lane: string, requested: number, claimed: number): void;
  /** Makes a pinned lane available again. */
  release(lane: string): void;
  /** Skips a lane until a time, because another node holds its host. */
  defer(lane: string, untilMs: number): void;
  /** Removes jobs that left the queue without a claim. */
  remove(lane: string, count: number): void;
  /**
   * Replaces the counts by those of the store; lanes missing there become empty. Counts of lanes with recent additions
   * are not lowered: the store may not have counted those yet.
   */
  resync(laneJobs: readonly LaneJobs[]): void;
  /** When the first deferred lane is due, on the monotonic clock. */
  nextDue(): number | undefined;
  /** Known number of waiting jobs. */
  queuedIn(lane: string): number;
  /** Whether jobs of the lane are waiting or in progress. */
  has(lane: string): boolean;
  queued(): number;
}

interface Lane {
  readonly name: string;
  readonly strategy: QueueStrategy;
  /** Waiting jobs in order, as runs per sharer. */
  runs: { sharer: ShareNode<Lane>; count: number }[];
  queued: number;
  /** Number of waiting jobs when picked, so that later additions are not affected by the claim. */
  picked: number;
  busy: boolean;
  deferredUntil: number;
  /** Time of the last addition. */
  addedAt: number;
}

/**
 * Jobs are announced before they are committed, so counts of the store may be older. Higher local counts are trusted
 * for this long, which exceeds the time to write the largest bulk.
 */
const settledMs = 15_000;

interface Due {
  readonly lane: Lane;
  readonly atMs: number;
}

export function createLanes(now: () => number = () => performance.now()): Lanes {
  const lanes = new Map<string, Lane>();
  const shares = createShareTree<Lane>();
  /** Due times of deferred lanes; may contain stale entries. */
  const dues = createHeap<Due>((a, b) => a.atMs < b.atMs);

  const sharerOf = (jobs: LaneJobs) => shares.leafOf(claimOrder.sharesOf(jobs));

  function change(lane: Lane, sharer: ShareNode<Lane>, count: number): void {
    lane.queued += count;
    shares.change(sharer, count);
  }

  function add(jobs: LaneJobs, atHead: boolean): void {
    if (jobs.count <= 0) return;
    let lane = lanes.get(jobs.lane);
    if (!lane) {
      lane = {
        name: jobs.lane,
        strategy: jobs.strategy,
        runs: [],
        queued: 0,
        picked: 0,
        busy: false,
        deferredUntil: 0,
        addedAt: 0,
      };
      lanes.set(jobs.lane, lane);
    }
    lane.addedAt = now();
    const sharer = sharerOf(jobs);
    unready(lane);
    const adjacent = atHead ? lane.runs[0] : lane.runs.at(-1);
    if (adjacent?.sharer === sharer) adjacent.count += jobs.count;
    else if (atHead) lane.runs.unshift({ sharer, count: jobs.count });
    else lane.runs.push({ sharer, count: jobs.count });
    change(lane, sharer, jobs.count);
    makeReady(lane);
  }

  /** Removes jobs from the head of a lane. */
  function shift(lane: Lane, count: number): void {
    let remaining = count;
    while (remaining > 0 && lane.runs[0]) {
      const run = lane.runs[0];
      const portion = Math.min(remaining, run.count);
      run.count -= portion;
      remaining -= portion;
      change(lane, run.sharer, -portion);
      if (run.count === 0) lane.runs.shift();
    }
  }

  function makeReady(lane: Lane): void {
    const sharer = lane.runs[0]?.sharer;
    if (!sharer || lane.busy || lane.queued === 0 || lane.deferredUntil > now()) tidy(lane);
    else shares.makeReady(sharer, lane);
  }

  function unready(lane: Lane): void {
    const sharer = lane.runs[0]?.sharer;
    if (sharer) shares.unready(sharer, lane);
  }

  /** Drops empty lanes. */
  function tidy(lane: Lane): void {
    if (lane.queued > 0 || lane.busy || lane.deferredUntil > now()) return;
    lanes.delete(lane.name);
  }

  function nextDue(): Due | undefined {
    for (let due = dues.first(); due !== undefined; due = dues.first()) {
      const { lane, atMs } = due;
      if (lane.deferredUntil === atMs && lanes.get(lane.name) === lane) return due;
      dues.takeFirst();
    }
    return undefined;
  }

  function wake(): void {
    for (let due = nextDue(); due !== undefined && due.atMs <= now(); due = nextDue()) {
      dues.takeFirst();
      due.lane.deferredUntil = 0;
      makeReady(due.lane);
    }
  }

  function pickOne(counts: Map<Lane, number>): boolean {
    const lane = shares.take();
    if (!lane) return false;
    const count = (counts.get(lane) ?? 0) + 1;
    counts.set(lane, count);
    // A pinned lane yields one job at a time; others no more than they have.
    if (lane.strategy === "pinned" || count >= lane.queued) unready(lane);
    return true;
  }

  function remove(name: string, count: number): void {
    const lane = lanes.get(name);
    if (!lane) return;
    unready(lane);
    shift(lane, count);
    makeReady(lane);
  }

  return {
    add: (jobs) => add(jobs, false),
    putBack: (jobs) => add(jobs, true),
    pick(slots) {
      wake();
      const counts = new Map<Lane, number>();
      for (let at = 0; at < slots && pickOne(counts); at++);
      const picked: LanePick = { fifo: [], pinned: [] };
      for (const [lane, count] of counts) {
        unready(lane);
        lane.busy = true;
        lane.picked = lane.queued;
        if (lane.strategy === "pinned") picked.pinned.push(lane.name);
        else picked.fifo.push({ lane: lane.name, count });
      }
      return picked;
    },
    recordClaim(name, requested, claimed) {
      const lane = lanes.get(name);
      if (!lane) return;
      shift(lane, claimed < requested ? lane.picked : claimed);
      // A pinned lane stays taken while its job runs.
      if (lane.strategy === "pinned" && claimed > 0) return;
      lane.busy = false;
      makeReady(lane);
    },
    release(name) {
      const lane = lanes.get(name);
      if (!lane) return;
      unready(lane);
      lane.busy = false;
      makeReady(lane);
    },
    defer(name, untilMs) {
      const lane = lanes.get(name);
      if (!lane) return;
      unready(lane);
      lane.busy = false;
      lane.deferredUntil = untilMs;
      dues.add({ lane, atMs: untilMs });
    },
    remove,
    resync(laneJobs) {
      const settledBy = now() - settledMs;
      const present = new Set(laneJobs.map((jobs) => jobs.lane));
      for (const lane of lanes.values())
        if (!present.has(lane.name) && lane.addedAt <= settledBy) remove(lane.name, lane.queued);
      for (const jobs of laneJobs) {
        const lane = lanes.get(jobs.lane);
        const counted = lane?.queued ?? 0;
        if (counted < jobs.count) add({ ...jobs, count: jobs.count - counted }, false);
        else if (lane && lane.addedAt <= settledBy) remove(jobs.lane, counted - jobs.count);
      }
    },
    nextDue: () => nextDue()?.atMs,
    queuedIn: (name) => lanes.get(name)?.queued ?? 0,
    has: (name) => lanes.has(name),
    queued: shares.queued,
  };
}
