/** A tree of sharers (callers, and their bulks), with fair queueing on each level. */
import type { Share } from "../store/port.ts";
import { createFairQueue, type FairQueue, type Sharer } from "./fair-queue.ts";

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
