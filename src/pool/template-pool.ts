/** Renders and parses in processes that are killed above their limits; what a lost one had begun is done once more. */
import { abortReason, onAbort } from "../base/deadline.ts";
import { ServiceError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { WorkerSettings } from "../protocol/message-port.ts";
import type { TaskValues, TemplateTask } from "../protocol/task.ts";
import { createSharedMemory } from "./memory.ts";
import { watchTask } from "./meter.ts";
import type { RunOptions, Share, TemplatePool } from "./port.ts";
import { createProcesses } from "./processes.ts";
import { type SpawnTemplateChild, startTemplateProcess, type TemplateProcess } from "./template-process.ts";

export interface TemplatePoolOptions {
  readonly spawn: SpawnTemplateChild;
  /** Most processes at once, and one more for keys for which none runs. */
  readonly processes: number;
  readonly settings: Omit<WorkerSettings, "role">;
  readonly log: Log;
  /** CPU time one task may use unless it asks for another limit. */
  readonly limitMs: number;
  /** Resident memory above which a process is killed. */
  readonly memoryBytes: number;
}

/** Compiled templates stay in a process; a fresh one now and then bounds what strangers can fill it with. */
const tasksPerProcess = 20_000;
/** What all processes may hold together, as a multiple of what one may. */
const memoryOfAll = 1.25;
/** A process that holds more than this share of what it may between two tasks is replaced. */
const restingShare = 0.5;
const lookEvery = 16;
/** Rendering and parsing change nothing: what a process that died under it may have lost is done once more. */
const mostTries = 2;
/** Each process may be dead before that is known here, and so may those started next to it. */
const mostUnreached = 16;

/** Tasks that nobody in particular asked for share one key. */
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
  const processes = createProcesses(startOne, options.processes);

  async function run<T extends TemplateTask>(
    task: T,
    runOptions: RunOptions,
  ): Promise<TaskValues[T["kind"]]> {
    let tries = 0;
    for (let unreached = 0; ; ) {
      const end = await attempt(task, runOptions, tries + unreached > 0);
      if ("value" in end) return end.value;
      // One that was dead before it could be told its task says nothing about the task.
      if (end.begun ? ++tries >= mostTries : ++unreached >= mostUnreached) throw end.crash;
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
      // What was killed could not say what it had computed: the last look tells.
      const cpuMs = Math.max(unwatch?.() ?? 0, process.cpuMs() - beforeMs);
      unlisten();
      // A runtime does not give back what one task has taken.
      const swollen = memory.last(process) > options.memoryBytes * restingShare;
      // Short tasks end before they are looked at.
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

const doing = {
  render: "The template was still rendering",
  parse: "The text was still being parsed",
  inventory: "The inventory was still being read",
  evaluate: "The expression was still being computed",
};

function nameOf(task: TemplateTask): string {
  if (task.kind === "evaluate") return "jsonata";
  return task.kind === "inventory" ? task.format : task.engine;
}

function bytesOf(task: TemplateTask): number {
  if (task.kind === "inventory") return task.text.length;
  if (task.kind === "evaluate") return task.json.length + task.expression.length;
  const texts = task.kind === "render" ? [task.contextJson] : task.texts;
  return texts.reduce((sum, text) => sum + text.length, task.source.length);
}

/** It could not even be told its task: it has ended, and that is not known here yet. */
function unreachable(process: TemplateProcess): ServiceError {
  const lost = new ServiceError("WorkerLost", "The template process was lost.", { retryAfter: 1 });
  process.kill(lost);
  return lost;
}
