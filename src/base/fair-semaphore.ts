/** Semaphore for CPU- or memory-intensive work: limits concurrency and grants slots to API keys in turn. */
import { abortReason } from "./deadline.ts";
import { yieldToEventLoop } from "./yield.ts";

export interface FairSemaphore {
  /**
   * Waits for a slot.
   * @returns releases it, once.
   */
  acquire(key: string): Promise<() => void>;
  /**
   * Yields to the event loop after each run.
   * @throws the reason of the signal if it aborts before the work has begun.
   */
  run<T>(key: string, signal: AbortSignal, work: () => T | Promise<T>): Promise<T>;
}

export interface SemaphoreLimits {
  readonly atOnce: number;
  readonly perKey: number;
  /** Called when a run has ended. */
  readonly onLeave?: () => void;
}

export function createFairSemaphore({ atOnce, perKey, onLeave }: SemaphoreLimits): FairSemaphore {
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

  async function acquire(key: string): Promise<() => void> {
    await new Promise<void>((resolve) => {
      const queue = waiting.get(key);
      if (queue) queue.push(resolve);
      else waiting.set(key, [resolve]);
      next();
    });
    let released = false;
    return () => {
      if (!released) leave(key);
      released = true;
    };
  }

  return {
    acquire,
    async run(key, signal, work) {
      const release = await acquire(key);
      try {
        if (signal.aborted) throw abortReason(signal);
        return await work();
      } finally {
        // Lets small requests of other callers run between two heavy ones.
        void yieldToEventLoop().then(release);
      }
    },
  };
}
