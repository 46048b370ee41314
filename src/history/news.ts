/** What webhooks and event streams are told of the history: versions and failed takes, each with who may see it. */

import { ServiceError } from "../base/errors.ts";
import type { Inventory } from "../inventory/port.ts";
import type { Pool } from "../pool/port.ts";
import type { Store, StoredConfigVersion } from "../store/port.ts";
import { maySee } from "./history.ts";
import type { HistoryNews } from "./port.ts";
import { maxComparedBytes, textsOf } from "./reading/texts.ts";
import { versionRecordOf } from "./records.ts";

export interface NewsTools {
  readonly pool: Pick<Pool, "run">;
  readonly store: Pick<Store, "history">;
  readonly inventory: Pick<Inventory, "snapshot">;
  readonly iso: (ms: number) => string;
}

export function createHistoryNews({ store, inventory, iso, pool }: NewsTools): HistoryNews {
  const { history } = store;

  async function differenceOf(version: StoredConfigVersion, device: string): Promise<string | undefined> {
    if (version.state !== "good") return undefined;
    const { part } = version;
    const condition = { device: version.device, part, before: version, state: "good" } as const;
    const [before] = await history.versions(condition, 1);
    if (before === undefined || before.bytes + version.bytes > maxComparedBytes) return undefined;
    const [old, now] = await textsOf(store, [before, version]);
    if (old === undefined || now === undefined) return undefined;
    const [{ createTextWork }, { withinLimit }] = await Promise.all([
      import("./reading/text-work.ts"),
      import("./reading/work-limit.ts"),
    ]);
    const names = { from: `${device} version ${before.version}`, to: `${device} version ${version.version}` };
    const texts = { a: old, b: now, ...names, rules: {} };
    try {
      const share = { key: "", job: true };
      return await withinLimit(undefined, (deadline) =>
        createTextWork(pool).unified(texts, { deadline, share }),
      );
    } catch (error) {
      if (error instanceof ServiceError && error.kind.startsWith("Template")) return undefined;
      throw error;
    }
  }

  return {
    async versions(ns) {
      const versions = await history.versionsOf(ns);
      const [devices, snapshot] = await Promise.all([
        history.devicesOf(versions.map(({ device }) => device)),
        inventory.snapshot(),
      ]);
      const byId = new Map(devices.map((device) => [device.id, device]));
      return versions.flatMap((version) => {
        const device = byId.get(version.device);
        if (device === undefined) return [];
        return [
          {
            ...{ device: device.shown, n: version.n, record: versionRecordOf(version, device.shown, iso) },
            isVisibleTo: (caller) => maySee(caller, device, snapshot),
            difference: () => differenceOf(version, device.shown),
          },
        ];
      });
    },

    async failures(ids) {
      const [devices, snapshot] = await Promise.all([history.devicesOf(ids), inventory.snapshot()]);
      return devices.flatMap((device) => {
        const { id, shown, failedAt, takenAt, errorType, failedJobId } = device;
        if (failedAt === null) return [];
        return [
          {
            ...{
              device: shown,
              id,
              failedAt,
              lastGoodAt: takenAt,
              error: errorType ?? "",
              jobId: failedJobId,
            },
            isVisibleTo: (caller) => maySee(caller, device, snapshot),
          },
        ];
      });
    },
  };
}
