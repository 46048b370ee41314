/**
 * Preloaded into the service, its threads and children (`bun --preload`): every `CENSUS_MS` it writes a line
 * to `CENSUS_DIR` with live heap objects by type and the allocator's statistics of the process.
 */
import { heapStats } from "bun:jsc";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import * as v from "valibot";

const { CENSUS_DIR: folder, CENSUS_MS: everyMs, CENSUS_COLLECTS: collects } = process.env;

/** Address space reserved for a WebAssembly memory, of which few pages are used. */
const reserved = 4 * 1024 ** 3;

const bytes = v.object({ current: v.number() });
/** Bun's type declarations lack the allocator statistics. */
const stats = v.object({
  heapSize: v.number(),
  extraMemorySize: v.number(),
  objectTypeCounts: v.record(v.string(), v.number()),
  mimalloc: v.optional(v.object({ malloc_normal: bytes, malloc_huge: bytes })),
});

if (folder !== undefined) {
  if (Bun.isMainThread) {
    followThreads();
    followChildren({ CENSUS_DIR: folder, CENSUS_MS: everyMs, CENSUS_COLLECTS: collects });
  }
  const role = !Bun.isMainThread ? "thread" : process.argv.includes("serve") ? "main" : "child";
  const own = `${role}-${process.pid}-${Math.random().toString(36).slice(2, 8)}`;
  const file = join(folder, `${own}.jsonl`);
  setInterval(
    () => appendFileSync(file, `${JSON.stringify({ role, ...count() })}\n`),
    Number(everyMs),
  ).unref();
}

function count() {
  if (collects === "1") Bun.gc(true);
  const { heapSize, extraMemorySize, objectTypeCounts, mimalloc } = v.parse(stats, heapStats());
  return {
    at: Date.now(),
    heap: heapSize,
    extra: extraMemorySize,
    given: (mimalloc?.malloc_normal.current ?? 0) + ((mimalloc?.malloc_huge.current ?? 0) % reserved),
    types: objectTypeCounts,
  };
}

function followThreads(): void {
  const Plain = globalThis.Worker;
  globalThis.Worker = class extends Plain {
    constructor(entry: string | URL, options?: WorkerOptions) {
      super(entry, { ...options, preload: [import.meta.filename] });
    }
  };
}

function followChildren(more: Record<string, string | undefined>): void {
  const plain = Bun.spawn;
  const spawn = (command: string[], settings: { env?: Record<string, string> } = {}) =>
    plain(command, {
      ...settings,
      env: { ...(settings.env ?? process.env), ...more, BUN_OPTIONS: process.env.BUN_OPTIONS },
    });
  Object.assign(Bun, { spawn });
}
