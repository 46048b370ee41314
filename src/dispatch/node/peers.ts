/** Watches other nodes on the same store: submissions, stop requests, and liveness. */

import type { Log } from "../../base/log.ts";
import { createPollPace } from "../../base/time/poll-pace.ts";
import type { Backlog } from "../../limits/port.ts";
import type { NodeFence, Store } from "../../store/port.ts";
import { stopErrors } from "../attempt.ts";
import type { Dispatcher } from "../dispatcher.ts";
import type { Lanes } from "../lanes.ts";
import type { Pacer } from "../pacing.ts";
import type { LeaseTimes } from "../port.ts";
import type { Recovery } from "./recovery.ts";
import type { OwnWorkers } from "./workers.ts";

export interface Peers {
  start(): Promise<void>;
  stop(): void;
  /** A job was submitted here; other nodes may stop it. */
  submitted(): void;
  /** Reads all waiting jobs again. */
  resync(): Promise<void>;
}

export interface PeersTools {
  readonly store: Store;
  readonly lanes: Lanes;
  readonly backlog: Backlog;
  readonly dispatcher: Dispatcher;
  readonly recovery: Recovery;
  readonly pacer: Pick<Pacer, "lookAtAll">;
  readonly ownWorkers: OwnWorkers;
  readonly node: { readonly name: string; readonly hostname: string; readonly pid: number };
  readonly log: Log;
  readonly times: LeaseTimes;
  lease(): NodeFence | undefined;
  /** Since it was last restored. */
  leaseHeldMs(): number;
  onStopWorkers(names: readonly string[]): void;
  /** Queues of hosts with a live session, which stay on this node. */
  sessionQueues(): ReadonlySet<string>;
}

/** Poll interval: a poll costs the server 0.3 ms. Frequent while others need help. */
const poll = { leastMs: 50, maxMs: 3_000 } as const;
/** Poll interval while jobs wait or run here, to notice stop requests and expiry. */
const busyMs = 1_000;
/**
 * Other nodes start what was submitted to them by themselves: a node that took their jobs sooner would compete with them for
 * each, which costs both a transaction.
 */
const helpAfterMs = 300;
/** For a file with its single node: only corrects counts. */
const aloneRounds = 6;
const releasedAtOnce = 1_000;

