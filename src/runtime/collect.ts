/** Asks for garbage to be collected soon: strings of megabytes that are done with are many before the runtime looks. */
import process from "node:process";
import { deno } from "./deno.ts";

export interface GarbageCollector {
  /** Something of megabytes is done with. */
  collect(): void;
  stop(): void;
}

export interface GarbageOptions {
  readonly residentBytes?: () => number;
  /** Of the heap of this thread alone. */
  readonly heapBytes?: () => number;
  /** @param now else beside what runs. */
  readonly collectGarbage?: (now: boolean) => void;
  /** Up to here the runtime decides by itself: it goes by the memory of the machine, of which a process is to take little. */
  readonly freeBytes?: number;
}

/** However often it is asked for. */
const betweenMs = 500;
const lookMs = 100;
/** A collection beside the work computes for tens of milliseconds. */
const restMs = 300;
/** One that is waited for takes a part of the time at most. */
const restTimes = 4;
const MiB = 1024 * 1024;
/** A process that holds so many times what it is free to hold makes garbage faster than it is collected beside it. */
const muchTimes = 1.25;
/** Beyond what it is free to hold, garbage is collected whenever the process has grown by so much. */
const growthBytes = 24 * MiB;
const growthShare = 0.1;
/**
 * What outlived a small collection is garbage until a whole one, which the runtime puts off for tens of minutes on a
 * machine with much memory: a heap is collected whole when it has grown by so much, however small the process is.
 */
const heapGrowthBytes = 8 * MiB;
const heapLookMs = 10_000;

/** Where it can not be read, as without a file descriptor, nothing is known to have grown. */
function residentNow(): number {
  try {
    return process.memoryUsage.rss();
  } catch {
    return 0;
  }
}

/** Deno collects by itself: nothing is seen to grow there. */
function heapNow(): number {
  try {
    return deno === undefined ? process.memoryUsage().heapUsed : 0;
  } catch {
    return 0;
  }
}

/** Collects when it is asked to, when the process has grown, and when the heap has. */
export function createGarbageCollector({
  residentBytes = residentNow,
  heapBytes = heapNow,
  // Deno collects by itself.
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
    // What is left is what is needed, until less is seen.
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
  return {
    collect() {
      // What comes next would be made beside what is done with.
      if (holdsMuch(residentBytes()) && hasRested(tookMs * restTimes)) return collectNow(true);
      asked ??= setTimeout(() => collectNow(), Math.max(0, collectedAt + betweenMs - performance.now()));
    },
    stop() {
      clearTimeout(asked);
      clearInterval(looking);
      clearInterval(lookingAtHeap);
    },
  };
}
