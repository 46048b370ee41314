/** Whose turn it is among many that share alike: the one that has had least; asking costs the same however many they are. */

export interface Sharer {
  /** Turns it has had, raised to those of the others when it comes. */
  virtualTime: number;
  /** What it has waiting: among equals the one with less goes first. */
  readonly queued: number;
}

export interface FairQueue<T extends Sharer> {
  /** It gains nothing by having been away: its time is raised to that of who was served last. */
  add(sharer: T): void;
  remove(sharer: T): void;
  has(sharer: T): boolean;
  next(): T | undefined;
  /** It had its turn. */
  served(sharer: T): void;
  readonly size: number;
}

/** Equals that are compared by what they have waiting: thousands of bulks of one caller are not looked through each time. */
const mostCompared = 32;

export function createFairQueue<T extends Sharer>(): FairQueue<T> {
  /** By time; times only grow, so that the search for the least one never goes back. */
  const buckets = new Map<number, Set<T>>();
  const members = new Set<T>();
  let clock = 0;

  function put(sharer: T): void {
    const bucket = buckets.get(sharer.virtualTime) ?? new Set();
    bucket.add(sharer);
    buckets.set(sharer.virtualTime, bucket);
  }

  function take(sharer: T): void {
    const bucket = buckets.get(sharer.virtualTime);
    bucket?.delete(sharer);
    if (bucket?.size === 0) buckets.delete(sharer.virtualTime);
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
        if (best === undefined || sharer.queued < best.queued) best = sharer;
        if (++compared === mostCompared) break;
      }
      return best;
    },
    served(sharer) {
      const ready = members.has(sharer);
      if (ready) take(sharer);
      sharer.virtualTime++;
      if (ready) put(sharer);
    },
    get size() {
      return members.size;
    },
  };
}
