/** Work that fills the processor or the memory for a while: few at once, the API keys taking turns. */
import { abortReason } from "../base/deadline.ts";
import { yieldToEventLoop } from "../base/yield.ts";
import type { FairSemaphore, SemaphoreLimits } from "./port.ts";

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
