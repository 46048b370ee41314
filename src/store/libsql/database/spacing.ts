/**
 * The distance between the transactions of this node, when several nodes write at once. What would wait in the server
 * waits here instead, where it still becomes one transaction with what comes meanwhile. In the server it would wait with
 * a snapshot that the next commit makes stale, would keep the log from being taken into the database, and in
 * libsql-server 0.24.32 leaves the queue for the lock while a checkpoint runs, though its place stays: the lock is then
 * given to nobody, for 5 s or for ever. Nodes with the same distance come one after the other, as the first round that
 * they had to wait has ordered them.
 */
import { pause } from "../../../base/deadline.ts";

export interface Spacing {
  /** Resolves when the next transaction may be sent; undefined: now. */
  turn(): Promise<void> | undefined;
  /** A transaction got the lock. @param sentAt monotonic @param waitedMs for the lock, as the server says */
  locked(sentAt: number, waitedMs: number): void;
  /** The server gave up waiting for the lock. */
  refused(): void;
}

const leastMs = 16;
/** What was refused has waited for 100 ms. */
const refusedMs = 64;
const mostMs = 128;
/** Of its time a node may wait for the lock this much, before its distance is doubled, and this little, before it is halved. */
const crowded = 0.2;
const quiet = 0.1;
/** Nor is it further than so many times what one has waited: a machine that is slow in all is no crowd. */
const mostTimes = 6;
/** So many transactions say that it is crowded, and so many that it is not. */
const few = 4;
const many = 16;

export function createSpacing(now: () => number = () => performance.now()): Spacing {
  let distanceMs = 0;
  let lockedAt = 0;
  let since = now();
  let count = 0;
  let waited = 0;

  function become(ms: number): void {
    distanceMs = ms < leastMs ? 0 : Math.min(ms, mostMs);
    count = 0;
    waited = 0;
    since = now();
  }

  return {
    turn() {
      const leftMs = lockedAt + distanceMs - now();
      return leftMs < 1 ? undefined : pause(leftMs);
    },
    locked(sentAt, waitedMs) {
      if (count === 0) since = Math.min(since, sentAt);
      lockedAt = sentAt + waitedMs;
      count++;
      waited += waitedMs;
      if (count < few) return;
      const share = waited / Math.max(1, now() - since);
      if (share > crowded) become(Math.min(Math.max(leastMs, distanceMs * 2), (waited / count) * mostTimes));
      else if (count >= many) become(share < quiet ? distanceMs / 2 : distanceMs);
    },
    refused: () => become(Math.max(refusedMs, distanceMs * 2)),
  };
}
