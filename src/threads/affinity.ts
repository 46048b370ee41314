/** Which thread serves a host: the one where its session lives or its tasks run, else the least busy. */

export interface Affinity {
  enter(host: string | undefined): number;
  leave(host: string | undefined): void;
}

export function createAffinity(
  threads: number,
  load: (index: number) => number,
  hasSession: (index: number, host: string) => boolean,
): Affinity {
  const homes = new Map<string, { index: number; tasks: number }>();

  function leastBusy(): number {
    let best = 0;
    for (let index = 1; index < threads; index++) if (load(index) < load(best)) best = index;
    return best;
  }

  return {
    enter(host) {
      if (host === undefined) return leastBusy();
      const known = homes.get(host);
      if (known) {
        known.tasks++;
        return known.index;
      }
      const index = leastBusy();
      homes.set(host, { index, tasks: 1 });
      return index;
    },
    leave(host) {
      const known = host === undefined ? undefined : homes.get(host);
      if (host === undefined || !known) return;
      known.tasks--;
      if (known.tasks === 0 && !hasSession(known.index, host)) homes.delete(host);
    },
  };
}
