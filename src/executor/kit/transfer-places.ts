/** Local places, size limits and progress reports of this thread's file transfers. */

import { ServiceError } from "../../base/errors.ts";
import { createFolderUsage } from "../../base/files/folder-usage.ts";
import type { DialRule } from "../../base/net/dial.ts";
import type { Connection } from "../../device/ssh/connection.ts";
import type { Context } from "../../plugin/index.ts";
import type { WorkerSettings } from "../../protocol/message-port.ts";
import { requireTransfers } from "./files-kit.ts";

type Transfer = Parameters<Connection["download"]>[0];

export interface TransferPlaces {
  of(ctx: Context): Promise<Pick<Transfer, "roots" | "onProgress" | "take" | "onWarning">>;
}

export function createTransferPlaces(
  { transferRoots: roots, transferRoom }: Pick<WorkerSettings, "transferRoots" | "transferRoom">,
  rule: () => Pick<DialRule, "limited">,
): TransferPlaces {
  const room = transferRoom && createFolderUsage(roots, transferRoom);
  return {
    async of(ctx) {
      requireTransfers(rule());
      await room?.look();
      const take = (bytes: number, entries = 0) => {
        if (room?.take(bytes, entries) !== false) return;
        throw new ServiceError(
          "DriverError",
          "The folders of file transfers are full (PATCHBAY_MAX_FILES_MB)",
          { reason: "DiskFull" },
        );
      };
      return { roots, onProgress: ctx.progress, take, onWarning: ctx.warn };
    },
  };
}