export function createPeers(tools: PeersTools): Peers {
  const { store, lanes, backlog, dispatcher, recovery, log } = tools;
  let lastSeq = 0;
  const pace = createPollPace(poll);
  let pollTimer: ReturnType<typeof setTimeout> | undefined;
  let pollAt = Number.POSITIVE_INFINITY;
  let stopHearing: (() => void) | undefined;
  let stopped = false;
  let suspects = new Set<string>();
  const timers = new Set<ReturnType<typeof setTimeout>>();

  function after(ms: () => number, work: () => Promise<void>): void {
    const timer = setTimeout(async () => {
      timers.delete(timer);
      try {
        await work();
      } catch (error) {
        log.debug("peers.failed", { reason: String(error) });
      }
      if (!stopped) after(ms, work);
    }, ms());
    timers.add(timer);
  }

  function pollIn(ms: number): void {
    clearTimeout(pollTimer);
    if (stopped) return;
    pollAt = performance.now() + ms;
    pollTimer = setTimeout(() => void pollNow(), ms);
    hear(ms > busyMs);
  }

  /** Only while the next poll is late: on a busy node each commit of each other node would wake it for nothing. */
  function hear(isNeeded: boolean): void {
    if (isNeeded) stopHearing ??= store.events.onHeard(heard);
    else {
      stopHearing?.();
      stopHearing = undefined;
    }
  }

  /** There may be news: looked for soon, if no look is in progress. */
  function heard(): void {
    if (pollAt !== Number.POSITIVE_INFINITY && pollAt - performance.now() > busyMs) pollIn(busyMs);
  }

  async function pollNow(): Promise<void> {
    pollAt = Number.POSITIVE_INFINITY;
    try {
      pace.looked(await lookForNews());
    } catch (error) {
      log.debug("peers.failed", { reason: String(error) });
      pace.looked(false);
    }
    const busy = dispatcher.running().length + lanes.queued() > 0;
    pollIn(pace.nextMs(busy ? busyMs : undefined));
  }

  /** @returns whether other nodes have waiting work. */
  async function lookForNews(): Promise<boolean> {
    const lease = tools.lease();
    if (!lease) return false;
    const news = await store.polls.news(lease, lastSeq, helpAfterMs);
    if (news.stops) await takeStopRequests(lease);
    if (news.workerStops) tools.onStopWorkers(await store.workers.takeStopRequests(tools.node.name));
    if (news.expired) await recovery.expired();
    return news.queued && (await lookForJobs());
  }

  /** Jobs of this node are known already. */
  async function lookForJobs(): Promise<boolean> {
    const lanesNow = await store.jobs.lanesAfter(lastSeq);
    let hasNews = false;
    for (const lane of lanesNow) {
      lastSeq = Math.max(lastSeq, lane.lastSeq);
      const unknown = lane.count - lanes.queuedIn(lane.lane);
      if (unknown <= 0) continue;
      lanes.add({ ...lane, count: unknown });
      hasNews = true;
    }
    if (hasNews) dispatcher.wake();
    return hasNews;
  }

  async function takeStopRequests(lease: NodeFence): Promise<void> {
    for (const { id, why } of await store.claims.stopRequests(lease)) {
      const by = why === "worker" ? "worker" : "cancel";
      dispatcher.stop(id, by, stopErrors[by]());
    }
  }

  async function round(): Promise<void> {
    const lease = tools.lease();
    if (!lease) return;
    if (store.shared) await store.workers.report(lease, tools.node, tools.ownWorkers.states());
    const graceMs = tools.times.leaseMs / 6;
    const upkeep = await store.polls.upkeep(lease, graceMs);
    // An outage of the store ends the leases of all: who is back first leaves the others time to renew theirs.
    const lapsed = upkeep.lapsed && store.shared && tools.leaseHeldMs() >= graceMs;
    if (lapsed) await store.nodes.retireExpired(graceMs, lease);
    const recovered = lapsed || upkeep.orphans ? await recovery.orphans() : 0;
    if (recovered > 0) log.warn("recovery.done", { jobs: recovered });
    if (upkeep.own || suspects.size > 0) await settleUnknownClaims(lease);
    if (lapsed || upkeep.leftovers || recovered > 0) await store.recovery.clearDeadNodes();
    const waits = upkeep.waiting || recovered > 0;
    if (waits) await tools.pacer.lookAtAll();
    await releaseIdleQueues(lease);
    if (waits || lanes.queued() + backlog.total() > 0) await resync();
  }

  /** Settles applied claims whose answer was lost; only if seen twice, as one may be in flight. */
  async function settleUnknownClaims(lease: NodeFence): Promise<void> {
    const running = dispatcher.running().map((attempt) => attempt.job.fence.id);
    const unknown = await store.recovery.runningOf(lease, running);
    const nameOf = (orphan: (typeof unknown)[number]) => `${orphan.fence.id}/${orphan.fence.attempt}`;
    for (const orphan of unknown) if (suspects.has(nameOf(orphan))) await recovery.settle(orphan);
    suspects = new Set(unknown.map(nameOf));
  }

  async function releaseIdleQueues(lease: NodeFence): Promise<void> {
    const needed = new Set(tools.sessionQueues());
    for (const attempt of dispatcher.running()) needed.add(attempt.job.queue);
    const idle = [...dispatcher.heldQueues()].filter((queue) => !needed.has(queue) && !lanes.has(queue));
    // In batches: there may be a minute of hosts, and others must not wait.
    for (let at = 0; at < idle.length; at += releasedAtOnce) {
      const queues = idle.slice(at, at + releasedAtOnce).filter((queue) => !lanes.has(queue));
      dispatcher.forgetQueues(queues);
      await store.nodes.releaseQueues(lease, queues);
    }
  }

  async function resync(): Promise<void> {
    const allLanes = await store.jobs.lanesAfter(0);
    lanes.resync(allLanes);
    backlog.reset(await store.jobs.queuedByShare());
    lastSeq = Math.max(lastSeq, ...allLanes.map((lane) => lane.lastSeq));
    dispatcher.wake();
  }

  return {
    async start() {
      lastSeq = await store.jobs.lastSeq();
      await resync();
      after(() => tools.times.renewMs * (store.shared ? 1 : aloneRounds), round);
      if (!store.shared) return;
      pollIn(pace.nextMs());
    },
    stop() {
      stopped = true;
      hear(false);
      clearTimeout(pollTimer);
      for (const timer of timers) clearTimeout(timer);
    },
    submitted() {
      if (store.shared) heard();
    },
    resync,
  };
}
