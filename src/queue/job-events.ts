/** Tells those who wait that a job has ended, and those who watch what its device says. */
import { createLiveOutput, type LiveOutput } from "./live-output.ts";

export interface JobEvents {
  announceEnd(id: string, bulkId: string | null): void;
  /** Called for each end of this job or bulk until it is told to stop. */
  onEnd(idOrBulk: string, listener: () => void): () => void;
  readonly live: LiveOutput;
}

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
