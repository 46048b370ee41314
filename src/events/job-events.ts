/** Notifies waiters of job ends, and watchers of live output. */
import { createLiveOutput } from "./live-output.ts";
import type { JobEnding, JobEvents } from "./notices.ts";

/** Maximum remembered; for others the store is queried. */
const maxOpen = 10_000;

export function createJobEvents(): JobEvents {
  const listeners = new Map<string, Set<() => void>>();
  const ofEvery: ((ending: JobEnding) => void)[] = [];
  /** In order of submission. Not an LRUCache, which clears all slots when its last entry goes (30 µs per lone job). */
  const open = new Set<string>();

  function call(key: string): void {
    for (const listener of listeners.get(key) ?? []) listener();
  }

  return {
    live: createLiveOutput(),
    announceEnd(ending) {
      const { id, bulkId } = ending;
      open.delete(id);
      call(id);
      if (bulkId !== null) call(bulkId);
      for (const listener of ofEvery) listener(ending);
    },
    takenElsewhere(id) {
      open.delete(id);
      call(id);
    },
    submitted(id) {
      open.add(id);
      const oldest = open.size > maxOpen ? open.values().next().value : undefined;
      if (oldest !== undefined) open.delete(oldest);
    },
    isOpen: (id) => open.has(id),
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
