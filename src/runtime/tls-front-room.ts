/**
 * How many connections are held, in all and of one address. A further one takes the place of the one that has been of no
 * use for longest: whoever opens many and asks nothing loses his own first, and keeps nobody out.
 */
import type { ConnectionLimits } from "./listener.ts";

export interface Room<T> {
  /** @returns false: all that could make room are in use, and this one is not taken. */
  enter(held: T, address: string): boolean;
  /** It is the last one to make room. */
  used(held: T): void;
  leave(held: T): void;
  cutAll(): void;
}

interface RoomOptions<T> {
  readonly limits: ConnectionLimits;
  /** Something is owed to it: it makes no room. */
  isInUse(held: T): boolean;
  cut(held: T): void;
}

export function createRoom<T extends object>({ limits, isInUse, cut }: RoomOptions<T>): Room<T> {
  /** By use, the longest unused first. */
  const all = new Map<T, string>();
  const byAddress = new Map<string, Set<T>>();

  function leave(held: T): void {
    const address = all.get(held);
    if (address === undefined) return;
    all.delete(held);
    const same = byAddress.get(address);
    same?.delete(held);
    if (same?.size === 0) byAddress.delete(address);
  }

  function makeRoom(among: Iterable<T>): boolean {
    for (const held of among) {
      if (isInUse(held)) continue;
      leave(held);
      cut(held);
      return true;
    }
    return false;
  }

  return {
    enter(held, address) {
      const same = byAddress.get(address) ?? new Set();
      const isFull = same.size >= limits.perAddress;
      if (isFull && !makeRoom(same)) return false;
      if (!isFull && all.size >= limits.inAll && !makeRoom(all.keys())) return false;
      all.set(held, address);
      // Of one that made room the set may have gone.
      byAddress.set(address, same.add(held));
      return true;
    },
    used(held) {
      const address = all.get(held);
      const same = address === undefined ? undefined : byAddress.get(address);
      if (address === undefined || same === undefined) return;
      all.delete(held);
      all.set(held, address);
      same.delete(held);
      same.add(held);
    },
    leave,
    cutAll() {
      for (const held of [...all.keys()]) {
        leave(held);
        cut(held);
      }
    },
  };
}
