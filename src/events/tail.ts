/** The new end of the log: one reader of the store for all who listen, and the last of what it read in memory. */
import type { Log } from "../base/log.ts";
import type { Store } from "../store/port.ts";
import { type Batch, batchOf } from "./batch.ts";
import type { EventMark } from "./port.ts";

export interface Tail {
  /** Reads on as long as somebody holds it. @returns lets go. @throws ServiceError Unavailable */
  hold(): Promise<() => void>;
  /** The newest that was read. */
  last(): EventMark;
  /** The oldest position whose next change is in memory. */
  since(): number;
  /** The changes behind a position that lies in memory; undefined: there are none yet. */
  behind(n: number): Batch | undefined;
  /** Reads what is committed by now. @throws ServiceError Unavailable */
  refresh(): Promise<void>;
  /** @param listener is called when something was read. @returns stops that. */
  onNews(listener: () => void): () => void;
}

export interface TailTools {
  readonly store: Pick<Store, "events" | "shared">;
  readonly log: Log;
  /** Listeners that have not got yet what was read: more of it makes them no faster. */
  waiting(): number;
}

const readAtOnce = 1_000;
/** A listener that is further behind is let go; 4 MB. */
export const mostKept = 20_000;
/** What is written here is read this soon, what other nodes write between `leastMs` and `mostMs`. */
const soonMs = 20;
const crowdedMs = 250;
const poll = { leastMs: 50, mostMs: 500, factor: 1.5 } as const;
/** A file has one node: this only mends what was missed. */
const alonePollMs = 1_000;

export function createTail({ store, log, waiting }: TailTools): Tail {
  const { events } = store;
  const listeners = new Set<() => void>();
  let kept: Batch[] = [];
  let count = 0;
  let last: EventMark = { n: 0, jobId: "" };
  let holders = 0;
  /** Begins and ends: what was asked in one life is not for the next. */
  let lives = 0;
  let begun: Promise<void> | undefined;
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
    stopListening = events.onWritten(() => due(waiting() > 0 ? crowdedMs : soonMs));
    // What was written while it was asked.
    due(soonMs);
  }

  function end(): void {
    lives++;
    stopListening();
    clearTimeout(timer);
    timer = undefined;
    begun = undefined;
    kept = [];
    count = 0;
  }

  const idleMs = () => (store.shared ? pollMs : alonePollMs);

  function due(inMs: number): void {
    const at = performance.now() + inMs;
    if (timer !== undefined && dueAt <= at) return;
    clearTimeout(timer);
    dueAt = at;
    timer = setTimeout(look, inMs);
  }

  async function look(): Promise<void> {
    timer = undefined;
    const before = last.n;
    try {
      await refresh();
    } catch (error) {
      log.debug("events.not_read", { reason: String(error) });
    }
    pollMs = last.n > before ? poll.leastMs : Math.min(poll.mostMs, pollMs * poll.factor);
    if (holders > 0) due(idleMs());
  }

  /** What one reading began before is not in it. */
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
    // Cut off while nobody could read: what is here has nothing to do with what follows.
    if (batch.first !== last.n + 1) [kept, count] = [[], 0];
    kept.push(batch);
    count += batch.changes.length;
    last = batch.last;
    while (count - (kept[0]?.changes.length ?? 0) >= mostKept) count -= kept.shift()?.changes.length ?? 0;
  }

  return {
    async hold() {
      holders++;
      let held = true;
      const release = () => {
        if (!held) return;
        held = false;
        if (--holders === 0) end();
      };
      try {
        begun ??= begin();
        await begun;
        return release;
      } catch (error) {
        begun = undefined;
        release();
        throw error;
      }
    },
    last: () => last,
    since: () => (kept[0]?.first ?? last.n + 1) - 1,
    behind(n) {
      let [low, high] = [0, kept.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((kept[middle]?.last.n ?? 0) > n) high = middle;
        else low = middle + 1;
      }
      return kept[low];
    },
    refresh,
    onNews(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
