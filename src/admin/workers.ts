/** Lists and stops workers of all nodes. */

import { type WorkerRecord, type WorkerStatus, workerStatuses } from "../api/admin/worker.ts";
import type { WorkerFilter } from "../api/filters.ts";
import { hostOfQueue, pinnedQueue } from "../api/identity.ts";
import { requireScope } from "../auth/caller.ts";
import type { Caller } from "../auth/port.ts";
import { mayReach, maySeeWorker } from "../auth/reach.ts";
import { refuse } from "../base/issues.ts";
import type { Snapshot } from "../inventory/port.ts";
import { type FilterTools, hostCondition, selectedHosts } from "../jobs/select-filter.ts";
import type { Store, StoredWorker, WorkerState } from "../store/port.ts";

/** Required store operations. */
interface WorkerStore {
  readonly shared: boolean;
  readonly clock: Pick<Store["clock"], "wall">;
  readonly workers: Pick<Store["workers"], "ofOtherNodes" | "requestStop">;
  readonly audit: Pick<Store["audit"], "add">;
}

export interface WorkerTools extends FilterTools {
  readonly store: WorkerStore;
  readonly iso: (ms: number) => string;
  readonly node: { readonly name: string; readonly hostname: string; readonly pid: number };
  /** Current workers of this node. */
  ownWorkers(): readonly WorkerState[];
  /** Stops workers of this node; their jobs fail as WorkerLost. */
  onStopWorkers(names: readonly string[]): void;
}

export function createWorkerQueries({
  store,
  inventory,
  admission,
  iso,
  node,
  ownWorkers,
  onStopWorkers,
}: WorkerTools) {
  async function find(filter: WorkerFilter, caller: Caller): Promise<WorkerRecord[]> {
    const { select } = filter;
    const snapshot = await inventory.snapshot();
    const { hostKey } = await hostCondition({ inventory }, { host: filter.host }, caller);
    const hosts =
      select === undefined ? undefined : await selectedHosts({ inventory, admission }, select, caller);
    const isSelected = (queue: string) => hosts === undefined || hosts.has(hostOfQueue(queue) ?? "");
    const now = store.clock.wall();
    const ownRecords = ownWorkers().map((worker) =>
      toRecord({ ...worker, ...ownFacts, heartbeatAt: now, alive: true }),
    );
    const remoteWorkers = store.shared ? (await store.workers.ofOtherNodes(node.name)).map(toRecord) : [];
    const seen = [...ownRecords, ...remoteWorkers].filter(
      (worker) =>
        matches(worker, filter, hostKey) &&
        worker.queues.every((queue) => isSelected(queue) && maySeeWorker(caller, hostOfQueue(queue))),
    );
    return seen.map((worker) => {
      const device = deviceOf(worker, snapshot, caller);
      return device === undefined ? worker : { ...worker, device };
    });
  }

  const ownFacts = { node: node.name, hostname: node.hostname, pid: node.pid };

  function toRecord(worker: StoredWorker): WorkerRecord {
    return {
      name: worker.name,
      status: worker.alive ? statusOf(worker.status) : "dead",
      pid: worker.pid,
      hostname: worker.hostname,
      node: worker.node,
      queues: [worker.queue],
      current_job: worker.currentJob,
      last_heartbeat: iso(worker.heartbeatAt),
      birth_at: iso(worker.birthAt),
      successful_job_count: worker.succeeded,
      failed_job_count: worker.failed,
    };
  }

  return {
    async workers(filter: WorkerFilter, caller: Caller): Promise<WorkerRecord[]> {
      requireScope(caller, "read");
      return find(filter, caller);
    },

    async stopWorkers(filter: WorkerFilter, caller: Caller): Promise<string[]> {
      requireScope(caller, "operate");
      if (Object.values(filter).every((value) => value === undefined))
        refuse([{ path: "name", message: "one of name, queue, node, host, select and status is required" }]);
      const workers = await find(filter, caller);
      const names = workers.filter((worker) => worker.status !== "dead").map((worker) => worker.name);
      if (names.length === 0) return [];
      const ownNames = new Set(ownWorkers().map((worker) => worker.name));
      const remoteNames = names.filter((name) => !ownNames.has(name));
      if (remoteNames.length > 0) await store.workers.requestStop(remoteNames);
      onStopWorkers(names.filter((name) => ownNames.has(name)));
      const detail = names.slice(0, 20).join(", ");
      await store.audit.add({ caller, action: "worker.stop", outcome: "stopped", detail });
      return names;
    },
  };
}

function statusOf(text: string): WorkerStatus {
  return workerStatuses.find((status) => status === text) ?? "dead";
}

function deviceOf({ queues }: WorkerRecord, snapshot: Snapshot, caller: Caller): string | undefined {
  const host = hostOfQueue(queues[0] ?? "");
  const devices = host === undefined ? [] : snapshot.devicesAt(host);
  const [only] = devices;
  return only && devices.length === 1 && mayReach(caller, only.host) ? only.name : undefined;
}

function matches(
  worker: WorkerRecord,
  { name, queue, node, status }: WorkerFilter,
  hostKey: string | undefined,
): boolean {
  return (
    (name === undefined || worker.name === name) &&
    (queue === undefined || worker.queues.includes(queue)) &&
    (node === undefined || worker.node === node) &&
    (hostKey === undefined || worker.queues.includes(pinnedQueue(hostKey))) &&
    (status === undefined || worker.status === status)
  );
}
