/** A tree of sharers (callers, and their bulks), with fair queueing on each level. */
import type { Share } from "../store/port.ts";

/** A node shares with its siblings, and its children share its turns. */
export interface ShareNode<T> extends Sharer {
  readonly key: string;
  readonly parent: ShareNode<T> | undefined;
  queued: number;
  readonly children: Map<string, ShareNode<T>>;
  readonly readyChildren: FairQueue<ShareNode<T>>;
  /** For a leaf: items a job can be taken from. */
  readonly readyItems: Set<T>;
}

export interface ShareTree<T> {
  /** The leaf for a path, outermost first. */
  leafOf(path: readonly Share[]): ShareNode<T>;
  /** Adds or removes waiting jobs. */
  change(leaf: ShareNode<T>, count: number): void;
  makeReady(leaf: ShareNode<T>, item: T): void;
  unready(leaf: ShareNode<T>, item: T): void;
  /** Takes the next turn; undefined if nobody is ready. */
  take(): T | undefined;
  queued(): number;
}

export function createShareTree<T>(): ShareTree<T> {
  const root = createNode<T>({ key: "", cost: 1 }, undefined);

  return {
    leafOf(path) {
      let node = root;
      for (const share of path) {
        const child: ShareNode<T> = node.children.get(share.key) ?? createNode(share, node);
        node.children.set(share.key, child);
        node = child;
      }
      return node;
    },
    change(leaf, count) {
      for (let node: ShareNode<T> | undefined = leaf; node; node = node.parent) node.queued += count;
      // Callers keep their virtual time, so that leaving earns no credit; bulks never return.
      if (leaf.queued === 0) leaf.parent?.children.delete(leaf.key);
      else leaf.parent?.children.set(leaf.key, leaf);
    },
    makeReady(leaf, item) {
      leaf.readyItems.add(item);
      for (let node = leaf; node.parent; node = node.parent) node.parent.readyChildren.add(node);
    },
    unready(leaf, item) {
      if (!leaf.readyItems.delete(item)) return;
      for (let node = leaf; node.parent && !isReady(node); node = node.parent)
        node.parent.readyChildren.remove(node);
    },
    take() {
      let node = root;
      for (let child = node.readyChildren.next(); child; child = node.readyChildren.next()) {
        node.readyChildren.served(child);
        node = child;
      }
      for (const item of node.readyItems) return item;
      return undefined;
    },
    queued: () => root.queued,
  };
}

function isReady<T>({ readyItems, readyChildren }: ShareNode<T>): boolean {
  return readyItems.size > 0 || readyChildren.size > 0;
}

function createNode<T>({ key, cost }: Share, parent: ShareNode<T> | undefined): ShareNode<T> {
  return {
    key,
    cost,
    parent,
    virtualTime: 0,
    queued: 0,
    children: new Map(),
    readyChildren: createFairQueue(),
    readyItems: new Set(),
  };
}

/** Fair queueing by virtual time: the sharer that has paid least is next, in constant time. */
interface Sharer {
  /** Total paid for turns; a newcomer starts at the current virtual time. */
  virtualTime: number;
  /** Integer cost of a turn: twice the cost means half the turns. */
  readonly cost: number;
  /** Number of waiting jobs: among equals the one with fewer goes first. */
  readonly queued: number;
}

interface FairQueue<T extends Sharer> {
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

function createFairQueue<T extends Sharer>(): FairQueue<T> {
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
