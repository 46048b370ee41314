/** Runs device tasks on the thread that has the host's session, and template tasks in processes that can be killed. */

import { ServiceError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { createDeadline } from "../base/time/deadline.ts";
import type { ThreadQuestion, WorkerSettings } from "../protocol/message-port.ts";
import type { Task, TaskValues, TemplateTask } from "../protocol/task.ts";
import { type DeviceThread, startDeviceThread } from "./device-thread.ts";
import type { Pool, RunOptions, TemplatePool } from "./port.ts";

export interface PoolOptions {
  /** URL of the thread's entry module. */
  readonly threadEntry: string;
  readonly threads: number;
  /** What the outputs of one key may hold in memory, on all threads together. */
  readonly outputBytes: number;
  readonly settings: Omit<WorkerSettings, "role">;
  readonly templates: TemplatePool;
  readonly log: Log;
  /** Answers questions of threads: only the main thread has the store, and so the known host keys. */
  answer(question: ThreadQuestion): Promise<unknown>;
}

/** Logging out of a device takes a round trip; an unresponsive one is cut off when its thread ends. */
const logoutLimitMs = 3_000;

export function createPool(options: PoolOptions): Pool {
  const { threadEntry, threads, templates, log, answer } = options;
  let { settings } = options;
  const outputBytes = Math.floor(options.outputBytes / threads);
  /** By its number. Each is started by its first task: what nobody needs takes no heap and no time to load. */
  const started = new Map<number, DeviceThread>();
  const startOrGet = (index: number): DeviceThread => {
    const running = started.get(index);
    if (running) return running;
    const thread = startDeviceThread({
      entry: threadEntry,
      index,
      settings: { ...settings, role: "device", outputBytes },
      log,
      answer,
    });
    started.set(index, thread);
    return thread;
  };
  const up = () => [...started.values()];
  const affinity = createAffinity(threads, (host) => {
    for (const [index, thread] of started) if (thread.client().hasSession(host)) return index;
    return undefined;
  });

  async function runOnThread<T extends Task>(task: T, options: RunOptions): Promise<TaskValues[T["kind"]]> {
    const index = affinity.enter(options.host);
    try {
      return await (await startOrGet(index).serving()).run(task, options);
    } finally {
      affinity.leave(index, options.host);
    }
  }

  async function evict(host?: string): Promise<number> {
    const deadline = createDeadline(
      logoutLimitMs,
      () => new ServiceError("JobTimeout", "The sessions did not close in time."),
    );
    const evictThread = async (thread: DeviceThread) => {
      const task = host === undefined ? { kind: "evict" as const } : { kind: "evict" as const, host };
      return (await thread.client().run(task, { deadline })).closed;
    };
    const closed = await Promise.allSettled(up().map(evictThread));
    deadline.dispose();
    for (const result of closed)
      if (result.status === "rejected") log.warn("sessions.evict_failed", { reason: String(result.reason) });
    return closed.reduce((sum, result) => sum + (result.status === "fulfilled" ? result.value : 0), 0);
  }

  return {
    run: <T extends Task>(task: T, options: RunOptions) =>
      isTemplateTask(task) ? templates.run(task, options) : runOnThread(task, options),
    sessions: () =>
      [...started].flatMap(([index, thread]) =>
        thread
          .client()
          .sessions()
          .map((session) => ({ ...session, thread: index })),
      ),
    hasSession: (host) => up().some((thread) => thread.client().hasSession(host)),
    evict,
    threads,
    reload(plugins) {
      settings = { ...settings, plugins };
      for (const thread of up()) thread.reload(plugins);
      templates.reload(plugins);
    },
    running: () => up().reduce((sum, thread) => sum + thread.client().running(), 0),
    async close() {
      await evict();
      for (const thread of up()) thread.close();
      templates.close();
    },
  };
}

function isTemplateTask<T extends Task>(task: T): task is T & TemplateTask {
  return templateKinds.has(task.kind);
}

const templateKinds: ReadonlySet<Task["kind"]> = new Set<TemplateTask["kind"]>([
  "render",
  "parse",
  "inventory",
  "evaluate",
  "compare",
  "search",
  "drift",
]);

/**
 * Assigns hosts to threads: the one that has the host's session or runs its tasks, otherwise the least busy.
 * @param sessionOf the thread that has a session with the host.
 */
function createAffinity(threads: number, sessionOf: (host: string) => number | undefined) {
  /** Tasks per thread, including those that wait for it to start. */
  const loads = new Array<number>(threads).fill(0);
  /** Only hosts with running tasks; hosts with a session are found through it. */
  const homes = new Map<string, { index: number; tasks: number }>();

  function leastBusy(): number {
    let best = 0;
    for (let index = 1; index < threads; index++) if (load(index) < load(best)) best = index;
    return best;
  }

  function load(index: number): number {
    return loads[index] ?? 0;
  }

  function add(index: number, tasks: number): void {
    loads[index] = load(index) + tasks;
  }

  return {
    enter(host: string | undefined): number {
      const home = host === undefined ? undefined : homes.get(host);
      const index = home?.index ?? (host === undefined ? undefined : sessionOf(host)) ?? leastBusy();
      add(index, 1);
      if (home) home.tasks++;
      else if (host !== undefined) homes.set(host, { index, tasks: 1 });
      return index;
    },
    leave(index: number, host: string | undefined): void {
      add(index, -1);
      const home = host === undefined ? undefined : homes.get(host);
      if (host === undefined || !home) return;
      home.tasks--;
      if (home.tasks === 0) homes.delete(host);
    },
  };
}
