/**
 * Spaces the transactions of this node when several nodes write at once. Transactions then wait here, where later
 * statements can still join them, instead of on the server. There, a waiting transaction holds a snapshot that the next
 * commit makes stale and that blocks the checkpoint of the WAL. Also, libsql-server 0.24.32 drops it from the lock
 * queue while a checkpoint runs but keeps its place, and then grants the lock to no one, for 5 s or forever. Nodes with
 * equal spacing take turns, in the order in which they first got the lock.
 */
import { pause } from "../../../../base/time/deadline.ts";

export interface TransactionSpacing {
  /** Resolves when the next transaction may be sent; undefined: now. */
  turn(): Promise<void> | undefined;
  /**
   * To be called when a transaction has got the lock.
   * @param sentAt monotonic ms
   * @param waitedMs for the lock, as reported by the server
   */
  locked(sentAt: number, waitedMs: number): void;
  /** To be called when the server's wait for the lock has timed out. */
  refused(): void;
}

const leastMs = 16;
/** A refused transaction has waited for 100 ms. */
const refusedMs = 64;
const maxMs = 128;
/**
 * If a node waits for the lock more than the first share of its time, the spacing is doubled; less than the second,
 * halved.
 */
const crowded = 0.2;
const quiet = 0.1;
/** Upper bound as a multiple of the average wait: a server that is slow overall is not congested. */
const maxTimes = 6;
/** How many transactions must be counted before the spacing is increased, and before it is reduced. */
const few = 4;
const many = 16;

export function createTransactionSpacing(now: () => number = () => performance.now()): TransactionSpacing {
  let distanceMs = 0;
  let lockedAt = 0;
  let since = now();
  let count = 0;
  let waited = 0;

  function become(ms: number): void {
    distanceMs = ms < leastMs ? 0 : Math.min(ms, maxMs);
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
      if (share > crowded) become(Math.min(Math.max(leastMs, distanceMs * 2), (waited / count) * maxTimes));
      else if (count >= many) become(share < quiet ? distanceMs / 2 : distanceMs);
    },
    refused: () => become(Math.max(refusedMs, distanceMs * 2)),
  };
}
