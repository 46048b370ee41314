/** Reads log entries older than the tail from the store, in cached pieces that reconnecting listeners share. */
import { LRUCache } from "lru-cache";
import type { Store } from "../store/port.ts";
import { type Batch, batchOf } from "./batch.ts";

export interface EventHistory {
  /**
   * The piece with change `n`, up to `upTo`; undefined if it is no longer kept.
   * @throws ServiceError Unavailable
   */
  pieceWith(n: number, upTo: number): Promise<Batch | undefined>;
}

const size = 500;
const maxPieces = 64;

export function createEventHistory({ events }: Pick<Store, "events">): EventHistory {
  const pieces = new LRUCache<string, Promise<Batch | undefined>>({ max: maxPieces });

  async function read(from: number, to: number): Promise<Batch | undefined> {
    const changes = await events.after(from, to - from);
    return batchOf(changes.filter(({ n }) => n <= to));
  }

  return {
    pieceWith(n, upTo) {
      const from = Math.floor((n - 1) / size) * size;
      const to = Math.min(from + size, upTo);
      const key = `${from} ${to}`;
      const cached = pieces.get(key);
      if (cached !== undefined) return cached;
      const piece = read(from, to);
      pieces.set(key, piece);
      piece.catch(() => pieces.delete(key));
      return piece;
    },
  };
}
