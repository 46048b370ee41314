/** Lists workers of all nodes and stops them. */
import { type Caller, demandScope } from "../auth/caller.ts";
import { maySeeWorker } from "../auth/reach.ts";
import { hostOfQueue, pinnedQueue } from "../model/identity.ts";
import { type WorkerFilter, type WorkerRecord, type WorkerStatus, workerStatuses } from "../model/worker.ts";
import type { Store } from "../store/libsql/store.ts";
import type { StoredWorker, WorkerState } from "../store/libsql/workers.ts";
import { refuse } from "./issues.ts";

export interface WorkerTools {
  readonly store: Store;
  readonly iso: (ms: number) => string;
  readonly node: { readonly name: string; readonly hostname: string; readonly pid: number };
  /** Workers of this node as they are now. */
  ownWorkers(): readonly WorkerState[];
  /** Stops workers of this node; their jobs fail as WorkerLost. */
  onStopWorkers(names: readonly string[]): void;
}

export function createWorkerQueries({ store, iso, node, ownWorkers, onStopWorkers }: WorkerTools) {
  async function find(filter: WorkerFilter, caller: Caller): Promise<WorkerRecord[]> {
    const now = store.clock.wall();
    const own = ownWorkers().map((one) => toRecord({ ...one, ...ownFacts, beatAt: now, alive: true }));
    const others = store.shared ? (await store.workers.ofOthers(node.name)).map(toRecord) : [];
    return [...own, ...others].filter(
      (one) => matches(one, filter) && one.queues.every((queue) => maySeeWorker(caller, hostOfQueue(queue))),
    );
  }

  const ownFacts = { node: node.name, hostname: node.hostname, pid: node.pid };

  function toRecord(one: StoredWorker): WorkerRecord {
    return {
      name: one.name,
      status: one.alive ? statusOf(one.status) : "dead",
      pid: one.pid,
      hostname: one.hostname,
      node: one.node,
      queues: [one.queue],
      current_job: one.currentJob,
      last_heartbeat: iso(one.beatAt),
      birth_at: iso(one.birthAt),
      successful_job_count: one.succeeded,
      failed_job_count: one.failed,
    };
  }

  return {
    async workers(filter: WorkerFilter, caller: Caller): Promise<WorkerRecord[]> {
      demandScope(caller, "read");
      return find(filter, caller);
    },

    async stopWorkers(filter: WorkerFilter, caller: Caller): Promise<string[]> {
      demandScope(caller, "operate");
      if (Object.values(filter).every((value) => value === undefined))
        refuse([{ path: "name", message: "one of name, queue, node, host and status is required" }]);
      const found = await find(filter, caller);
      const names = found.filter((one) => one.status !== "dead").map((one) => one.name);
      if (names.length === 0) return [];
      const own = new Set(ownWorkers().map((one) => one.name));
      const others = names.filter((name) => !own.has(name));
      if (others.length > 0) await store.workers.askToStop(others);
      onStopWorkers(names.filter((name) => own.has(name)));
      const detail = names.slice(0, 20).join(", ");
      await store.audit.add({ caller, action: "worker.stop", outcome: "stopped", detail });
      return names;
    },
  };
}

function statusOf(text: string): WorkerStatus {
  return workerStatuses.find((status) => status === text) ?? "dead";
}

function matches(one: WorkerRecord, { name, queue, node, host, status }: WorkerFilter): boolean {
  return (
    (name === undefined || one.name === name) &&
    (queue === undefined || one.queues.includes(queue)) &&
    (node === undefined || one.node === node) &&
    (host === undefined || one.queues.includes(pinnedQueue(host))) &&
    (status === undefined || one.status === status)
  );
}
