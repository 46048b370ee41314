/** State of the node: what a metrics scrape reads from the store, and what SIGUSR2 logs. */
import process from "node:process";
import { openDescriptors } from "../base/files/descriptors.ts";
import type { createScheduler } from "../dispatch/scheduler.ts";
import type { Admission, Backlog } from "../limits/port.ts";
import type { Metrics, NodeState } from "../metrics/port.ts";
import type { Pool, TemplatePool } from "../pool/port.ts";
import type { Store } from "../store/port.ts";

const maxWebhooks = 10_000;
const maxJobs = 50;

export async function nodeStateOf(store: Store): Promise<NodeState> {
  const [oldest, { count, since }] = await Promise.all([
    store.jobs.oldestQueuedAt(),
    store.deliveries.waiting(maxWebhooks),
  ]);
  const secondsSince = (at: number | undefined) =>
    at === undefined ? 0 : Math.max(0, store.clock.wall() - at) / 1000;
  return { queueSeconds: secondsSince(oldest), webhooks: count, webhookSeconds: secondsSince(since) };
}

/** Delivery attempts are counted when they are stored. */
export function countedStore(store: Store, { webhookAttempted }: Pick<Metrics, "webhookAttempted">): Store {
  const { deliveries } = store;
  return {
    ...store,
    deliveries: {
      ...deliveries,
      async record(node, due, attempt, next) {
        await deliveries.record(node, due, attempt, next);
        webhookAttempted(typeof next === "number" ? "again" : next);
      },
    },
  };
}

export interface DumpTools {
  readonly store: Store;
  readonly pool: Pool;
  readonly templates: Pick<TemplatePool, "running">;
  readonly scheduler: Pick<ReturnType<typeof createScheduler>, "running" | "notReady">;
  readonly backlog: Pick<Backlog, "total">;
  readonly admission: Pick<Admission, "requests" | "lists" | "streams" | "bytes">;
}

/** Without device names and caller-supplied data. */
export async function dumpOf({ store, pool, templates, scheduler, backlog, admission }: DumpTools) {
  const running = scheduler.running();
  const waiting = await nodeStateOf(store).catch((error: unknown) => ({ failed: String(error) }));
  return {
    not_ready: scheduler.notReady(),
    queued: backlog.total(),
    waiting,
    running: running.length,
    jobs: running.slice(0, maxJobs),
    sessions: countBy(pool.sessions().map(({ thread, driver }) => `${driver} on thread ${thread}`)),
    device_threads: pool.threads,
    device_tasks: pool.running(),
    template_processes: templates.running(),
    requests: admission.requests.held(),
    lists: admission.lists.held(),
    streams: admission.streams.held(),
    bytes: admission.bytes.held(),
    descriptors: openDescriptors(),
    memory: process.memoryUsage(),
    uptime_s: Math.round(process.uptime()),
  };
}

function countBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
