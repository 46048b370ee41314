/** The pool of template processes: warm, one task each, killed above its limits. */
import { abortReason, onAbort } from "../base/deadline.ts";
import { ServiceError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { WorkerSettings } from "../protocol/port.ts";
import type { ParseTask, RenderTask, TaskValues } from "../protocol/task.ts";
import type { RunOptions } from "./api.ts";
import { type SpawnTemplateChild, startProcess, type TemplateProcess } from "./child.ts";
import { watchTask } from "./meter.ts";

export interface Templates {
  run<T extends RenderTask | ParseTask>(task: T, options: RunOptions): Promise<TaskValues[T["kind"]]>;
  /** Starts the first process, so that the first request finds it warm. */
  warm(): void;
  close(): void;
}

export interface TemplatesOptions {
  readonly spawn: SpawnTemplateChild;
  /** Most processes at once. */
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
/** Rendering and parsing change nothing: what a process that died under it may have lost is done once more. */
const mostTries = 2;
/** Each process may be dead before that is known here, and so may those started next to it. */
const mostUnreached = 16;

export function createTemplates(options: TemplatesOptions): Templates {
  const { spawn, processes, settings, log } = options;
  const idle: (TemplateProcess & { done: number })[] = [];
  const waiting: ((process: TemplateProcess & { done: number }) => void)[] = [];
  let count = 0;
  let closed = false;

  function start() {
    count++;
    const process = { ...startProcess(spawn, { ...settings, role: "template" }, log), done: 0 };
    void process.over.then(() => {
      count--;
      const at = idle.indexOf(process);
      if (at >= 0) idle.splice(at, 1);
      // Those who wait must not wait for ever because the process that would have served them died.
      if (!closed && waiting.length > 0 && count < processes) give(start());
    });
    return process;
  }

  function give(process: TemplateProcess & { done: number }) {
    const next = waiting.shift();
    if (next) next(process);
    else idle.push(process);
  }

  function take(signal: AbortSignal): Promise<TemplateProcess & { done: number }> {
    const free = idle.pop();
    if (free) return Promise.resolve(free);
    if (count < processes) return Promise.resolve(start());
    return new Promise((resolve, reject) => {
      const unlisten = onAbort(signal, (reason) => {
        const at = waiting.indexOf(accept);
        if (at >= 0) waiting.splice(at, 1);
        reject(reason);
      });
      const accept = (process: TemplateProcess & { done: number }) => {
        unlisten();
        resolve(process);
      };
      waiting.push(accept);
    });
  }

  async function run<T extends RenderTask | ParseTask>(
    task: T,
    runOptions: RunOptions,
  ): Promise<TaskValues[T["kind"]]> {
    let tries = 0;
    for (let unreached = 0; ; ) {
      const end = await attempt(task, runOptions);
      if ("value" in end) return end.value;
      // One that was dead before it could be told its task says nothing about the task.
      if (end.begun ? ++tries >= mostTries : ++unreached >= mostUnreached) throw end.fell;
      if (end.begun) log.warn("template.process_lost", { engine: task.engine, reason: end.fell.message });
    }
  }

  async function attempt<T extends RenderTask | ParseTask>(
    task: T,
    runOptions: RunOptions,
  ): Promise<{ value: TaskValues[T["kind"]] } | { fell: ServiceError; begun: boolean }> {
    if (closed) throw new ServiceError("Unavailable", "The service is stopping.", { retryAfter: 5 });
    const { signal } = runOptions.deadline;
    const process = await take(signal);
    let begun = false;
    let unwatch: (() => number) | undefined;
    const onBegun = () => {
      begun = true;
      unwatch = watchTask(process, {
        cpuMs: runOptions.limitMs ?? options.limitMs,
        memoryBytes: options.memoryBytes,
        doing:
          task.kind === "render" ? "The template was still rendering" : "The text was still being parsed",
      });
    };
    const unlisten = onAbort(signal, (reason) => process.kill(reason));
    try {
      return { value: await process.remote.run(task, { ...runOptions, onBegun }) };
    } catch (error) {
      if (signal.aborted) throw abortReason(signal);
      if (!(error instanceof ServiceError)) return { fell: unreachable(process), begun };
      if (process.fell()) return { fell: error, begun };
      throw error;
    } finally {
      unwatch?.();
      unlisten();
      if (++process.done >= tasksPerProcess) process.kill(new ServiceError("Internal", "recycled"));
      if (!process.killed()) give(process);
    }
  }

  return {
    run,
    warm() {
      if (count === 0) idle.push(start());
    },
    close() {
      closed = true;
      for (const process of idle.splice(0))
        process.kill(new ServiceError("Unavailable", "The service is stopping."));
    },
  };
}

/** It could not even be told its task: it has ended, and that is not known here yet. */
function unreachable(process: TemplateProcess): ServiceError {
  const lost = new ServiceError("WorkerLost", "The template process was lost.", { retryAfter: 1 });
  process.kill(lost);
  return lost;
}
