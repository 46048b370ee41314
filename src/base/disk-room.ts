/** Room that is left free on a disk: what would take more of it is refused while there is less. */
import { statfsSync } from "node:fs";
import { ServiceError } from "./errors.ts";

export interface DiskRoom {
  /** Bytes that are free; undefined where the system does not tell. */
  free(): number | undefined;
  /** Why nothing more is taken; undefined while there is room. */
  reason(): string | undefined;
  /** @throws ServiceError StorageFull */
  require(): void;
}

export interface DiskRoomOptions {
  readonly folder: string;
  /** 0: no limit. */
  readonly leastBytes: number;
  readonly freeBytes?: (folder: string) => number;
  readonly now?: () => number;
}

const mib = 1024 * 1024;
/** Looked at again after so long: a look costs microseconds, but on a network file system it can wait. */
const lookMs = 250;
/** Taken again only when so much more is free, or a disk at the limit would be refused and taken in turns. */
const marginBytes = 8 * mib;

export function createDiskRoom({
  folder,
  leastBytes,
  freeBytes = freeOf,
  now = () => performance.now(),
}: DiskRoomOptions): DiskRoom {
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
    const found = free();
    if (!refuses || found === undefined) return undefined;
    return `the disk has ${Math.floor(found / mib)} MiB free, and ${Math.round(leastBytes / mib)} are kept for what runs (PATCHBAY_MIN_FREE_MB)`;
  }

  return {
    free,
    reason,
    require() {
      const why = reason();
      if (why !== undefined)
        throw new ServiceError("StorageFull", `Nothing is taken now: ${why}.`, { retryAfter: 60 });
    },
  };
}

function freeOf(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
