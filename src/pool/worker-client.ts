/** The main thread's end of a worker: numbered requests, answers to its questions, detection of its loss. */

import { fromErrorData, type ServiceError, toErrorData } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { abortReason, onAbort, within } from "../base/time/deadline.ts";
import type {
  FromWorker,
  KeptSession,
  Port,
  ThreadQuestion,
  ToWorker,
  WorkerSettings,
} from "../protocol/message-port.ts";
import { abandonAfterMs, isOperation, type Task, type TaskValues } from "../protocol/task.ts";
import type { RunOptions } from "./port.ts";

export interface WorkerRunOptions extends RunOptions {
  /** Called when a template process has received the task; otherwise a failure is not due to the task. */
  onBegun?(): void;
}

export interface WorkerClient {
  readonly ready: Promise<void>;
  run<T extends Task>(task: T, options: WorkerRunOptions): Promise<TaskValues[T["kind"]]>;
  running(): number;
  /** Drivers of the running tasks. */
  drivers(): readonly string[];
  sessions(): readonly KeptSession[];
  hasSession(host: string): boolean;
  /** Subsequent tasks use these plugins. */
  reload(plugins: WorkerSettings["plugins"]): void;
  /** Fails all running tasks; called when the thread or process has ended. */
  lost(why: ServiceError): void;
}

export interface WorkerClientOptions {
  readonly port: Port<FromWorker, ToWorker>;
  readonly settings: WorkerSettings;
  readonly log: Log;
  /** A worker with a stopped task that says nothing for this long does not run any more. */
  readonly turnMs: number;
  onHang(): void;
  /** Something was thrown outside of all tasks. Default: it is logged. */
  onBroken?(reason: string): void;
  /** Answers questions of the thread itself. */
  answerThread(question: ThreadQuestion): Promise<unknown>;
  /** CPU time that a template process reports since its start. */
  onCpu?(cpuMs: number): void;
}

/** Several, since after a pause of the whole process the first time runs out before the answer is read. */
const pings = 3;

interface Pending {
  resolve(value: never): void;
  reject(error: ServiceError): void;
  options: WorkerRunOptions;
  driver: string | undefined;
}

