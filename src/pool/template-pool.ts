/** Renders and parses in processes that are killed above their limits; a task whose process is lost is retried once. */

import { ServiceError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { abortReason, onAbort } from "../base/time/deadline.ts";
import type { WorkerSettings } from "../protocol/message-port.ts";
import type { DriftTask, SearchTask, TaskValues, TemplateTask } from "../protocol/task.ts";
import { createSharedMemory } from "./memory.ts";
import { watchTask } from "./meter.ts";
import type { RunOptions, Share, TemplatePool } from "./port.ts";
import { createProcesses } from "./processes.ts";
import { type SpawnTemplateChild, startTemplateProcess, type TemplateProcess } from "./template-process.ts";

export interface TemplatePoolOptions {
  readonly spawn: SpawnTemplateChild;
  /** Maximum number of processes; one more is reserved for keys that have none. */
  readonly processes: number;
  readonly settings: Omit<WorkerSettings, "role">;
  readonly log: Log;
  /** CPU time limit of tasks without a limit of their own. */
  readonly limitMs: number;
  /** Resident memory above which a process is killed. */
  readonly memoryBytes: number;
  /** How long tasks wait for those that run before the reserved process is used; default: not at all. */
  readonly spareAfterMs?: number;
  /** After which idle processes end; default five minutes. */
  readonly restMs?: number;
}

/** Replaces processes from time to time, which bounds the cache of compiled templates that callers can fill. */
const tasksPerProcess = 20_000;
/** Memory limit of all processes together, as a multiple of that of one. */
const memoryOfAll = 1.25;
/** A process above this share of its memory limit between two tasks is replaced. */
const restingShare = 0.5;
const lookEvery = 16;
/** Rendering and parsing have no side effects, so a task whose process died is retried once. */
const maxTries = 2;
/** Any process may have died unnoticed, and so may its replacements. */
const maxUnreached = 16;

/** Tasks without a caller share one key. */
const nobody: Share = { key: "", job: false };

export function createTemplatePool(options: TemplatePoolOptions): TemplatePool {
  const { spawn, settings, log } = options;
  const memory = createSharedMemory(options.memoryBytes * memoryOfAll);
  const live = new Set<TemplateProcess>();
  let { plugins } = settings;
  const startOne = () => {
    const process = startTemplateProcess(spawn, { ...settings, plugins, role: "template" }, log);
    live.add(process);
    void process.over.then(() => {
      live.delete(process);
      memory.gone(process);
    });
    return process;
  };
  const processes = createProcesses(startOne, options.processes, options);

  async function run<T extends TemplateTask>(
    task: T,
    runOptions: RunOptions,
  ): Promise<TaskValues[T["kind"]]> {
    let tries = 0;
    for (let unreached = 0; ; ) {
      const end = await attempt(task, runOptions, tries + unreached > 0);
      if ("value" in end) return end.value;
      // A process that died before it got the task says nothing about the task.
      if (end.begun ? ++tries >= maxTries : ++unreached >= maxUnreached) throw end.crash;
      if (end.begun) log.warn("template.process_lost", { engine: nameOf(task), reason: end.crash.message });
    }
  }

  async function look(process: TemplateProcess): Promise<void> {
    const usage = await process.child.usage();
    if (usage !== undefined && !process.killed()) memory.seen(process, usage.residentBytes);
  }

  async function attempt<T extends TemplateTask>(
    task: T,
    runOptions: RunOptions,
    isRetry: boolean,
  ): Promise<{ value: TaskValues[T["kind"]] } | { crash: ServiceError; begun: boolean }> {
    const { signal } = runOptions.deadline;
    const { share = nobody, waitMs } = runOptions;
    const process = await processes.take({ share, bytes: bytesOf(task), signal, waitMs, isRetry });
    const beforeMs = process.cpuMs();
    let begun = false;
    let unwatch: (() => number) | undefined;
    const onBegun = () => {
      begun = true;
      unwatch = watchTask(process, {
        cpuMs: runOptions.limitMs ?? options.limitMs,
        memoryBytes: options.memoryBytes,
        seen: (bytes) => memory.seen(process, bytes),
        doing: doing[task.kind],
      });
    };
    const unlisten = onAbort(signal, (reason) => process.kill(reason));
    try {
      return { value: await process.client.run(task, { ...runOptions, onBegun }) };
    } catch (error) {
      if (signal.aborted) throw abortReason(signal);
      if (!(error instanceof ServiceError)) return { crash: unreachable(process), begun };
      if (process.crashed()) return { crash: error, begun };
      throw error;
    } finally {
      // A killed process cannot report its CPU time: use the last observation.
      const cpuMs = Math.max(unwatch?.() ?? 0, process.cpuMs() - beforeMs);
      unlisten();
      // A runtime does not return memory to the system after a task.
      const swollen = memory.last(process) > options.memoryBytes * restingShare;
      // Short tasks end before the first poll.
      if (process.tasks() % lookEvery === 0) void look(process);
      if (swollen || process.tasks() >= tasksPerProcess)
        process.kill(new ServiceError("Internal", "recycled"));
      processes.release(process, share, cpuMs);
      runOptions.onSpent?.(cpuMs);
    }
  }

  return {
    run,
    reload(found) {
      plugins = found;
      for (const process of live) process.client.reload(found);
    },
    running: () => live.size,
    close: processes.close,
  };
}

const hasShard = (task: TemplateTask): task is DriftTask | SearchTask =>
  task.kind === "search" || task.kind === "drift";

/**
 * Searches run in pools of their own, whose processes keep texts and run no templates, and so do comparisons with intents;
 * everything else in that for templates.
 */
export function withSearches(templates: TemplatePool, searches: readonly TemplatePool[]): TemplatePool {
  const all = [templates, ...searches];
  return {
    run(task, options) {
      const pool = hasShard(task) ? searches[task.shard % searches.length] : templates;
      return (pool ?? templates).run(task, options);
    },
    reload: templates.reload,
    running: () => all.reduce((sum, pool) => sum + pool.running(), 0),
    close() {
      for (const pool of all) pool.close();
    },
  };
}

const doing = {
  render: "The template was still rendering",
  parse: "The text was still being parsed",
  inventory: "The inventory was still being read",
  evaluate: "The expression was still being computed",
  compare: "The comparison was still running",
  search: "The search was still running",
  drift: "The comparison with the intent was still running",
};

function nameOf(task: TemplateTask): string {
  if (task.kind === "evaluate") return "jsonata";
  if (task.kind === "compare" || task.kind === "drift" || task.kind === "search") return task.kind;
  return task.kind === "inventory" ? (task.format ?? "entries") : task.engine;
}

function bytesOf(task: TemplateTask): number {
  if (task.kind === "inventory") return task.text.length;
  if (task.kind === "evaluate") return task.json.length + task.expression.length;
  if (task.kind === "search")
    return [...task.bases, ...task.texts.map(({ body = "" }) => body)].reduce(
      (sum, { length }) => sum + length,
      0,
    );
  if (task.kind === "drift")
    return [
      ...task.wanted.texts.map(({ text }) => text),
      ...task.wanted.devices.map(({ now }) => now),
    ].reduce((sum, { length }) => sum + length, 0);
  if (task.kind === "compare") {
    // Its texts, and their names.
    return Object.values(task.wanted)
      .flat()
      .reduce((sum: number, value) => sum + (typeof value === "string" ? value.length : 0), 0);
  }
  const texts = task.kind === "render" ? [task.contextJson] : task.texts;
  return texts.reduce((sum, text) => sum + text.length, task.source.length);
}

/** The task could not be sent: the process has exited, which has not been noticed yet. */
function unreachable(process: TemplateProcess): ServiceError {
  const lost = new ServiceError("WorkerLost", "The template process was lost.", { retryAfter: 1 });
  process.kill(lost);
  return lost;
}
