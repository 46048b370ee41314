/** Reserves free disk space: writes that would use it are refused while less is free. */
import { statfsSync } from "node:fs";
import { ServiceError } from "../errors.ts";

export interface DiskReserve {
  /** Free bytes; undefined if the system does not report it. */
  free(): number | undefined;
  /** Why writes are refused; undefined while there is space. */
  reason(): string | undefined;
  /** @throws ServiceError StorageFull */
  require(): void;
}

export interface DiskReserveOptions {
  readonly folder: string;
  /** 0: no limit. */
  readonly leastBytes: number;
  readonly freeBytes?: (folder: string) => number;
  readonly now?: () => number;
}

/** When to try again on a full disk, in seconds. */
export const fullRetryS = 60;
const mib = 1024 * 1024;
/** Poll interval: a check costs microseconds, but may block on a network file system. */
const lookMs = 250;
/** Hysteresis: writes resume only once this much more is free, so that a disk at the limit does not flap. */
const marginBytes = 8 * mib;

export function createDiskReserve({
  folder,
  leastBytes,
  freeBytes = freeOf,
  now = () => performance.now(),
}: DiskReserveOptions): DiskReserve {
  let lookedAt = Number.NEGATIVE_INFINITY;
  let bytes: number | undefined;
  let refuses = false;

  function free(): number | undefined {
    if (now() - lookedAt < lookMs) return bytes;
    lookedAt = now();
    try {
      bytes = freeBytes(folder);
    } catch {
      bytes = undefined;
    }
    refuses = bytes !== undefined && leastBytes > 0 && bytes < leastBytes + (refuses ? marginBytes : 0);
    return bytes;
  }

  function reason(): string | undefined {
    const freeBytes = free();
    if (!refuses || freeBytes === undefined) return undefined;
    return `the disk has ${Math.floor(freeBytes / mib)} MiB free, and ${Math.round(leastBytes / mib)} are reserved for running work (PATCHBAY_MIN_FREE_MB)`;
  }

  return {
    free,
    reason,
    require() {
      const why = reason();
      if (why !== undefined)
        throw new ServiceError("StorageFull", `Nothing new is stored now: ${why}.`, {
          retryAfter: fullRetryS,
        });
    },
  };
}

function freeOf(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