export function createWorkerClient(remoteOptions: WorkerClientOptions): WorkerClient {
  const { port, settings, log, turnMs, onHang, onBroken, answerThread, onCpu } = remoteOptions;
  const pending = new Map<number, Pending>();
  let nextId = 1;
  const kept = new Map<number, KeptSession>();
  /** Sessions by host: every job of a pinned host looks this up, and there may be thousands of sessions. */
  const keptOf = new Map<string, number>();
  let gone: ServiceError | undefined;
  let listening = false;
  let plugins = settings.plugins;
  /** Messages of the worker: it runs. */
  let heard = 0;
  const ready = Promise.withResolvers<void>();
  // Callers of `run` see the rejection; without one it must not be unhandled.
  ready.promise.catch(() => {});

  port.onMessage((message) => {
    heard++;
    switch (message.type) {
      case "listening":
        listening = true;
        return port.post({ type: "start", settings: { ...settings, plugins } });
      case "ready":
        if (message.cpuMs !== undefined) onCpu?.(message.cpuMs);
        return ready.resolve();
      case "pong":
        return;
      case "begun":
        return pending.get(message.id)?.options.onBegun?.();
      case "failed":
        log.error("thread.start_failed", { reason: message.error.message });
        return ready.reject(fromErrorData(message.error));
      case "broken":
        if (onBroken) return onBroken(message.reason);
        return log.error("thread.unhandled", { reason: message.reason });
      case "session":
        return sessionChanged(message.session, message.opened);
      case "log":
        return log[message.level](message.event, message.fields);
      case "event":
        return pending.get(message.id)?.options.onEvent?.(message.event);
      case "ask":
        return void answer(message.ask, () => pending.get(message.id)?.options.answer?.(message.question));
      case "askThread":
        return void answer(message.ask, () => answerThread(message.question));
      case "result": {
        if (message.cpuMs !== undefined) onCpu?.(message.cpuMs);
        const waiting = pending.get(message.id);
        pending.delete(message.id);
        if (!waiting) return;
        if (message.result.ok) waiting.resolve(message.result.value as never);
        else waiting.reject(fromErrorData(message.result.error));
      }
    }
  });
  /** Ignores a closed port: the loss of the worker is about to be reported. */
  function post(message: ToWorker): void {
    try {
      port.post(message);
    } catch (error) {
      log.debug("port.gone", { reason: String(error) });
    }
  }

  function sessionChanged(session: KeptSession, opened: boolean): void {
    const changed = opened ? !kept.has(session.id) : kept.delete(session.id);
    if (opened) kept.set(session.id, session);
    if (!changed) return;
    const count = (keptOf.get(session.host) ?? 0) + (opened ? 1 : -1);
    if (count > 0) keptOf.set(session.host, count);
    else keptOf.delete(session.host);
  }

  async function answer(ask: number, find: () => Promise<unknown> | undefined) {
    try {
      port.post({ type: "answer", ask, value: await find() });
    } catch (error) {
      port.post({ type: "refusal", ask, error: toErrorData(error) });
    }
  }

  /**
   * Follows a stopped task to its end. The worker itself leaves behind a driver that does not end, which needs a worker
   * that runs: it is only given up if it answers none of the pings.
   */
  function watchStopped(task: Task, reason: ServiceError, giveUp: (error: ServiceError) => void): () => void {
    const stepMs = turnMs / pings;
    const until = performance.now() + abandonAfterMs(task) + turnMs;
    let timer: ReturnType<typeof setTimeout>;
    let unanswered = 0;
    function ping(): void {
      const before = heard;
      post({ type: "ping" });
      timer = setTimeout(() => {
        unanswered = heard === before ? unanswered + 1 : 0;
        if (unanswered >= pings) return onHang();
        if (unanswered > 0 || performance.now() < until) return ping();
        log.error("thread.task_without_end", { kind: task.kind });
        giveUp(reason);
      }, stepMs);
    }
    ping();
    return () => clearTimeout(timer);
  }

  async function run<T extends Task>(task: T, options: WorkerRunOptions): Promise<TaskValues[T["kind"]]> {
    const { signal } = options.deadline;
    await within(ready.promise, options.deadline.remaining(), signal, () => abortReason(signal));
    if (gone) throw gone;
    if (signal.aborted) throw abortReason(signal);
    const id = nextId++;
    const done = Promise.withResolvers<TaskValues[T["kind"]]>();
    const driver = "driver" in task ? task.driver : undefined;
    pending.set(id, { resolve: done.resolve, reject: done.reject, options, driver });
    let unwatch = () => {};
    const unlisten = onAbort(signal, (reason) => {
      post({ type: "abort", id, reason: toErrorData(reason, "Cancelled") });
      unwatch = watchStopped(task, reason, done.reject);
    });
    try {
      // Throws if the worker has gone; otherwise the caller would wait forever.
      port.post({ type: "run", id, task, deadlineMs: options.deadline.remaining() });
      return await done.promise;
    } finally {
      pending.delete(id);
      unwatch();
      unlisten();
      if (isOperation(task))
        void (options.settled ?? Promise.resolve()).then(() => post({ type: "settled", id }));
    }
  }

  return {
    ready: ready.promise,
    run,
    running: () => pending.size,
    drivers: () => [...new Set([...pending.values()].flatMap(({ driver }) => driver ?? []))],
    sessions: () => [...kept.values()],
    hasSession: (host) => keptOf.has(host),
    reload(found) {
      plugins = found;
      if (listening) post({ type: "plugins", plugins });
    },
    lost(why) {
      gone = why;
      kept.clear();
      keptOf.clear();
      ready.reject(why);
      for (const waiting of pending.values()) {
        const { signal } = waiting.options.deadline;
        // A task that its own deadline ended reports that reason, not the replacement of its thread.
        waiting.reject(signal.aborted ? abortReason(signal) : why);
      }
      pending.clear();
    },
  };
}

/** Extra time to confirm or roll back a push between checks. */
