/** Tells those who wait that a job has ended, and those who watch what its device says. */
import { createLiveOutput } from "./live-output.ts";
import type { JobEnding, JobEvents } from "./port.ts";

export function createJobEvents(): JobEvents {
  const listeners = new Map<string, Set<() => void>>();
  const ofEvery: ((ending: JobEnding) => void)[] = [];

  function call(key: string): void {
    for (const listener of listeners.get(key) ?? []) listener();
  }

  return {
    live: createLiveOutput(),
    announceEnd(ending) {
      const { id, bulkId } = ending;
      call(id);
      if (bulkId !== null) call(bulkId);
      for (const listener of ofEvery) listener(ending);
    },
    onEveryEnd(listener) {
      ofEvery.push(listener);
    },
    onEnd(key, listener) {
      const keyListeners = listeners.get(key) ?? new Set();
      listeners.set(key, keyListeners);
      keyListeners.add(listener);
      return () => {
        keyListeners.delete(listener);
        if (keyListeners.size === 0) listeners.delete(key);
      };
    },
  };
}
