/** Workers of this node: slots of the fifo queue, and hosts with a live session. Counts jobs and stops workers. */

import { fifoWorker, pinnedWorker, queueOfWorker } from "../../api/admin/worker.ts";
import { pinnedQueue } from "../../api/identity.ts";
import { createBoundedCache } from "../../base/share/bounded-cache.ts";
import type { KeptSession } from "../../protocol/message-port.ts";
import type { WorkerState } from "../../store/port.ts";
import type { Attempt, AttemptEnd } from "../attempt.ts";

export type OwnWorkers = ReturnType<typeof createOwnWorkers>;

export interface OwnWorkersTools {
  readonly node: string;
  readonly fifoWorkers: number;
  readonly now: () => number;
  running(): readonly Attempt[];
  sessions(): readonly KeptSession[];
  suspended(): boolean;
}

interface Counters {
  readonly birthAt: number;
  succeeded: number;
  failed: number;
}

const maxCounted = 20_000;

export function createOwnWorkers(tools: OwnWorkersTools) {
  /** Bounded, because there is a pinned worker per host. */
  const pinnedCounters = createBoundedCache<Counters>(maxCounted);
  const fifoCounters = new Map<string, Counters>();

  function countersOf(name: string): Counters {
    const table = fifo.has(name) ? fifoCounters : pinnedCounters;
    const counters = table.get(name) ?? { birthAt: tools.now(), succeeded: 0, failed: 0 };
    table.set(name, counters);
    return counters;
  }

  const fifo = new Set(
    Array.from({ length: tools.fifoWorkers }, (_, index) => fifoWorker(tools.node, index)),
  );
  for (const name of fifo) countersOf(name);

  return {
    onEnd({ job }: Attempt, ended: AttemptEnd): void {
      if (ended !== "finished" && ended !== "failed") return;
      const counters = countersOf(job.worker);
      if (ended === "finished") counters.succeeded++;
      else counters.failed++;
    },
    states(): WorkerState[] {
      const jobs = new Map<string, string>();
      for (const { job } of tools.running()) jobs.set(job.worker, job.fence.id);
      const hosts = tools.sessions().map((session) => pinnedWorker(tools.node, pinnedQueue(session.host)));
      const names = new Set([...fifo, ...hosts, ...jobs.keys()]);
      // Counters of a pinned worker are dropped with its session.
      for (const name of [...pinnedCounters.keys()]) if (!names.has(name)) pinnedCounters.delete(name);
      return [...names].map((name) => {
        const { birthAt, succeeded, failed } = countersOf(name);
        const currentJob = jobs.get(name) ?? null;
        const status = tools.suspended() ? "suspended" : currentJob === null ? "idle" : "busy";
        const queue = fifo.has(name) ? "fifo" : queueOfWorker(tools.node, name);
        return { name, status, queue, currentJob, birthAt, succeeded, failed };
      });
    },
  };
}
