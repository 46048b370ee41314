/** A log of the store as a stream that can be resumed: one reader of the store for all listeners of a node. */
import { onAbort } from "../time/deadline.ts";

interface Numbered {
  /** Position in the log. */
  readonly n: number;
}

export interface LogSource<E extends Numbered> {
  /** Entries behind a position, the first some hundred of them. */
  after(n: number): Promise<readonly E[]>;
  /** Position of the newest entry. */
  last(): Promise<number>;
  /** @returns unsubscribes */
  onWritten(listener: () => void): () => void;
  /** Other nodes write to it too. */
  readonly shared: boolean;
  notRead(reason: string): void;
}

export type LogStep<E> =
  | { readonly kind: "entries"; readonly entries: readonly E[] }
  /** There was no such position: this is the newest one. */
  | { readonly kind: "reset"; readonly n: number }
  /** Where the listener is; also as keep-alive. */
  | { readonly kind: "here"; readonly n: number };

/** Entries in memory; listeners further behind read from the store. */
const maxKept = 2_000;
/** Own writes are read after this time, those of other nodes within the other one. */
const soonMs = 100;
const sharedMs = 1_000;
/** A file has a single node: only a safety net. */
const aloneMs = 10_000;
/** Proxies and clients close connections that are silent for longer. */
const aliveMs = 15_000;

/** @returns follows the log endlessly. @param from undefined: from now on. Throws as the source does. */
export function createLogTail<E extends Numbered>(source: LogSource<E>) {
  const tail = createTail(source);

  return async function* follow(from: number | undefined, signal: AbortSignal): AsyncGenerator<LogStep<E>> {
    const release = await tail.hold();
    let ring = () => {};
    const stops = [release, tail.onNews(() => ring()), onAbort(signal, () => ring())];
    try {
      let at = from ?? tail.last();
      if (at > tail.last()) await tail.refresh();
      if (at > tail.last()) {
        at = tail.last();
        yield { kind: "reset", n: at };
      } else yield { kind: "here", n: at };
      while (!signal.aborted) {
        const rung = new Promise<void>((resolve) => (ring = resolve));
        const entries = await tail.after(at);
        const newest = entries.at(-1);
        if (newest === undefined) {
          const beat = setTimeout(ring, aliveMs);
          await rung;
          clearTimeout(beat);
          if (!signal.aborted && at >= tail.last()) yield { kind: "here", n: at };
          continue;
        }
        at = newest.n;
        yield { kind: "entries", entries };
      }
    } finally {
      for (const stop of stops) stop();
    }
  };
}

function createTail<E extends Numbered>({ after, last: newestOf, onWritten, shared, notRead }: LogSource<E>) {
  const listeners = new Set<() => void>();
  let recent: E[] = [];
  let last = 0;
  /** All later entries are in memory. */
  let since = 0;
  let holders = 0;
  let startup: Promise<void> | undefined;
  let reading: Promise<void> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isSoon = false;
  let stopListening = () => {};

  async function begin(): Promise<void> {
    last = await newestOf();
    since = last;
    recent = [];
    stopListening = onWritten(soon);
    soon();
  }

  function end(): void {
    stopListening();
    clearTimeout(timer);
    isSoon = false;
    startup = undefined;
    recent = [];
  }

  function soon(): void {
    if (isSoon) return;
    isSoon = true;
    schedule(soonMs);
  }

  function schedule(inMs: number): void {
    clearTimeout(timer);
    timer = setTimeout(() => void look(), inMs);
  }

  async function look(): Promise<void> {
    isSoon = false;
    try {
      await refresh();
    } catch (error) {
      notRead(String(error));
    }
    if (holders > 0 && !isSoon) schedule(shared ? sharedMs : aloneMs);
  }

  /** Reads again if a read is in progress, which may have begun too early. */
  async function refresh(): Promise<void> {
    await reading?.catch(() => {});
    reading ??= readOn().finally(() => {
      reading = undefined;
    });
    await reading;
  }

  async function readOn(): Promise<void> {
    for (;;) {
      const read = await after(last);
      const newest = read.at(-1);
      if (newest === undefined) return;
      last = newest.n;
      recent.push(...read);
      const dropped = recent.splice(0, recent.length - maxKept).at(-1);
      since = dropped?.n ?? since;
      for (const listener of [...listeners]) listener();
    }
  }

  return {
    /** Keeps reading while held. @returns a function that releases it */
    async hold(): Promise<() => void> {
      holders++;
      const release = () => {
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
    refresh,
    /** The next entries behind a position; none: there are no more yet. */
    async after(n: number): Promise<readonly E[]> {
      if (n < since) return after(n);
      const first = recent.findIndex((entry) => entry.n > n);
      return first === -1 ? [] : recent.slice(first);
    },
    onNews(listener: () => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
