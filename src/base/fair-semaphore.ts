/** Work that fills the processor or the memory for a while: few at once, the API keys taking turns. */
import { abortReason } from "./deadline.ts";
import { yieldToEventLoop } from "./yield.ts";

export interface FairSemaphore {
  /** Waits for a turn. @returns ends it, once. */
  acquire(key: string): Promise<() => void>;
  /**
   * The event loop passes between two of them.
   * @throws the reason of the signal when it ends before the work has begun.
   */
  run<T>(key: string, signal: AbortSignal, work: () => T | Promise<T>): Promise<T>;
}

export interface SemaphoreLimits {
  readonly atOnce: number;
  readonly perKey: number;
  /** One has ended. */
  readonly onLeave?: () => void;
}

export function createFairSemaphore({ atOnce, perKey, onLeave }: SemaphoreLimits): FairSemaphore {
  /** In order of their turns: a key that had one stands at the end. */
  const waiting = new Map<string, (() => void)[]>();
  const busy = new Map<string, number>();
  let running = 0;

  function leave(key: string): void {
    const left = (busy.get(key) ?? 0) - 1;
    running--;
    if (left > 0) busy.set(key, left);
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
        // Small requests of others pass between two heavy ones.
        void yieldToEventLoop().then(release);
      }
    },
  };
}
