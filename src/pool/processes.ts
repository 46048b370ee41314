/** Allocates template processes: up to the maximum, plus one reserved for keys that have none. */

import { ServiceError } from "../base/errors.ts";
import { onAbort } from "../base/time/deadline.ts";
import type { Share } from "./port.ts";
import type { SpawnTemplateProcess, TemplateProcess } from "./template-process.ts";
import { createTemplateQueue, type FairQueueLimits, tooManyWaiting } from "./template-queue.ts";

export interface ProcessRequest {
  readonly share: Share;
  /** Memory it holds while it waits. */
  readonly bytes: number;
  readonly signal: AbortSignal;
  /** Maximum wait, after which the caller is told to retry. */
  readonly waitMs?: number;
  /** Its previous process was lost. */
  readonly isRetry: boolean;
}

export interface Processes {
  /** @throws ServiceError TooManyRequests, Unavailable, the reason of the signal */
  take(claim: ProcessRequest): Promise<TemplateProcess>;
  /** @param cpuMs the cost of its task to the key. */
  release(process: TemplateProcess, share: Share, cpuMs: number): void;
  close(): void;
}

interface Waiter {
  accept(process: TemplateProcess): void;
  fail(why: ServiceError): void;
}

const limits: FairQueueLimits = {
  perKey: 64,
  inAll: 256,
  bytesPerKey: 32 * 1024 * 1024,
  bytesInAll: 128 * 1024 * 1024,
};

/** How long the extra process stays warm while keys take turns on it. */
const spareMs = 10_000;
/** Idle timeout of processes: each holds tens of megabytes. */
const usualRestMs = 300_000;

interface ProcessesOptions {
  /** How long tasks wait for those that run before the extra process is used for them. */
  readonly spareAfterMs?: number | undefined;
  /** Idle timeout; default five minutes. */
  readonly restMs?: number | undefined;
  /** Runs something after a time. @returns takes it back */
  after?(ms: number, run: () => void): () => void;
}

function afterReally(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}

const stopping = () => new ServiceError("Unavailable", "The service is stopping.", { retryAfter: 5 });

export function createProcesses(
  spawn: SpawnTemplateProcess,
  most: number,
  { spareAfterMs = 0, restMs = usualRestMs, after = afterReally }: ProcessesOptions = {},
): Processes {
  const waiting = createTemplateQueue<Waiter>(limits);
  const idle: TemplateProcess[] = [];
  let alive = 0;
  let busy = 0;
  let closed = false;
  let trimming: ReturnType<typeof setTimeout> | undefined;
  let stayAwake = () => {};
  let waited: ReturnType<typeof setTimeout> | undefined;
  /** When a task last began or ended. */
  let movedAt = 0;

  function start(): TemplateProcess {
    alive++;
    const process = spawn();
    void process.over.then(() => {
      alive--;
      const at = idle.indexOf(process);
      if (at >= 0) idle.splice(at, 1);
      // Otherwise waiting tasks would hang if the process that would have served them died.
      dispatch();
    });
    return process;
  }

  function dispatch(): void {
    while (!closed && busy <= most && (idle.length > 0 || alive <= most)) {
      if (busy === most && waiting.size > 0 && !isStuck()) return;
      // The extra process is reserved for keys with nothing running, so that long tasks of one key do not block others.
      const next = waiting.next(busy === most);
      if (!next) return;
      busy++;
      movedAt = performance.now();
      next.accept(idle.pop() ?? start());
    }
  }

  /** Whether what runs has not moved for so long that waiting any longer is worse than a new process. */
  function isStuck(): boolean {
    const leftMs = movedAt + spareAfterMs - performance.now();
    if (leftMs <= 0) return true;
    clearTimeout(waited);
    waited = setTimeout(dispatch, leftMs);
    return false;
  }

  function trim(): void {
    trimming = undefined;
    if (alive > most) idle.shift()?.kill(new ServiceError("Internal", "No longer needed."));
  }

  function rest(): void {
    for (const process of idle.splice(0)) process.kill(new ServiceError("Internal", "No longer needed."));
  }

  return {
    take({ share, bytes, signal, waitMs, isRetry }) {
      return new Promise((resolve, reject) => {
        if (closed) return reject(stopping());
        let late: ReturnType<typeof setTimeout> | undefined;
        let unlisten = () => {};
        const settle = () => {
          clearTimeout(late);
          unlisten();
        };
        const waiter: Waiter = {
          accept(process) {
            settle();
            resolve(process);
          },
          fail(why) {
            settle();
            reject(why);
          },
        };
        const leave = (why: ServiceError) => {
          waiting.remove(waiter);
          waiter.fail(why);
        };
        waiting.add(share, bytes, waiter, isRetry);
        if (waitMs !== undefined)
          late = setTimeout(
            () => leave(tooManyWaiting("Earlier templates took too long.", waiting.size)),
            waitMs,
          );
        unlisten = onAbort(signal, leave);
        dispatch();
      });
    },
    release(process, share, cpuMs) {
      busy--;
      movedAt = performance.now();
      waiting.done(share.key, cpuMs);
      if (!process.killed()) idle.push(process);
      dispatch();
      if (alive > most && idle.length > 0) trimming ??= setTimeout(trim, spareMs);
      stayAwake();
      stayAwake = after(restMs, rest);
    },
    close() {
      closed = true;
      clearTimeout(trimming);
      stayAwake();
      clearTimeout(waited);
      for (const waiter of waiting.clear()) waiter.fail(stopping());
      for (const process of idle.splice(0)) process.kill(stopping());
    },
  };
}
