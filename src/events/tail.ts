/** The tail of the log: one reader of the store for all listeners, with recent entries in memory. */
import type { Log } from "../base/log.ts";
import type { Store } from "../store/port.ts";
import { type Batch, batchOf } from "./batch.ts";
import type { EventMark } from "./port.ts";

export interface Tail {
  /** Keeps reading while held. @returns a function that releases it. @throws ServiceError Unavailable */
  hold(): Promise<() => void>;
  /** The newest entry read. */
  last(): EventMark;
  /** The oldest position whose next change is in memory. */
  since(): number;
  /** Changes after a position in memory; undefined if there are none yet. */
  behind(n: number): Batch | undefined;
  /** Reads everything committed so far. @throws ServiceError Unavailable */
  refresh(): Promise<void>;
  /** @param listener called after each read with news. @returns unsubscribes. */
  onNews(listener: () => void): () => void;
}

export interface TailTools {
  readonly store: Pick<Store, "events" | "shared">;
  readonly log: Log;
  /** Number of listeners that still have to process what was read; reading more would not help them. */
  waiting(): number;
}

const readAtOnce = 1_000;
/** Listeners further behind are disconnected; about 4 MB. */
export const maxKept = 20_000;
/** Own writes are read after this time, those of other nodes between `leastMs` and `mostMs`. */
const soonMs = 20;
const crowdedMs = 250;
const poll = { leastMs: 50, maxMs: 500, factor: 1.5 } as const;
/** A file has a single node: this poll is only a safety net. */
const alonePollMs = 1_000;

export function createTail({ store, log, waiting }: TailTools): Tail {
  const { events } = store;
  const listeners = new Set<() => void>();
  let batches: Batch[] = [];
  let count = 0;
  let last: EventMark = { n: 0, jobId: "" };
  let holders = 0;
  /** Incremented at each start and stop, to ignore answers to older reads. */
  let lives = 0;
  let startup: Promise<void> | undefined;
  let reading: Promise<void> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let dueAt = 0;
  let pollMs: number = poll.leastMs;
  let stopListening = () => {};

  async function begin(): Promise<void> {
    const life = ++lives;
    const newest = await events.last();
    if (life !== lives) return;
    last = newest;
    stopListening = events.onWritten(() => schedulePoll(waiting() > 0 ? crowdedMs : soonMs));
    // Something was written during the read.
    schedulePoll(soonMs);
  }

  function end(): void {
    lives++;
    stopListening();
    clearTimeout(timer);
    timer = undefined;
    startup = undefined;
    batches = [];
    count = 0;
  }

  const idleMs = () => (store.shared ? pollMs : alonePollMs);

  function schedulePoll(inMs: number): void {
    const at = performance.now() + inMs;
    if (timer !== undefined && dueAt <= at) return;
    clearTimeout(timer);
    dueAt = at;
    timer = setTimeout(pollNow, inMs);
  }

  async function pollNow(): Promise<void> {
    timer = undefined;
    const before = last.n;
    try {
      await refresh();
    } catch (error) {
      log.debug("events.not_read", { reason: String(error) });
    }
    pollMs = last.n > before ? poll.leastMs : Math.min(poll.maxMs, pollMs * poll.factor);
    if (holders > 0) schedulePoll(idleMs());
  }

  /** Reads again if a read is in progress, which may have begun too early. */
  async function refresh(): Promise<void> {
    await reading?.catch(() => {});
    reading ??= readOn().finally(() => (reading = undefined));
    await reading;
  }

  async function readOn(): Promise<void> {
    for (;;) {
      const life = lives;
      const changes = await events.after(last.n, readAtOnce);
      if (life !== lives) return;
      const batch = batchOf(changes);
      if (batch === undefined) return;
      keep(batch);
      for (const listener of [...listeners]) listener();
      if (changes.length < readAtOnce) return;
    }
  }

  function keep(batch: Batch): void {
    // There is a gap: drop the entries in memory.
    if (batch.first !== last.n + 1) [batches, count] = [[], 0];
    batches.push(batch);
    count += batch.changes.length;
    last = batch.last;
    while (count - (batches[0]?.changes.length ?? 0) >= maxKept)
      count -= batches.shift()?.changes.length ?? 0;
  }

  return {
    async hold() {
      holders++;
      let isHeld = true;
      const release = () => {
        if (!isHeld) return;
        isHeld = false;
        if (--holders === 0) end();
      };
      try {
        startup ??= begin();
        await startup;
        return release;
      } catch (error) {
        startup = undefined;
        release();
        throw error;
      }
    },
    last: () => last,
    since: () => (batches[0]?.first ?? last.n + 1) - 1,
    behind(n) {
      let [low, high] = [0, batches.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((batches[middle]?.last.n ?? 0) > n) high = middle;
        else low = middle + 1;
      }
      return batches[low];
    },
    refresh,
    onNews(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
