/**
 * Disk usage of a set of folders and whether there is room for more: measured from time to time, counted in between.
 */
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

export interface FolderLimits {
  readonly bytes: number;
  /** Files and folders. */
  readonly entries: number;
}

export interface FolderUsage {
  /** Measures the disk, unless it did so just now. */
  look(): Promise<void>;
  /**
   * Reserves room for a write.
   * @returns false, reserving nothing, if there is no room
   */
  take(bytes: number, entries?: number): boolean;
  /** Releases room: the write failed, or the file was removed. */
  give(bytes: number, entries?: number): void;
}

/** Measurements expire after this time, so that files removed by others free room. */
const freshMs = 2_000;
const looksAtOnce = 64;

export function createFolderUsage(roots: readonly string[], limits: FolderLimits): FolderUsage {
  let used: FolderLimits = { bytes: 0, entries: 0 };
  let lookedAt = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | undefined;

  async function count(): Promise<void> {
    const usage = { bytes: 0, entries: 0 };
    for (const root of roots) await addTo(usage, root, limits.entries);
    used = usage;
    lookedAt = performance.now();
  }

  return {
    async look() {
      if (performance.now() - lookedAt < freshMs) return;
      looking ??= count().finally(() => {
        looking = undefined;
      });
      await looking;
    },
    take(bytes, entries = 0) {
      const next = { bytes: used.bytes + bytes, entries: used.entries + entries };
      if (next.bytes > limits.bytes || next.entries > limits.entries) return false;
      used = next;
      return true;
    },
    give(bytes, entries = 0) {
      used = { bytes: Math.max(0, used.bytes - bytes), entries: Math.max(0, used.entries - entries) };
    },
  };
}

/** Stops early once the limit is exceeded. Does not follow links. */
async function addTo(
  usage: { bytes: number; entries: number },
  folder: string,
  maxEntries: number,
): Promise<void> {
  const pending = [folder];
  for (let at = pending.pop(); at !== undefined && usage.entries <= maxEntries; at = pending.pop()) {
    const entries = await readdir(at, { withFileTypes: true }).catch(() => []);
    usage.entries += entries.length;
    for (let first = 0; first < entries.length; first += looksAtOnce) {
      const paths = entries.slice(first, first + looksAtOnce).map(({ name }) => join(at, name));
      const stats = await Promise.all(paths.map((path) => lstat(path).catch(() => undefined)));
      for (const [index, stat] of stats.entries()) {
        if (stat?.isDirectory()) pending.push(paths[index] ?? at);
        else usage.bytes += stat?.size ?? 0;
      }
    }
  }
}
