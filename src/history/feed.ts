/** New versions of all devices as a stream that can be resumed: one reader of the store for all listeners. */

import type { VersionRecord } from "../api/history/history.ts";
import { shareOf } from "../auth/caller.ts";
import type { Log } from "../base/log.ts";
import { createLogTail } from "../base/share/log-tail.ts";
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

export function createHistoryFeed(options: FeedOptions): HistoryFeed {
  const { inventory, log, iso } = options;
  const { history, events, shared } = options.store;

  const tail = createLogTail<Entry>({
    async after(n) {
      const versions = await history.changes({ after: n }, atOnce);
      const devices = await history.devicesOf(versions.map(({ device }) => device));
      const byId = new Map(devices.map((device) => [device.id, device]));
      return versions.flatMap((version) => {
        const device = byId.get(version.device);
        if (device === undefined) return [];
        return [{ n: version.n, record: versionRecordOf(version, device.shown, iso), device }];
      });
    },
    async last() {
      const [newest] = await history.changes({}, 1);
      return newest?.n ?? 0;
    },
    onWritten: events.onWritten,
    shared,
    notRead: (reason) => log.debug("history.feed_not_read", { reason }),
  });

  async function* follow(
    { state, select }: Parameters<HistoryFeed["follow"]>[0],
    { caller, from, signal }: Parameters<HistoryFeed["follow"]>[1],
  ): AsyncGenerator<FeedEvent> {
    requireReader(caller);
    const selected = await keysSelected(select, await inventory.snapshot(), caller, signal);
    for await (const step of tail(from, signal)) {
      if (step.kind !== "entries") {
        yield step;
        continue;
      }
      const snapshot = await inventory.snapshot();
      for (const { n, record, device } of step.entries) {
        if (signal.aborted) return;
        if (state !== undefined && record.state !== state) continue;
        if (selected?.has(device.name) === false || !maySee(caller, device, snapshot)) continue;
        yield { kind: "version", n, record };
      }
      await giveWay(shareOf(caller));
    }
  }

  return { follow };
}
