/**
 * Limits connections in total and per address. A new connection replaces the least recently used one: a client that
 * opens many and sends nothing loses its own first, and keeps no one else out.
 */
import type { ConnectionLimits } from "./listener.ts";

export interface ConnectionSlots<T> {
  /** @returns false if every candidate for eviction is in use; the new connection is rejected. */
  enter(held: T, address: string): boolean;
  /** Marks it as the most recently used. */
  used(held: T): void;
  leave(held: T): void;
  cutAll(): void;
}

interface RoomOptions<T> {
  readonly limits: ConnectionLimits;
  /** Responses are pending on it, so it must not be evicted. */
  isInUse(held: T): boolean;
  cut(held: T): void;
}

export function createConnectionSlots<T extends object>({
  limits,
  isInUse,
  cut,
}: RoomOptions<T>): ConnectionSlots<T> {
  /** In order of use, least recent first. */
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
      // Re-adds the set, which an eviction may have removed.
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
