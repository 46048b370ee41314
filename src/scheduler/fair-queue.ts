/** Whose turn it is among many that share: the one that has paid least for its turns; asking costs the same however many they are. */

export interface Sharer {
  /** What it has paid for its turns, raised to what the others have paid when it comes. */
  virtualTime: number;
  /** Of a turn, a whole number: who pays twice as much gets half as many. */
  readonly cost: number;
  /** What it has waiting: among equals that pay the same, the one with less goes first. */
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
  /** By when each comes; that only grows, so that the search for the first one never goes back. */
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
        if (++compared === mostCompared) break;
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

/** A turn is paid before it comes: who pays ten waits until those who pay one have had their nine. */
function turnOf({ virtualTime, cost }: Sharer): number {
  return virtualTime + cost - 1;
}

function comesBefore(a: Sharer, b: Sharer): boolean {
  return a.cost === b.cost ? a.queued < b.queued : a.cost < b.cost;
}
