/**
 * Triggers garbage collection early: the runtime would otherwise let many unreferenced strings of megabytes accumulate.
 */
import process from "node:process";
import { deno } from "./deno.ts";

export interface GarbageCollector {
  /** Hints that megabytes have become unreferenced. */
  collect(): void;
  /** The same within long work: what outlived a minor collection is freed too, once the heap has grown much. */
  collectGrown(): void;
  stop(): void;
}

export interface GarbageOptions {
  readonly residentBytes?: () => number;
  /** Heap of this thread only. */
  readonly heapBytes?: () => number;
  /** @param now collect synchronously; otherwise concurrently. */
  readonly collectGarbage?: (now: boolean) => void;
  /**
   * Below this the runtime decides alone. It goes by the memory of the machine, of which a process should use little.
   */
  readonly freeBytes?: number;
}

/** Minimum interval between requested collections. */
const betweenMs = 500;
const lookMs = 100;
/** Minimum pause between concurrent collections, each of which takes tens of milliseconds of CPU time. */
const restMs = 300;
/** Limits synchronous collections to a fraction of the time. */
const restTimes = 4;
const MiB = 1024 * 1024;
/** Above this multiple of the free limit, garbage is produced faster than a concurrent collection frees it. */
const muchTimes = 1.25;
/** Above the free limit, collects whenever the process has grown by this much. */
const growthBytes = 24 * MiB;
const growthShare = 0.1;
/**
 * Objects that survive a minor collection are freed only by a full one, which the runtime may delay for tens of minutes
 * on a machine with much memory. So a heap is fully collected once it has grown by this much, however small the process
 * is.
 */
const heapGrowthBytes = 8 * MiB;
const heapLookMs = 10_000;
/** Within long work, which would fill it before the next look; a full collection takes tens of milliseconds. */
const heapGrownBytes = 40 * MiB;

/** Returns 0, i.e. no growth, if it cannot be read (no file descriptor). */
function residentNow(): number {
  try {
    return process.memoryUsage.rss();
  } catch {
    return 0;
  }
}

/** Deno collects on its own: reports no growth. */
function heapNow(): number {
  try {
    return deno === undefined ? process.memoryUsage().heapUsed : 0;
  } catch {
    return 0;
  }
}

/** Collects on request, when the process has grown, and when the heap has grown. */
export function createGarbageCollector({
  residentBytes = residentNow,
  heapBytes = heapNow,
  // Deno collects on its own.
  collectGarbage = (now) => void (deno === undefined && Bun.gc(now)),
  freeBytes = 320 * MiB,
}: GarbageOptions = {}): GarbageCollector {
  let collectedAt = Number.NEGATIVE_INFINITY;
  let tookMs = 0;
  let asked: ReturnType<typeof setTimeout> | undefined;
  let leastBytes = freeBytes;
  let leastHeapBytes = Number.POSITIVE_INFINITY;

  function collectNow(now = false): void {
    clearTimeout(asked);
    asked = undefined;
    const from = performance.now();
    collectGarbage(now);
    collectedAt = performance.now();
    tookMs = collectedAt - from;
  }

  const holdsMuch = (bytes: number) => bytes > freeBytes * muchTimes;
  const hasRested = (ms: number) => performance.now() - collectedAt >= ms;

  function look(): void {
    const bytes = residentBytes();
    leastBytes = Math.max(freeBytes, Math.min(leastBytes, bytes));
    const grew = bytes - leastBytes >= Math.max(growthBytes, bytes * growthShare);
    const much = holdsMuch(bytes);
    if (!grew || !hasRested(much ? tookMs * restTimes : restMs)) return;
    // The new baseline, until a lower value is seen.
    leastBytes = bytes;
    collectNow(much);
  }

  function lookAtHeap(): void {
    const bytes = heapBytes();
    leastHeapBytes = Math.min(leastHeapBytes, bytes);
    if (bytes - leastHeapBytes < heapGrowthBytes || !hasRested(restMs)) return;
    leastHeapBytes = bytes;
    collectNow();
  }

  const looking = setInterval(look, lookMs);
  looking.unref();
  const lookingAtHeap = setInterval(lookAtHeap, heapLookMs);
  lookingAtHeap.unref();
  function collect(): void {
    // Collects first, so that new data does not come on top of the garbage.
    if (holdsMuch(residentBytes()) && hasRested(tookMs * restTimes)) collectNow(true);
    else asked ??= setTimeout(() => collectNow(), Math.max(0, collectedAt + betweenMs - performance.now()));
  }
  return {
    collect,
    collectGrown() {
      const bytes = heapBytes();
      leastHeapBytes = Math.min(leastHeapBytes, bytes);
      if (bytes - leastHeapBytes < heapGrownBytes || !hasRested(tookMs * restTimes)) collect();
      else {
        collectNow(true);
        leastHeapBytes = heapBytes();
      }
    },
    stop() {
      clearTimeout(asked);
      clearInterval(looking);
      clearInterval(lookingAtHeap);
    },
  };
}
