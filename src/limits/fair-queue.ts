/** Fair queueing by virtual time: the sharer that has paid least is next, in constant time. */

export interface Sharer {
  /** Total paid for turns; a newcomer starts at the current virtual time. */
  virtualTime: number;
  /** Integer cost of a turn: twice the cost means half the turns. */
  readonly cost: number;
  /** Number of waiting jobs: among equals the one with fewer goes first. */
  readonly queued: number;
}

export interface FairQueue<T extends Sharer> {
  /** Adds a sharer at the current virtual time, so that absence earns no credit. */
  add(sharer: T): void;
  remove(sharer: T): void;
  has(sharer: T): boolean;
  next(): T | undefined;
  /** Charges a turn. */
  served(sharer: T): void;
  readonly size: number;
}

/** Maximum number of equals compared by waiting jobs, to bound the work. */
const maxCompared = 32;

export function createFairQueue<T extends Sharer>(): FairQueue<T> {
  /** Buckets by time of the next turn, which only grows, so that the search never goes back. */
  const buckets = new Map<number, Set<T>>();
  const members = new Set<T>();
  let clock = 0;

  function put(sharer: T): void {
    const time = turnOf(sharer);
    const bucket = buckets.get(time) ?? new Set();
    bucket.add(sharer);
    buckets.set(time, bucket);
  }

  function take(sharer: T): void {
    const time = turnOf(sharer);
    const bucket = buckets.get(time);
    bucket?.delete(sharer);
    if (bucket?.size === 0) buckets.delete(time);
  }

  return {
    add(sharer) {
      if (members.has(sharer)) return;
      sharer.virtualTime = Math.max(sharer.virtualTime, clock);
      members.add(sharer);
      put(sharer);
    },
    remove(sharer) {
      if (members.delete(sharer)) take(sharer);
    },
    has: (sharer) => members.has(sharer),
    next() {
      if (members.size === 0) return undefined;
      while (!buckets.has(clock)) clock++;
      let best: T | undefined;
      let compared = 0;
      for (const sharer of buckets.get(clock) ?? []) {
        if (best === undefined || comesBefore(sharer, best)) best = sharer;
        if (++compared === maxCompared) break;
      }
      return best;
    },
    served(sharer) {
      const ready = members.has(sharer);
      if (ready) take(sharer);
      sharer.virtualTime += sharer.cost;
      if (ready) put(sharer);
    },
    get size() {
      return members.size;
    },
  };
}

/** Turns are paid in advance: cost 10 waits until those with cost 1 have had nine turns. */
function turnOf({ virtualTime, cost }: Sharer): number {
  return virtualTime + cost - 1;
}

function comesBefore(a: Sharer, b: Sharer): boolean {
  return a.cost === b.cost ? a.queued < b.queued : a.cost < b.cost;
}
