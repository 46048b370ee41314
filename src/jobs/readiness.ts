/** Checks whether the service can accept work. */

import { ServiceError } from "../base/errors.ts";
import type { DiskReserve } from "../base/files/disk-reserve.ts";
import type { Store } from "../store/port.ts";
import type { Readiness } from "./port.ts";

export interface ReadinessTools {
  readonly store: Pick<Store, "full" | "probe" | "doubts">;
  /** Reasons to refuse work: shutting down, or no node lease. */
  notReady(): readonly string[];
  /** Undefined: disk space is not checked. */
  readonly disk?: DiskReserve;
}

export function createReadiness({ store, notReady, disk }: ReadinessTools) {
  /** Writes, because a store that answers reads may still hang on writes. */
  return async (): Promise<Readiness> => {
    let doubts: readonly string[] = [];
    const reasons = [...notReady()];
    const lacks = disk?.reason();
    if (lacks !== undefined) reasons.push(lacks);
    if (store.full()) reasons.push("storage full");
    else {
      try {
        await store.probe();
        doubts = await store.doubts();
      } catch (error) {
        reasons.push(error instanceof ServiceError ? error.message : "the store failed");
      }
    }
    return { ready: reasons.length === 0, reasons, doubts };
  };
}

/** @throws ServiceError Unavailable, StorageFull */
export function requireReady({ notReady, disk }: Pick<ReadinessTools, "notReady" | "disk">): void {
  disk?.require();
  const [reason] = notReady();
  if (reason !== undefined)
    throw new ServiceError("Unavailable", `No work is accepted now: ${reason}.`, { retryAfter: 5 });
}
