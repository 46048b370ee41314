/** New versions of all devices as a stream that can be resumed: one reader of the store for all listeners. */

import type { VersionRecord } from "../api/history.ts";
import { shareOf } from "../auth/caller.ts";
import type { Log } from "../base/log.ts";
import { onAbort } from "../base/time/deadline.ts";
import { giveWay } from "../base/time/yield.ts";
import type { Inventory } from "../inventory/port.ts";
import type { Store, StoredConfigDevice } from "../store/port.ts";
import { keysSelected, maySee, requireReader } from "./history.ts";
import type { FeedEvent, HistoryFeed } from "./port.ts";
import { versionRecordOf } from "./records.ts";

export interface FeedOptions {
  readonly store: Pick<Store, "history" | "events" | "shared">;
  readonly inventory: Pick<Inventory, "snapshot">;
  readonly log: Log;
  readonly iso: (ms: number) => string;
}

interface Entry {
  readonly n: number;
  /** One object for all listeners. */
  readonly record: VersionRecord;
  readonly device: StoredConfigDevice;
}

const atOnce = 500;
/** Entries in memory; listeners further behind read from the store. */
const maxKept = 2_000;
/** Own writes are read after this time, those of other nodes within the other one. */
const soonMs = 100;
const sharedMs = 1_000;
/** A file has a single node: only a safety net. */
const aloneMs = 10_000;
/** Proxies and clients close connections that are silent for longer. */
const aliveMs = 15_000;

export function createHistoryFeed(options: FeedOptions): HistoryFeed {
  const { inventory } = options;
  const tail = createTail(options);

  async function* follow(
    { state, select }: Parameters<HistoryFeed["follow"]>[0],
    { caller, from, signal }: Parameters<HistoryFeed["follow"]>[1],
  ): AsyncGenerator<FeedEvent> {
    requireReader(caller);
    const selected = await keysSelected(select, await inventory.snapshot(), caller, signal);
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
        if (entries.length === 0) {
          const beat = setTimeout(ring, aliveMs);
          await rung;
          clearTimeout(beat);
          if (!signal.aborted && at >= tail.last()) yield { kind: "here", n: at };
          continue;
        }
        const snapshot = await inventory.snapshot();
        for (const { n, record, device } of entries) {
          if (signal.aborted) return;
          at = n;
          if (state !== undefined && record.state !== state) continue;
          if (selected?.has(device.name) === false || !maySee(caller, device, snapshot)) continue;
          yield { kind: "version", n, record };
        }
        await giveWay(shareOf(caller));
      }
    } finally {
      for (const stop of stops) stop();
    }
  }

  return { follow };
}

function createTail({ store: { history, events, shared }, log, iso }: FeedOptions) {
  const listeners = new Set<() => void>();
  let recent: Entry[] = [];
  let last = 0;
  /** All later versions are in memory. */
  let since = 0;
  let holders = 0;
  let startup: Promise<void> | undefined;
  let reading: Promise<void> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isSoon = false;
  let stopListening = () => {};

  async function entriesAfter(n: number): Promise<Entry[]> {
    const versions = await history.changes({ after: n }, atOnce);
    const devices = await history.devicesOf(versions.map(({ device }) => device));
    const byId = new Map(devices.map((device) => [device.id, device]));
    return versions.flatMap((version) => {
      const device = byId.get(version.device);
      if (device === undefined) return [];
      return [{ n: version.n, record: versionRecordOf(version, device.shown, iso), device }];
    });
  }

  async function begin(): Promise<void> {
    const [newest] = await history.changes({}, 1);
    last = newest?.n ?? 0;
    since = last;
    recent = [];
    stopListening = events.onWritten(soon);
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
      log.debug("history.feed_not_read", { reason: String(error) });
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
      const read = await entriesAfter(last);
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
    /** Keeps reading while held. @returns a function that releases it. @throws ServiceError Unavailable */
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
    /** The next entries behind a position; none: there are no more yet. @throws ServiceError Unavailable */
    async after(n: number): Promise<readonly Entry[]> {
      if (n < since) return entriesAfter(n);
      const first = recent.findIndex((entry) => entry.n > n);
      return first === -1 ? [] : recent.slice(first);
    },
    onNews(listener: () => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
