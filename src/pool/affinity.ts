/** Assigns hosts to threads: the one that has the host's session or runs its tasks, otherwise the least busy. */

export interface Affinity {
  enter(host: string | undefined): number;
  leave(index: number, host: string | undefined): void;
}

/** @param sessionOf the thread that has a session with the host. */
export function createAffinity(threads: number, sessionOf: (host: string) => number | undefined): Affinity {
  /** Tasks per thread, including those that wait for it to start. */
  const loads = new Array<number>(threads).fill(0);
  /** Only hosts with running tasks; hosts with a session are found through it. */
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
