/** Queue for template processes: fair share per API key, jobs before waiting callers, with bounds for callers. */
import { LRUCache } from "lru-cache";
import { ServiceError } from "../base/errors.ts";
import type { Share } from "./port.ts";

export interface FairQueueLimits {
  /** Callers that may wait; jobs are already limited by the slots of their node. */
  readonly perKey: number;
  readonly inAll: number;
  /** Size of waiting templates and contexts. */
  readonly bytesPerKey: number;
  readonly bytesInAll: number;
}

export interface FairQueue<T> {
  /** @throws ServiceError TooManyRequests */
  add(share: Share, bytes: number, item: T, isRetry: boolean): void;
  remove(item: T): void;
  /**
   * Removes the next item, which now counts as running.
   * @param onlyIdle only consider keys that have nothing running.
   */
  next(onlyIdle: boolean): T | undefined;
  /** A running item has ended, at this cost. */
  done(key: string, cpuMs: number): void;
  /** Removes and returns all waiting items. */
  clear(): T[];
  readonly size: number;
}

interface Entry<T> {
  readonly share: Share;
  readonly bytes: number;
  readonly item: T;
}

interface Sharer<T> {
  readonly key: string;
  running: number;
  /** CPU time used while in the queue, initially raised to the minimum of the others. */
  usedMs: number;
  readonly jobs: Entry<T>[];
  readonly calls: Entry<T>[];
  bytes: number;
}

const maxRemembered = 1_000;

export function createTemplateQueue<T>(limits: FairQueueLimits): FairQueue<T> {
  const sharers = new Map<string, Sharer<T>>();
  /** Usage of keys that left, so that returning does not reset it. */
  const former = new LRUCache<string, number>({ max: maxRemembered });
  let calls = 0;
  let bytes = 0;
  let size = 0;

  function sharerOf(key: string): Sharer<T> {
    const existing = sharers.get(key);
    if (existing) return existing;
    // An absence does not earn credit.
    const least = Math.min(...[...sharers.values()].map(({ usedMs }) => usedMs));
    const usedMs = Math.max(former.get(key) ?? 0, Number.isFinite(least) ? least : 0);
    const newSharer: Sharer<T> = { key, running: 0, usedMs, jobs: [], calls: [], bytes: 0 };
    sharers.set(key, newSharer);
    return newSharer;
  }

  function forget(sharer: Sharer<T>): void {
    if (sharer.running + sharer.jobs.length + sharer.calls.length > 0) return;
    sharers.delete(sharer.key);
    former.set(sharer.key, sharer.usedMs);
  }

  function requireRoom(sharer: Sharer<T>, more: number): void {
    const full =
      sharer.calls.length >= limits.perKey ||
      (sharer.calls.length > 0 && sharer.bytes + more > limits.bytesPerKey)
        ? "of this key "
        : calls >= limits.inAll || (calls > 0 && bytes + more > limits.bytesInAll)
          ? ""
          : undefined;
    if (full !== undefined)
      throw tooManyWaiting(`Too many templates ${full}wait to be rendered or parsed.`, calls);
  }

  function left(sharer: Sharer<T>, entry: Entry<T>): void {
    size--;
    if (entry.share.job) return;
    calls--;
    bytes -= entry.bytes;
    sharer.bytes -= entry.bytes;
  }

  function best(of: "jobs" | "calls", onlyIdle: boolean): Sharer<T> | undefined {
    let found: Sharer<T> | undefined;
    for (const sharer of sharers.values()) {
      if (sharer[of].length === 0 || (onlyIdle && sharer.running > 0)) continue;
      // Ties go to the newest key: it has not been served yet, and its usage is remembered once it leaves.
      if (!found || !comesBefore(found, sharer)) found = sharer;
    }
    return found;
  }

  return {
    add(share, entryBytes, item, isRetry) {
      const sharer = sharerOf(share.key);
      try {
        if (!share.job && !isRetry) requireRoom(sharer, entryBytes);
      } catch (error) {
        forget(sharer);
        throw error;
      }
      const entry = { share, bytes: entryBytes, item };
      const list = share.job ? sharer.jobs : sharer.calls;
      // An item whose process was lost has already waited.
      if (isRetry) list.unshift(entry);
      else list.push(entry);
      size++;
      if (share.job) return;
      calls++;
      bytes += entryBytes;
      sharer.bytes += entryBytes;
    },
    remove(item) {
      for (const sharer of sharers.values())
        for (const list of [sharer.jobs, sharer.calls]) {
          const at = list.findIndex((entry) => entry.item === item);
          const [entry] = at < 0 ? [] : list.splice(at, 1);
          if (!entry) continue;
          left(sharer, entry);
          return forget(sharer);
        }
    },
    next(onlyIdle) {
      const sharer = best("jobs", onlyIdle) ?? best("calls", onlyIdle);
      const entry = sharer && (sharer.jobs.shift() ?? sharer.calls.shift());
      if (!entry) return undefined;
      sharer.running++;
      left(sharer, entry);
      return entry.item;
    },
    done(key, cpuMs) {
      const sharer = sharers.get(key);
      if (!sharer) return;
      sharer.running--;
      sharer.usedMs += cpuMs;
      forget(sharer);
    },
    clear() {
      const items = [...sharers.values()].flatMap(({ jobs, calls: asked }) =>
        [...jobs.splice(0), ...asked.splice(0)].map((entry) => entry.item),
      );
      calls = bytes = size = 0;
      return items;
    },
    get size() {
      return size;
    },
  };
}

/** Fewer processes first, then less CPU time. */
function comesBefore(a: Sharer<unknown>, b: Sharer<unknown>): boolean {
  return a.running === b.running ? a.usedMs < b.usedMs : a.running < b.running;
}

/** @param ahead the number of callers already waiting. */
export function tooManyWaiting(message: string, ahead: number): ServiceError {
  const retryAfter = Math.min(30, 1 + Math.floor(ahead / 4));
  return new ServiceError("TooManyRequests", `${message} Try again in ${retryAfter} seconds.`, {
    retryAfter,
  });
}
