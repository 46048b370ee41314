/** Semaphore for CPU- or memory-intensive work: limits concurrency and grants slots to API keys in turn. */

import { ServiceError } from "../errors.ts";
import { abortReason, within } from "../time/deadline.ts";
import { yieldToEventLoop } from "../time/yield.ts";

export interface FairSemaphore {
  /**
   * Waits for a slot.
   * @returns releases it, once.
   */
  acquire(key: string): Promise<() => void>;
  /**
   * The same for the beginning of a request, which nobody should wait for too long.
   * @throws ServiceError TooManyRequests after `maxWaitMs`; the reason of the signal if it aborts earlier
   */
  acquireSoon(key: string, signal: AbortSignal): Promise<() => void>;
  /**
   * Yields to the event loop after each run.
   * @throws the reason of the signal if it aborts before the work has begun.
   */
  run<T>(key: string, signal: AbortSignal, work: () => T | Promise<T>): Promise<T>;
  /** The same, waiting as `acquireSoon`. */
  runSoon<T>(key: string, signal: AbortSignal, work: () => T | Promise<T>): Promise<T>;
}

export interface SemaphoreLimits {
  readonly atOnce: number;
  readonly perKey: number;
  /** Called when a run has ended. */
  readonly onLeave?: () => void;
  readonly maxWaitMs?: number;
}

/** Clients and proxies often give up after 30 or 60 s, and then do not know what has happened. */
const usualMaxWaitMs = 20_000;
const retryAfterS = 10;

export function createFairSemaphore({
  atOnce,
  perKey,
  onLeave,
  maxWaitMs = usualMaxWaitMs,
}: SemaphoreLimits): FairSemaphore {
  /** In round-robin order: a key that had its turn moves to the end. */
  const waiting = new Map<string, (() => void)[]>();
  const busy = new Map<string, number>();
  let running = 0;

  function leave(key: string): void {
    const remaining = (busy.get(key) ?? 0) - 1;
    running--;
    if (remaining > 0) busy.set(key, remaining);
    else busy.delete(key);
    onLeave?.();
    next();
  }

  function next(): void {
    for (const [key, queue] of waiting) {
      if (running >= atOnce) return;
      if ((busy.get(key) ?? 0) >= perKey) continue;
      waiting.delete(key);
      const resume = queue.shift();
      if (queue.length > 0) waiting.set(key, queue);
      busy.set(key, (busy.get(key) ?? 0) + 1);
      running++;
      resume?.();
    }
  }

  /** A turn that came at the same moment is given back. */
  function giveUp(key: string, waiter: () => void): void {
    const queue = waiting.get(key) ?? [];
    const at = queue.indexOf(waiter);
    if (at >= 0) queue.splice(at, 1);
    else leave(key);
    if (queue.length === 0) waiting.delete(key);
  }

  function enter(key: string): { readonly turn: Promise<void>; readonly waiter: () => void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    const queue = waiting.get(key);
    if (queue) queue.push(resolve);
    else waiting.set(key, [resolve]);
    next();
    return { turn: promise, waiter: resolve };
  }

  function releaseOf(key: string): () => void {
    let released = false;
    return () => {
      if (!released) leave(key);
      released = true;
    };
  }

  async function acquire(key: string): Promise<() => void> {
    await enter(key).turn;
    return releaseOf(key);
  }

  async function acquireSoon(key: string, signal: AbortSignal): Promise<() => void> {
    const { turn, waiter } = enter(key);
    try {
      await within(turn, maxWaitMs, signal, () => tooBusy(maxWaitMs));
    } catch (error) {
      giveUp(key, waiter);
      throw error;
    }
    return releaseOf(key);
  }

  async function runIn<T>(release: () => void, signal: AbortSignal, work: () => T | Promise<T>): Promise<T> {
    try {
      if (signal.aborted) throw abortReason(signal);
      return await work();
    } finally {
      // Lets small requests of other callers run between two heavy ones.
      void yieldToEventLoop().then(release);
    }
  }

  return {
    acquire,
    acquireSoon,
    run: async (key, signal, work) => runIn(await acquire(key), signal, work),
    runSoon: async (key, signal, work) => runIn(await acquireSoon(key, signal), signal, work),
  };
}

function tooBusy(maxWaitMs: number): ServiceError {
  return new ServiceError(
    "TooManyRequests",
    `The service is busy with other large requests: no turn came within ${maxWaitMs / 1000} s.`,
    { retryAfter: retryAfterS },
  );
}
