/** Which thread serves a host: the one where its session lives or its tasks run, else the least busy. */

export interface Affinity {
  enter(host: string | undefined): number;
  leave(index: number, host: string | undefined): void;
}

/** @param sessionOf the thread where a session of the host lives. */
export function createAffinity(threads: number, sessionOf: (host: string) => number | undefined): Affinity {
  /** Tasks of each thread, those that still wait for it to start included. */
  const loads = new Array<number>(threads).fill(0);
  /** Only hosts with tasks: those with a session are known by it. */
  const homes = new Map<string, { index: number; tasks: number }>();

  function leastBusy(): number {
    let best = 0;
    for (let index = 1; index < threads; index++) if (load(index) < load(best)) best = index;
    return best;
  }

  function load(index: number): number {
    return loads[index] ?? 0;
  }

  function add(index: number, tasks: number): void {
    loads[index] = load(index) + tasks;
  }

  return {
    enter(host) {
      const home = host === undefined ? undefined : homes.get(host);
      const index = home?.index ?? (host === undefined ? undefined : sessionOf(host)) ?? leastBusy();
      add(index, 1);
      if (home) home.tasks++;
      else if (host !== undefined) homes.set(host, { index, tasks: 1 });
      return index;
    },
    leave(index, host) {
      add(index, -1);
      const home = host === undefined ? undefined : homes.get(host);
      if (host === undefined || !home) return;
      home.tasks--;
      if (home.tasks === 0) homes.delete(host);
    },
  };
}
