/** Monitors the resource usage of a task and kills its process above the limits of CPU time, wall time or memory. */
import { ServiceError } from "../base/errors.ts";
import type { Child } from "../runtime/child.ts";
import type { TemplateProcess } from "./template-process.ts";

export interface TaskLimits {
  /** CPU time the task may use. */
  readonly cpuMs: number;
  readonly memoryBytes: number;
  /**
   * Records memory usage.
   * @returns whether it is too much next to the other processes.
   */
  seen(residentBytes: number): boolean;
  /** What the task was doing, for the error message. */
  readonly doing: string;
}

/** The wall-clock limit is for tasks that wait instead of computing; generous, since others may have the CPU. */
export const wallFactor = 10;
const maxIntervalMs = 50;
const minIntervalMs = 20;
/** A process can grow by 2 GB a second: above this growth between two polls, polling is faster. */
const growthBytes = 4 * 1024 * 1024;
const growingLookMs = 5;

/** @returns stops monitoring and returns the last observed CPU time, which is exact only if the process was killed. */
export function watchTask(
  process: Pick<TemplateProcess, "kill" | "cpuMs"> & { child: Pick<Child<never, never>, "usage"> },
  limits: TaskLimits,
): () => number {
  const baseMs = process.cpuMs();
  const startedMs = performance.now();
  let usedMs = 0;
  let stopped = false;
  let lastBytes: number | undefined;
  let timer = setTimeout(look, minIntervalMs);
  const wall = setTimeout(() => process.kill(tooLong(limits, "wall")), limits.cpuMs * wallFactor);

  async function look() {
    const usage = await process.child.usage();
    if (stopped) return;
    // If the system does not report CPU time, elapsed time is the upper bound.
    usedMs = usage === undefined ? performance.now() - startedMs : Math.max(0, usage.cpuMs - baseMs);
    if (usedMs >= limits.cpuMs) return process.kill(tooLong(limits, "cpu"));
    if (usage !== undefined) {
      const tooMuch = limits.seen(usage.residentBytes);
      if (tooMuch || usage.residentBytes > limits.memoryBytes)
        return process.kill(tooMuchMemory(usage.residentBytes));
    }
    const residentBytes = usage?.residentBytes ?? 0;
    const growing = lastBytes !== undefined && residentBytes - lastBytes > growthBytes;
    lastBytes = residentBytes;
    timer = setTimeout(look, growing ? growingLookMs : pauseMs(limits.cpuMs - usedMs));
  }

  return () => {
    stopped = true;
    clearTimeout(timer);
    clearTimeout(wall);
    return usedMs;
  };
}

function pauseMs(leftMs: number): number {
  return Math.min(maxIntervalMs, Math.max(minIntervalMs, leftMs));
}

function tooLong({ doing, cpuMs }: TaskLimits, by: "cpu" | "wall"): ServiceError {
  const seconds = (ms: number) => Math.round(ms / 100) / 10;
  const after =
    by === "cpu"
      ? `${seconds(cpuMs)} seconds of computing`
      : `${seconds(cpuMs * wallFactor)} seconds, ${wallFactor} times its CPU limit,`;
  return new ServiceError("TemplateTimeout", `${doing} after ${after} and was stopped.`, {
    template_error: "TemplateTimeout",
  });
}

function tooMuchMemory(residentBytes: number): ServiceError {
  const limit = Math.floor(residentBytes / 1024 / 1024);
  return new ServiceError(
    "TemplateLimit",
    `The template used more than ${limit} MiB of memory and was stopped.`,
    { template_error: "TemplateLimit" },
  );
}
