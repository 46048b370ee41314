/** Shares bulk states between watchers: each bulk is read at most once a second, and only after changes. */
import type { Caller } from "../../auth/port.ts";
import type { Log } from "../../base/log.ts";
import { reachKey } from "../filter.ts";
import type { BulkState } from "../port.ts";

export type ReadBulk = (id: string, caller: Caller) => Promise<BulkState | undefined>;

export interface BulkWatch {
  /** Undefined if there is no such bulk, or the caller may not see it. @throws ServiceError Unavailable */
  begun(): Promise<BulkState | undefined>;
  /** The last state read, and the number of reads. */
  now(): { readonly state: BulkState | undefined; readonly reads: number };
  /** One of its jobs changed: schedules a read. */
  changed(): void;
  leave(): void;
}

interface Watched {
  readonly bells: Set<() => void>;
  state: BulkState | undefined;
  reads: number;
  readAt: number;
  first?: Promise<void>;
  timer?: ReturnType<typeof setTimeout>;
}

const everyMs = 1_000;

export function createBulkWatches(readBulk: ReadBulk, log: Log) {
  const watchedBulks = new Map<string, Watched>();

  async function read(watched: Watched, id: string, caller: Caller): Promise<void> {
    watched.readAt = performance.now();
    watched.state = await readBulk(id, caller);
    watched.reads++;
    for (const ring of watched.bells) ring();
  }

  function readSoon(watched: Watched, id: string, caller: Caller): void {
    if (watched.timer !== undefined || watched.bells.size === 0) return;
    const inMs = Math.max(0, watched.readAt + everyMs - performance.now());
    watched.timer = setTimeout(async () => {
      try {
        await read(watched, id, caller);
        delete watched.timer;
      } catch (error) {
        log.debug("events.bulk_not_read", { reason: String(error) });
        delete watched.timer;
        readSoon(watched, id, caller);
      }
    }, inMs);
  }

  return (id: string, caller: Caller, ring: () => void): BulkWatch => {
    const key = `${id} ${reachKey(caller)}`;
    const watched: Watched = watchedBulks.get(key) ?? {
      bells: new Set(),
      state: undefined,
      reads: 0,
      readAt: 0,
    };
    watchedBulks.set(key, watched);
    watched.bells.add(ring);
    return {
      async begun() {
        // The shared state may be a second old.
        if (watched.first !== undefined) readSoon(watched, id, caller);
        watched.first ??= read(watched, id, caller);
        await watched.first;
        return watched.state;
      },
      now: () => ({ state: watched.state, reads: watched.reads }),
      changed: () => readSoon(watched, id, caller),
      leave() {
        watched.bells.delete(ring);
        if (watched.bells.size > 0) return;
        clearTimeout(watched.timer);
        if (watchedBulks.get(key) === watched) watchedBulks.delete(key);
      },
    };
  };
}
