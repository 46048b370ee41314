/** Tells those who wait that a job has ended, and those who watch what its device says. */
import { createLiveOutput } from "./live-output.ts";
import type { JobEvents } from "./port.ts";

export function createJobEvents(): JobEvents {
  const listeners = new Map<string, Set<() => void>>();

  function call(key: string): void {
    for (const listener of listeners.get(key) ?? []) listener();
  }

  return {
    live: createLiveOutput(),
    announceEnd(id, bulkId) {
      call(id);
      if (bulkId !== null) call(bulkId);
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
