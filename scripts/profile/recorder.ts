/**
 * Preloaded into every process of a profiled row (`bun --preload`): writes a CPU profile every second to
 * `PROFILE_DIR`, for this process, its threads and children. Writing every second preserves the data of
 * killed processes.
 */
import { heapStats } from "bun:jsc";
import { writeFileSync } from "node:fs";
import inspector from "node:inspector";
import { basename, join } from "node:path";
import process from "node:process";

const pieceMs = 1_000;
const folder = process.env.PROFILE_DIR;
const whose = `${process.pid}-${Bun.isMainThread ? "main" : `thread${Math.random().toString(36).slice(2, 8)}`}`;

if (folder !== undefined) record(folder);

function record(folder: string): void {
  followThreads();
  followChildren(folder);
  const session = new inspector.Session();
  session.connect();
  session.post("Profiler.enable");
  session.post("Profiler.setSamplingInterval", { interval: 500 });
  session.post("Profiler.start");
  let piece = 0;
  let alive = new Map<string, number>();
  const next = () => {
    const made = allocations();
    session.post("Profiler.stop", (error, stopped) => {
      const title = Bun.isMainThread ? basename(process.argv[1] ?? "") : "thread";
      const args = process.argv.slice(2).join(" ");
      const piece_ = { title, args, made, profile: error === null ? stopped.profile : undefined };
      writeFileSync(join(folder, `${whose}-${piece++}.json`), JSON.stringify(piece_));
      session.post("Profiler.start");
    });
  };
  const timer = setInterval(next, pieceMs);
  timer.unref();

  /** Increase of live objects by type: fewer than were allocated, because some were collected. */
  function allocations(): Record<string, number> {
    const now = new Map(Object.entries(heapStats().objectTypeCounts));
    const made = [...now].flatMap(([type, count]) => {
      const more = count - (alive.get(type) ?? 0);
      return more > 0 ? [[type, more] as const] : [];
    });
    alive = now;
    return Object.fromEntries(made);
  }
}

function followThreads(): void {
  const Plain = globalThis.Worker;
  globalThis.Worker = class extends Plain {
    constructor(entry: string | URL, options?: WorkerOptions) {
      super(entry, { ...options, preload: [import.meta.filename] });
    }
  };
}

/** Also profiles children that are started with their own environment. */
function followChildren(folder: string): void {
  const options = process.env.BUN_OPTIONS ?? "";
  const plain = Bun.spawn;
  const spawn = (command: string[], settings: { env?: Record<string, string> } = {}) =>
    plain(command, {
      ...settings,
      env: { ...(settings.env ?? process.env), BUN_OPTIONS: options, PROFILE_DIR: folder },
    });
  Object.assign(Bun, { spawn });
}
