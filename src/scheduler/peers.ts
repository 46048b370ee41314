/** What other nodes on the same store do: their submissions, their requests to stop, and whether they still live. */

import type { Log } from "../base/log.ts";
import type { Backlog, QueuedJob } from "../queue/port.ts";
import type { NodeFence, Store } from "../store/port.ts";
import { stopErrors } from "./attempt.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { Lanes } from "./lanes.ts";
import type { Pacer } from "./pacing.ts";
import type { LeaseTimes } from "./port.ts";
import type { Recovery } from "./recovery.ts";
import type { OwnWorkers } from "./workers.ts";

export interface Peers {
  start(): Promise<void>;
  stop(): void;
  /** Jobs of our own: they are not counted twice. */
  submitted(jobs: readonly QueuedJob[]): void;
  /** Reads all that waits anew. */
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
  onStopWorkers(names: readonly string[]): void;
  /** Hosts with a live session: their queues stay here. */
  sessionQueues(): ReadonlySet<string>;
}

/** A look costs 1 to 2 ms of the server: often while something happens, seldom while nothing does. */
const poll = { leastMs: 50, mostMs: 1_000, factor: 1.5 } as const;
const stopRequestsMs = 1_000;
/** A file has one node: nothing comes from elsewhere, this only mends what was lost count of. */
const aloneRounds = 6;
const releasedAtOnce = 1_000;

export function createPeers(tools: PeersTools): Peers {
  const { store, lanes, backlog, dispatcher, recovery, log } = tools;
  let lastSeq = 0;
  let submittedHere = new Map<string, number>();
  let pollMs: number = poll.leastMs;
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

  async function lookForJobs(): Promise<void> {
    const submitted = submittedHere;
    submittedHere = new Map();
    const news = await store.jobs.lanesAfter(lastSeq);
    for (const lane of news) {
      lastSeq = Math.max(lastSeq, lane.lastSeq);
      lanes.add({ ...lane, count: lane.count - (submitted.get(lane.lane) ?? 0) });
    }
    pollMs = news.length > 0 ? poll.leastMs : Math.min(poll.mostMs, pollMs * poll.factor);
    if (news.length > 0) dispatcher.wake();
  }

  async function lookForStopRequests(): Promise<void> {
    const lease = tools.lease();
    if (!lease) return;
    for (const { id, why } of await store.claims.stopRequests(lease)) {
      const by = why === "worker" ? "worker" : "cancel";
      dispatcher.stop(id, by, stopErrors[by]());
    }
    const names = await store.workers.takeStopRequests(tools.node.name);
    if (names.length > 0) tools.onStopWorkers(names);
  }

  async function round(): Promise<void> {
    const lease = tools.lease();
    if (!lease) return;
    const states = tools.ownWorkers.states();
    if (store.shared) {
      await store.nodes.retireExpired(tools.times.leaseMs / 6);
      await store.workers.report(lease, tools.node, states);
    }
    const recovered = await recovery.orphans();
    if (recovered > 0) log.warn("recovery.done", { jobs: recovered });
    await settleUnknownClaims(lease);
    await store.recovery.clearDeadNodes();
    await tools.pacer.lookAtAll();
    await releaseIdleQueues(lease);
    await resync();
  }

  /** Claims that were applied though their answer was lost: seen twice, so that none is on its way. */
  async function settleUnknownClaims(lease: NodeFence): Promise<void> {
    const running = new Set(dispatcher.running().map((attempt) => attempt.job.fence.id));
    const unknown = (await store.recovery.runningOf(lease)).filter((orphan) => !running.has(orphan.fence.id));
    const nameOf = (orphan: (typeof unknown)[number]) => `${orphan.fence.id}/${orphan.fence.attempt}`;
    for (const orphan of unknown) if (suspects.has(nameOf(orphan))) await recovery.settle(orphan);
    suspects = new Set(unknown.map(nameOf));
  }

  async function releaseIdleQueues(lease: NodeFence): Promise<void> {
    const needed = new Set(tools.sessionQueues());
    for (const attempt of dispatcher.running()) needed.add(attempt.job.queue);
    const idle = [...dispatcher.heldQueues()].filter((queue) => !needed.has(queue) && !lanes.has(queue));
    // A minute of jobs on as many hosts is a list that others must not wait for.
    for (let at = 0; at < idle.length; at += releasedAtOnce) {
      const queues = idle.slice(at, at + releasedAtOnce).filter((queue) => !lanes.has(queue));
      dispatcher.forgetQueues(queues);
      await store.nodes.releaseQueues(lease, queues);
    }
  }

  async function resync(): Promise<void> {
    const all = await store.jobs.lanesAfter(0);
    lanes.resync(all);
    backlog.reset(await store.jobs.queuedByCaller());
    lastSeq = Math.max(lastSeq, ...all.map((lane) => lane.lastSeq));
    dispatcher.wake();
  }

  return {
    async start() {
      lastSeq = await store.jobs.lastSeq();
      await resync();
      after(() => tools.times.renewMs * (store.shared ? 1 : aloneRounds), round);
      if (!store.shared) return;
      after(() => pollMs, lookForJobs);
      after(() => stopRequestsMs, lookForStopRequests);
    },
    stop() {
      stopped = true;
      for (const timer of timers) clearTimeout(timer);
    },
    submitted(jobs) {
      if (!store.shared) return;
      for (const { lane } of jobs) submittedHere.set(lane, (submittedHere.get(lane) ?? 0) + 1);
      pollMs = poll.leastMs;
    },
    resync,
  };
}
