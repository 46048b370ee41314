/** Tells those who wait that a job has ended. */

export interface Ends {
  announce(id: string, bulkId: string | null): void;
  /** Called for each end of this job or bulk until it is told to stop. */
  listen(idOrBulk: string, listener: () => void): () => void;
}

export function createEnds(): Ends {
  const listeners = new Map<string, Set<() => void>>();

  function call(key: string): void {
    for (const listener of listeners.get(key) ?? []) listener();
  }

  return {
    announce(id, bulkId) {
      call(id);
      if (bulkId !== null) call(bulkId);
    },
    listen(key, listener) {
      const own = listeners.get(key) ?? new Set();
      listeners.set(key, own);
      own.add(listener);
      return () => {
        own.delete(listener);
        if (own.size === 0) listeners.delete(key);
      };
    },
  };
}
